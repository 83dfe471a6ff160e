"""The dice of Au un pour un: every procedure, exact chances, and situations played face by face."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from rules.book.model import Book
from rules.book.rolls import Roll
from rules.book.vocabulary import applies
from rules.engine.compiling import make_ready, ready
from rules.engine.expressions import Value, parse
from rules.engine.figure import Figure
from rules.engine.fitting import assemble, fits
from rules.engine.odds import Odds, odds
from rules.engine.playing import Played, tell
from rules.engine.situations import Side, Situation, names_in
from rules.loading.try_rolls import try_rolls
from tests.world.gangs import shipped

F = Fraction
# Facts of a roll: attacker, target, item and circumstances.
So = dict[str, Any]
# The table as printed: a line for each resistance, a digit for each strength.
DAMAGE = (
    "4433222222", "4443322222", "5444332222", "5544433222", "6554443322",
    "6655444332", "6665544433", "6666554443", "6666655444", "6666665544",
)  # fmt: skip


@pytest.fixture(scope="module")
def book() -> Book:
    return shipped("au-un-pour-un")


def figure(rank: str = "sous_fifre", **more: Any) -> Figure:
    return Figure(rank=rank, worth_rank=rank, **more)


CHIEF, LIEUTENANT, UNDERLING = map(figure, ("chef", "sous_chef", "sous_fifre"))


def facts(
    book: Book,
    by: Figure | Side | None = CHIEF,
    at: Figure | Side | None = UNDERLING,
    item: str | None = None,
    **circumstances: Value,
) -> dict[str, Value]:
    """Return the facts of a roll; ``by`` carries the ``item`` and their own items."""
    if isinstance(by, Figure):
        by = Side(by)
    if isinstance(at, Figure):
        at = Side(at)
    if by is not None and item is not None:
        carrying = replace(by.figure, items=(*by.figure.items, item))
        by = replace(by, figure=carrying, item=item)
    return names_in(book.usual, Situation(by, at, circumstances))


def worked_out(book: Book, key: str, *, spends: tuple[str, ...] = (), **so: Any) -> Odds:
    return odds(ready(book.usual, key, spends), facts(book, **so))


def chances(
    book: Book, key: str, *, spends: tuple[str, ...] = (), **so: Any
) -> dict[str, Fraction]:
    """Return the outcomes that can happen, with their chances."""
    found = worked_out(book, key, spends=spends, **so).outcomes
    assert sum(found.values()) == 1
    return {outcome: chance for outcome, chance in found.items() if chance}


def told(book: Book, key: str, faces: str, **so: Any) -> Played:
    """Play typed faces: "4 2,5" is a die that shows 4, then two that show 2 and 5."""
    thrown = [tuple(map(int, throw.split(","))) for throw in faces.split()]
    found = tell(ready(book.usual, key), facts(book, **so), thrown)
    assert len(found.throws) == len(thrown), "every typed face is used"
    return found


def on(target: int) -> Fraction:
    """Return the chance of ``target`` or more on a die."""
    return F(7 - target, 6)


def at_most(command: int) -> Fraction:
    """Return the chance of ``command`` or less on two dice."""
    return F(sum(one + other <= command for one, other in product(range(1, 7), repeat=2)), 36)


# Declared procedures


@pytest.mark.long
def test_trying_every_roll_finds_no_mistake(book: Book) -> None:
    assert list(try_rolls(book)) == []


# The rows of each procedure, by section of the rules (3: weapons, 4: the game, 5: between games).
PROCEDURES = {
    "3.1 range bands": "circumstances range, modifiers short_range, modifiers medium_range, "
    "modifiers long_range",
    "3.1 targets of a burst": "rolls burst",
    "3.1 own strength (Pers.)": "groups shooting",
    "3.1 slow reload, 2 AP": "modifiers slow_or_heavy, tags slow",
    "3.1 heavy weapon, 2 AP": "modifiers slow_or_heavy, tags heavy",
    "3.1 archaic with black powder": "procedures malfunction, tags blackpowder",
    "3.1 archaic without powder": "rolls shot, rolls hit, tags string, circumstances on_line",
    "3.1 modern": "procedures malfunction, tags modern",
    "3.1 artillery": "rolls explosion, rolls blast, tags artillery",
    "3.1 ammunition for one game": "rolls ammunition, circumstances without_rest, states empty",
    "3.1 first pistol free": "adjustments first_sidearm",
    "3.1 armour adds to resistance": "groups armour",
    "3.1 melee weapon adds to strength": "groups melee",
    "3.1 rope and grapnel, a fall": "rolls climb, actions climb, modifiers tumbler_falls",
    "3.1 sensor without line of sight": "circumstances out_of_sight, items detecteur",
    "3.2 shooting weapons": "rolls shot",
    "3.2 grenades never malfunction": "tags no_malfunction",
    "3.3 melee weapons": "rolls strike",
    "3.3 reach": "modifiers charge, circumstances from_aside, tags reach",
    "3.4 healing potion": "rolls drink_healing, actions drink_healing",
    "3.4 potion of strength": "rolls drink_strength, states strengthened, actions drink_strength",
    "3.4 potion of courage": "spends courage",
    "3.4 first-aid kit": "rolls first_aid, actions first_aid, ticks first_aid, "
    "circumstances kits_left",
    "3.4 telescopic sight": "modifiers scope",
    "3.4 thermal detector": "circumstances out_of_sight",
    "3.4 spare ammunition": "rolls ammunition, items munitions",
    "4.1 deployment zones, table": "references tables",
    "4.1 initiative": "rolls initiative, rolls initiative_of_many, circumstances underlings, "
    "circumstances enemy_underlings",
    "4.1 first wave": "rolls wave, alarms wave",
    "4.1 second wave": "rolls wave",
    "4.2 walk": "actions walk",
    "4.2 run": "actions run",
    "4.2 shoot": "actions shoot",
    "4.2 shoot a slow or heavy weapon": "actions shoot, modifiers slow_or_heavy",
    "4.2 charge": "actions charge, rolls charge, rolls contact, states charging, "
    "circumstances charge_declared, modifiers charge",
    "4.2 charge that misses contact": "circumstances missed_contact, circumstances points_left",
    "4.2 strike": "actions strike, actions strike_on",
    "4.2 flee": "actions flee, rolls flee, circumstances enemies_engaged, "
    "circumstances friends_close",
    "4.3 to hit": "procedures aim, procedures fire, procedures strike_home, rolls shot",
    "4.3 height": "circumstances height, modifiers shooter_above, modifiers shooter_below",
    "4.3 cover, a die for each obstacle": "procedures cover, circumstances obstacles_short, "
    "circumstances obstacles_medium, circumstances obstacles_long",
    "4.3 wound": "procedures wound, grids damage",
    "4.6 a die to wound": "procedures wound",
    "4.3 shooting into a close combat": "circumstances friends_engaged, rolls hit",
    "4.3 further targets": "modifiers further_target",
    "4.4 black powder explodes": "rolls explosion",
    "4.4 stray missile": "circumstances on_line, rolls hit",
    "4.4 modern weapon jams for good": "procedures malfunction",
    "4.4 one check an action (A-20)": "circumstances malfunction_settled, rolls burst",
    "4.5 melee": "rolls strike, rolls strikes, circumstances blows",
    "4.6 damage table": "grids damage",
    "4.6 out of action, dead": "campaign.marks out, campaign.marks killed",
    "4.7 passive actions are agreed on": "settings passive_actions, settings passive_charge, "
    "settings passive_charged, settings passive_sight, settings passive_fire",
    "4.7 command test": "procedures command_test",
    "4.7 allies within 3 paces": "circumstances friends_near, modifiers friends_near",
    "4.7 charge test": "rolls charge",
    "4.7 being charged": "rolls charged_test, states unready, circumstances free_paces",
    "4.7 seeing the enemy": "rolls sight_test",
    "4.7 under fire": "rolls fire_test",
    "4.8 when a band tests": "alarms rout, circumstances called_for",
    "4.8 rout test": "rolls rout, circumstances lent_command, states routing, actions leave",
    "4.8 victory points": "references victory_points, campaign.tallies chiefs_out",
    "2.3 command of goblins": "circumstances goblins_near, modifiers goblins_near",
    "5.2 an underling out of action: a D6": "tables underlings",
    "5.3 a chief or lieutenant out of action: D66": "tables serious_injuries, tables arm, "
    "tables eye",
    "5.3 old wound: a D6 before each game": "conditions old_wound",
    "5.3 deep wound, laid up: D3 games": "conditions deep_wound, conditions missing",
    "5.3 madness": "rolls madness, states raving",
    "5.3 hatred": "modifiers hatred, circumstances hated_enemy",
    "5.3 hardened": "procedures command_test, conditions hardened",
    "5.5 dubious potion: a D6": "tables potions",
    "5.5 first wound ignored": "states protection_spent, conditions protected",
    "5.6 judgement: a D6": "tables judgement",
    "5.6 a scenario to free the condemned": "scenarios rescue, states captive, states freed, "
    "actions open_cell, rolls open_cell",
    "5.8 fate decides who leaves: a D6": "campaign.promotions chief",
    "5.9 rope and grapnel of a tumbler": "rolls climb, modifiers tumbler_falls",
    "5.9 nerves of steel": "modifiers nerves_of_steel",
    "5.9 will to live": "rolls will_to_live, actions will_to_live",
    "5.9 weak points": "modifiers weak_points",
    "5.9 vital points": "spends vital_points, procedures re_rolls",
    "5.9 blade catcher": "spends blade_catcher",
}


def test_every_procedure_is_declared_in_the_rulebook(book: Book) -> None:
    for procedure, declared in PROCEDURES.items():
        for what in declared.split(", "):
            table, key = what.split()
            where = book.campaign if table.startswith("campaign.") else book
            rows = getattr(where, table.removeprefix("campaign."))
            assert key in [row.key for row in rows], (procedure, what)


def test_the_list_of_procedures_covers_every_row(book: Book) -> None:
    listed = {what for row in PROCEDURES.values() for what in row.split(", ")}
    dice = ("circumstances", "states", "actions", "rolls", "modifiers", "spends")
    tables = (*dice, "procedures", "grids")
    there = {f"{table} {row.key}" for table in tables for row in getattr(book, table)}
    assert sorted(there - listed) == []


OF_A_DIE = (
    "range height obstacles_short obstacles_medium obstacles_long out_of_sight friends_engaged "
)
ASKED = {
    "shot": OF_A_DIE + "on_line without_rest",
    "burst": OF_A_DIE + "malfunction_settled",
    "hit": "",
    "explosion": "",
    "blast": "",
    "ammunition": "",
    "strike": "from_aside",
    "strikes": "from_aside blows",
    "charge": "friends_near goblins_near hated_enemy",
    "contact": "missed_contact",
    "charged_test": "friends_near goblins_near free_paces hated_enemy",
    "sight_test": "friends_near goblins_near hated_enemy",
    "fire_test": "friends_near goblins_near hated_enemy",
    "rout": "goblins_near hated_enemy lent_command",
    "madness": "goblins_near hated_enemy",
    "initiative": "",
    "initiative_of_many": "",
    "wave": "",
    "flee": "enemies_engaged friends_close",
    "climb": "",
    "will_to_live": "",
    "drink_healing": "",
    "drink_strength": "",
    "first_aid": "",
    "open_cell": "",
}


def test_each_roll_asks_for_its_circumstances(book: Book) -> None:
    found = {
        roll.key: sorted(row.key for row in ready(book.usual, roll.key).asked if not row.known)
        for roll in book.rolls
    }
    assert found == {key: sorted(asked.split()) for key, asked in ASKED.items()}


def test_circumstances_known_from_the_table_are_not_asked(book: Book) -> None:
    known = {row.key for row in book.circumstances if row.known}
    assert known == {
        "charge_declared",
        "called_for",
        "points_left",
        "kits_left",
        "underlings",
        "enemy_underlings",
    }


PASSIVE = {
    "passive_charge": "charge",
    "passive_charged": "charged_test",
    "passive_sight": "sight_test",
    "passive_fire": "fire_test",
}


@pytest.mark.parametrize("setting", ["passive_actions", *PASSIVE])
def test_a_setting_switches_off_each_passive_action(book: Book, setting: str) -> None:
    """A charge is left, but without its test."""
    usual = book.default_settings()
    without = book.under({**usual, setting: "no"})
    tested = set()
    for key in PASSIVE.values():
        if key not in {row.key for row in without.rolls}:
            continue
        found = odds(ready(without, key), facts(book, by=UNDERLING, at=CHIEF)).outcomes
        if found["passed"] < 1:
            tested.add(key)
    off = set(PASSIVE) if setting == "passive_actions" else {setting}
    assert tested == {key for option, key in PASSIVE.items() if option not in off}
    assert "charge" in {row.key for row in without.rolls}


# To hit.


def aimed(book: Book, **so: Any) -> Value:
    """Return the score that a shot needs."""
    found = told(book, "shot", "6 1", **so)
    return found.names["target"]


@pytest.mark.parametrize(
    ("ct", "so", "target"),
    [
        (3, {"range": "short"}, 2),
        (2, {"range": "short"}, 2),
        (3, {"range": "medium"}, 3),
        (3, {"range": "long"}, 4),
        (5, {"range": "long"}, 6),
        (4, {"range": "medium", "height": "above"}, 3),
        (4, {"range": "medium", "height": "below"}, 5),
        (2, {"range": "short", "height": "above"}, 2),
        (2, {"range": "short", "height": "below"}, 2),
        (6, {"range": "long", "height": "above"}, 6),
    ],
)
def test_a_shot_needs_its_score(book: Book, ct: int, so: So, target: int) -> None:
    shooter = figure("chef", told={"ct": ct})
    assert aimed(book, by=shooter, item="revolver", **so) == target
    found = chances(book, "shot", by=shooter, item="revolver", **so)
    assert found["missed"] + found["jammed"] == 1 - on(target)


@pytest.mark.parametrize(
    ("ct", "so"),
    [
        (6, {"range": "long"}),
        (6, {"range": "medium", "height": "below"}),
        (5, {"range": "long", "height": "below"}),
    ],
)
def test_a_shot_that_needs_a_7_is_impossible(book: Book, ct: int, so: So) -> None:
    """Modifiers are added up before the sum is limited (A-16); no dice are thrown."""
    shooter = figure(told={"ct": ct})
    assert chances(book, "shot", by=shooter, item="revolver", **so) == {"impossible": 1}
    assert told(book, "shot", "", by=shooter, item="revolver", **so).outcome == "impossible"


@pytest.mark.parametrize(
    ("shooter", "target"),
    [
        (figure("chef"), 3),
        (figure("chef", conditions=("one_eye",)), 4),
        (figure("chef", origin="homme_serpent"), 4),
        (figure("chef", origin="homme_serpent", conditions=("one_eye",)), 5),
        (figure("chef", origin="humain"), 2),
        (figure("sous_fifre", origin="homme_serpent"), 6),
    ],
)
def test_eye_injuries_and_peoples_change_the_score_at_medium_range(
    book: Book, shooter: Figure, target: int
) -> None:
    assert aimed(book, by=shooter, item="revolver", range="medium") == target


def test_a_hand_injury_worsens_close_combat(book: Book) -> None:
    unhurt = figure("chef", told={"ccc": 3})
    hurt = figure("chef", origin="ork", conditions=("hand",))
    assert chances(book, "strike", by=unhurt, item="mains_nues")["missed"] == F(1, 3)
    assert chances(book, "strike", by=hurt, item="mains_nues")["missed"] == F(1, 2)


def test_telescopic_sight_helps_the_firearm_that_it_is_fitted_to_at_long_range(book: Book) -> None:
    sight = book.item["lunette"]
    guns = [book.item[key] for key in ("fusil_precision", "mousquet")]
    scoped = [assemble(book, gun, [sight]) for gun in guns]
    armed = book.changed(items=(*book.items, *scoped))
    needs = [aimed(armed, item=gun.key, range="long") for gun in (*scoped, *guns)]
    assert needs == [3, 3, 4, 4]
    assert aimed(armed, item=scoped[0].key, range="medium") == 3
    assert not any(fits(sight, book.item[key]) for key in ("revolver", "arc_long", "epee"))


# The wound.


@pytest.mark.parametrize("force", range(1, 11))
def test_a_hit_wounds_by_the_printed_damage_table(book: Book, force: int) -> None:
    """A fist of this strength; the printed table, cell by cell."""
    attacker = figure("chef", told={"f": force, "ccc": 2})
    for resistance in range(1, 11):
        needed = int(DAMAGE[resistance - 1][force - 1])
        assert book.grid["damage"].cells[resistance - 1][force - 1] == needed
        target = figure("chef", told={"r": resistance})
        found = chances(book, "strike", by=attacker, at=target, item="mains_nues")
        assert found["wounded"] == F(5, 6) * on(needed), f"resistance {resistance}"


@pytest.mark.parametrize(
    ("resistance", "force", "needed"),
    [
        (1, 1, 4),
        (1, 5, 2),
        (4, 3, 4),
        (5, 1, 6),
        (7, 10, 3),
        (10, 6, 6),
        (10, 10, 4),
        (2, 6, 2),
        (10, 13, 4),
    ],
)
def test_a_hit_wounds_by_the_examples_of_the_rules(
    book: Book, resistance: int, force: int, needed: int
) -> None:
    """A strength beyond the table counts as 10: a chainsaw adds 4."""
    attacker = figure("chef", told={"f": max(1, force - 4) if force > 10 else force})
    item = "tronconneuse" if force > 10 else "mains_nues"
    found = told(book, "strike", "6 1", by=attacker, at=figure(told={"r": resistance}), item=item)
    assert (found.names["needed"], found.outcome) == (needed, "unhurt")


@pytest.mark.parametrize(
    ("item", "force"),
    [("couteau_jet", 5), ("revolver", 4), ("canon", 8), ("lance_roquettes", 9)],
)
def test_a_shot_has_the_strength_of_its_weapon(book: Book, item: str, force: int) -> None:
    """A throwing knife has the strength of its thrower."""
    assert told(book, "hit", "1", item=item).names["force"] == force


CHARGING = ("charging",)


@pytest.mark.parametrize(
    ("item", "states", "force"),
    [
        ("mains_nues", (), 5),
        ("couteau", (), 6),
        ("epee", (), 7),
        ("epee", CHARGING, 8),
        ("hallebarde", (), 8),
        ("tronconneuse", CHARGING, 10),
    ],
)
def test_a_strike_has_the_strength_of_weapon_and_charge(
    book: Book, item: str, states: tuple[str, ...], force: int
) -> None:
    found = told(book, "strike", "6 1", by=Side(CHIEF, states=states), item=item)
    assert found.names["force"] == force


def test_a_spear_cancels_a_frontal_charge(book: Book) -> None:
    """A charge at a spear gives a bonus only from the side or from behind."""
    spear = figure(items=("lance",))
    so: So = {"by": Side(CHIEF, states=CHARGING), "at": spear, "item": "epee"}
    assert told(book, "strike", "6 1", **so).names["force"] == 7
    assert told(book, "strike", "6 1", from_aside=1, **so).names["force"] == 8


def test_armour_adds_to_resistance(book: Book) -> None:
    plain = told(book, "hit", "1", item="revolver").names
    armoured = told(
        book, "hit", "1", item="revolver", at=figure(items=("plates", "bouclier"))
    ).names
    assert (plain["resistance"], armoured["resistance"]) == (2, 6)
    assert (plain["needed"], armoured["needed"]) == (3, 5)


@pytest.mark.parametrize(
    ("life", "outcome"), [(2, "wounded"), (1, "out"), (0, "killed"), (-1, "killed")]
)
def test_a_target_is_out_at_0_and_dead_below(book: Book, life: int, outcome: str) -> None:
    """A figure at 0 can be hit again (A-5)."""
    target = Side(UNDERLING, life=life)
    wound = F(1, 2) * on(2)
    found = chances(book, "strike", at=target, item="epee")
    assert found == {"missed": F(1, 2), "unhurt": F(1, 12), outcome: wound}


def test_outcomes_of_a_strike_have_their_effects(book: Book) -> None:
    effects = {row.key: row.effects for row in book.roll["strike"].outcomes}
    brought = {
        key: [(effect.kind, getattr(effect, "mark", None)) for effect in found]
        for key, found in effects.items()
        if found
    }
    assert brought == {
        "ignored": [("begins", None)],
        "killed": [("changes", None), ("out", "killed")],
        "out": [("changes", None), ("out", "out")],
        "wounded": [("changes", None)],
    }
    shot = {row.key: [effect.kind for effect in row.effects] for row in book.roll["shot"].outcomes}
    assert shot["jammed"] == ["loses_weapon"]
    assert shot["exploded"] == ["loses_weapon", "then", "then"]
    assert shot["stray"] == shot["friend"] == ["then", "then"]
    assert shot["missed"] == shot["covered"] == shot["unhurt"] == ["then"]
    lost = [
        effect
        for row in book.roll["shot"].outcomes
        for effect in row.effects
        if effect.kind == "loses_weapon"
    ]
    assert [effect.lasting for effect in lost] == [True, True]


def test_a_potion_of_protection_ignores_the_first_wound(book: Book) -> None:
    protected = figure(conditions=("protected",))
    so: So = {"item": "epee"}
    assert chances(book, "strike", at=protected, **so)["ignored"] == F(5, 12)
    spent = Side(protected, states=("protection_spent",))
    assert chances(book, "strike", at=spent, **so)["wounded"] == F(5, 12)
    several = chances(book, "strikes", at=Side(protected, life=1), blows=2, **so)
    assert several == {
        "unhurt": F(49, 144),
        "ignored": 2 * F(5, 12) * F(7, 12),
        "out": F(25, 144),
    }


# Cover, close combats, sight.


@pytest.mark.parametrize(
    ("obstacles", "through"),
    [
        ({}, F(1)),
        ({"obstacles_short": 1}, F(2, 3)),
        ({"obstacles_medium": 1}, F(1, 2)),
        ({"obstacles_long": 1}, F(1, 3)),
        ({"obstacles_short": 2, "obstacles_medium": 1}, F(2, 9)),
        ({"obstacles_short": 1, "obstacles_medium": 1, "obstacles_long": 2}, F(1, 27)),
    ],
)
def test_each_obstacle_takes_a_die_to_pass(book: Book, obstacles: So, through: Fraction) -> None:
    found = chances(book, "shot", item="revolver", range="long", **obstacles)
    assert found.get("covered", 0) == F(1, 2) * (1 - through)
    assert found["wounded"] == F(1, 2) * through * on(3)


def test_only_a_detector_finds_a_target_out_of_sight(book: Book) -> None:
    """A detector finds the target, behind one obstacle at least."""
    so: So = {"item": "revolver", "range": "medium", "out_of_sight": 1}
    assert chances(book, "shot", **so) == {"unseen": 1}
    seeing = figure("chef", items=("detecteur",))
    assert chances(book, "shot", by=seeing, **so)["covered"] == F(2, 3) * F(1, 2)
    behind = chances(book, "shot", by=seeing, obstacles_short=1, **so)
    assert behind["covered"] == F(2, 3) * F(1, 3)


@pytest.mark.parametrize(
    ("range_", "spared"), [("short", F(2, 3)), ("medium", F(1, 2)), ("long", F(1, 3))]
)
@pytest.mark.parametrize("friends", [1, 2, 3])
def test_a_shot_into_close_combat_can_hit_a_friend(
    book: Book, range_: str, spared: Fraction, friends: int
) -> None:
    """Each friend may be hit instead, one after the other."""
    so: So = {"item": "revolver", "range": range_, "friends_engaged": friends}
    found = worked_out(book, "shot", **so)
    hits = on({"short": 2, "medium": 3, "long": 4}[range_])
    assert found.outcomes["friend"] == hits * (1 - spared**friends)
    struck = found.numbers["friend_struck"]
    assert {friend: chance for friend, chance in struck.items() if friend} == {
        friend: hits * spared ** (friend - 1) * (1 - spared) for friend in range(1, friends + 1)
    }


# A natural 1.


def _of_class(book: Book, item: str) -> str:
    tags = book.item[item].tags
    if "no_malfunction" in tags or {"modern", "artillery"} <= tags:
        return "none"
    return next(tag for tag in ("blackpowder", "string", "modern") if tag in tags)


def test_a_1_has_the_effect_of_the_class_of_each_weapon(book: Book) -> None:
    """The chances do not depend on the score to hit."""
    weapons = [row.key for row in book.items if row.group == "shooting"]
    assert len(weapons) == 26
    for item in weapons:
        found = chances(book, "shot", item=item, range="medium", on_line=2)
        trouble = {key: found[key] for key in ("exploded", "jammed", "stray") if key in found}
        assert (
            trouble
            == {
                "blackpowder": {"exploded": F(1, 36)},
                "modern": {"jammed": F(1, 36)},
                "string": {"stray": F(1, 6) * F(11, 36)},
                "none": {},
            }[_of_class(book, item)]
        ), item
        assert sum(trouble.values(), found["missed"]) == F(1, 3)


def test_a_stray_arrow_hits_the_figures_on_its_line_in_order(book: Book) -> None:
    found = worked_out(book, "shot", item="arc_long", range="medium", on_line=3)
    assert {who: chance for who, chance in found.numbers["struck"].items() if who} == {
        1: F(1, 36),
        2: F(5, 216),
        3: F(25, 1296),
    }
    assert chances(book, "shot", item="arc_long", range="medium")["missed"] == F(1, 3)


def test_a_malfunction_is_resolved_once_per_burst(book: Book) -> None:
    so: So = {"item": "pistolet_mitrailleur", "range": "medium"}
    for key in ("shot", "burst"):
        assert chances(book, key, **so)["jammed"] == F(1, 36)
    settled = chances(book, "burst", malfunction_settled=1, **so)
    assert "jammed" not in settled
    assert settled["missed"] == F(1, 3)


@pytest.mark.parametrize(
    ("item", "bearer", "wounded"),
    [("mousquet", CHIEF, on(4)), ("canon", LIEUTENANT, on(2))],
)
def test_an_explosion_hits_its_bearer(
    book: Book, item: str, bearer: Figure, wounded: Fraction
) -> None:
    """A musket's strength 5 against resistance 4, a cannon's 8 against 3."""
    found = chances(book, "explosion", by=bearer, item=item)
    assert found == {"wounded": wounded, "unhurt": 1 - wounded}


@pytest.mark.parametrize(("near", "wounded"), [(CHIEF, on(2)), (UNDERLING, on(2))])
def test_an_exploding_gun_hits_everybody_near(book: Book, near: Figure, wounded: Fraction) -> None:
    """A cannon's strength 8, friend or enemy; a musket hits nobody else."""
    found = chances(book, "blast", by=LIEUTENANT, at=near, item="canon")
    assert found == {"wounded": wounded, "unhurt": 1 - wounded}
    assert usable(book, book.roll["blast"], item="canon")
    assert not usable(book, book.roll["blast"], item="mousquet")


@pytest.mark.parametrize("item", ["grenades", "lance_roquettes"])
def test_a_weapon_runs_out_of_ammunition_on_1_or_2(book: Book, item: str) -> None:
    found = worked_out(book, "ammunition", item=item)
    assert found.outcomes == {"empty": F(1, 3), "left": F(2, 3)}


@pytest.mark.parametrize(
    ("without_rest", "items", "due"), [(0, (), 0), (1, (), 1), (1, ("munitions",), 0)]
)
@pytest.mark.parametrize("item", ["grenades", "lance_roquettes"])
def test_ammunition_is_checked_after_each_throw_without_a_rest(
    book: Book, item: str, without_rest: int, items: tuple[str, ...], due: int
) -> None:
    [given] = [
        effect.given
        for effect in book.roll["shot"].effects
        if effect.kind == "then" and effect.roll == "ammunition"
    ]
    known = facts(book, by=figure("chef", items=items), item=item, without_rest=without_rest)
    assert given is not None
    assert parse(given).holds(known) == due


def usable(book: Book, roll: Roll, **so: Any) -> bool:
    assert roll.usable is not None
    return parse(roll.usable).holds(facts(book, **so))


def test_only_weapons_that_run_out_check_ammunition(book: Book) -> None:
    checked = [
        row.key
        for row in book.items
        if row.group == "shooting" and usable(book, book.roll["ammunition"], item=row.key)
    ]
    assert checked == ["lance_roquettes", "grenades"]


# Bursts.


@pytest.mark.parametrize(
    "item", ["pistolet_mitrailleur", "mitrailleuse", "fusil_assaut", "grenades"]
)
def test_further_targets_of_a_burst_have_more_resistance(book: Book, item: str) -> None:
    """A die for each target, resistance +1 against the wound from the second on (A-17)."""
    so: So = {"at": CHIEF, "item": item, "range": "medium"}
    force = int(str(book.item[item].columns["force"]))
    first, further = int(DAMAGE[3][force - 1]), int(DAMAGE[4][force - 1])
    assert chances(book, "shot", **so)["wounded"] == F(2, 3) * on(first)
    assert chances(book, "burst", **so)["wounded"] == F(2, 3) * on(further)


def test_a_pistol_has_one_target(book: Book) -> None:
    """Three enemies side by side: it hits the first, a submachine gun all of them."""
    [given] = [
        effect.given
        for effect in book.roll["shot"].effects
        if effect.kind == "then" and effect.roll == "burst"
    ]
    assert given is not None
    for item, further in (("revolver", False), ("pistolet_mitrailleur", True)):
        assert usable(book, book.roll["burst"], item=item) == further
        assert parse(given).holds(facts(book, item=item)) == further


# Close combat.


def test_close_combat_traits_add_dice_and_re_rolls(book: Book) -> None:
    """One more die to hit; a re-roll of a die to wound, the attacker's or the enemy's."""
    keen = figure("chef", traits=("points_faibles", "points_vitaux"))
    quick = figure("sous_chef", traits=("attrape_lame",))
    so: So = {"item": "epee"}
    hit, wound = F(1, 2), on(int(DAMAGE[2][6]))
    assert chances(book, "strike", at=LIEUTENANT, **so)["wounded"] == hit * wound
    better = F(3, 4)
    assert chances(book, "strike", by=keen, at=LIEUTENANT, **so)["wounded"] == better * wound
    found = chances(book, "strike", spends=("vital_points",), by=keen, at=LIEUTENANT, **so)
    assert found["wounded"] == better * (1 - (1 - wound) ** 2)
    found = chances(book, "strike", spends=("blade_catcher",), at=quick, **so)
    assert found["wounded"] == hit * wound**2
    both = ("vital_points", "blade_catcher")
    found = chances(book, "strike", spends=both, by=keen, at=quick, **so)
    assert found["wounded"] == better * wound
    # A figure with neither trait cannot spend them.
    found = chances(book, "strike", spends=both, at=LIEUTENANT, **so)
    assert found["wounded"] == hit * wound


def test_a_re_roll_is_used_once_a_turn(book: Book) -> None:
    """In two strikes, only the first failed die to wound is thrown again."""
    keen = figure("chef", traits=("points_vitaux",))
    so: So = {"by": keen, "at": LIEUTENANT, "item": "mains_nues", "blows": 2}
    found = worked_out(book, "strikes", spends=("vital_points",), **so).numbers["lost"]
    expected: Counter[int] = Counter()
    for first, second, w1, w2, again in product(range(1, 7), repeat=5):
        lost, left = 0, 1
        for hit, wound in ((first, w1), (second, w2)):
            if hit < 4:
                continue
            if wound < 3 and left:
                left, wound = 0, again
            lost += wound >= 3
        expected[lost] += 1
    assert found == {lost: F(ways, 6**5) for lost, ways in sorted(expected.items())}


def test_the_enemy_s_re_roll_takes_the_first_wound(book: Book) -> None:
    quick = figure("chef", traits=("attrape_lame",))
    so: So = {"by": CHIEF, "at": quick, "item": "mains_nues", "blows": 3}
    found = worked_out(book, "strikes", spends=("blade_catcher",), **so).numbers["lost"]
    wound = F(1, 2) * on(4)
    spread: dict[tuple[int, int], Fraction] = {(0, 1): F(1)}
    for _blow in range(3):
        following: defaultdict[tuple[int, int], Fraction] = defaultdict(Fraction)
        for (lost, left), chance in spread.items():
            does = wound * on(4) if left else wound
            following[(lost, left)] += chance * (1 - wound)
            following[(lost + 1, 0)] += chance * does
            if left:
                following[(lost, 0)] += chance * (wound - does)
        spread = dict(following)
    totals: defaultdict[int, Fraction] = defaultdict(Fraction)
    for (lost, _left), chance in spread.items():
        totals[lost] += chance
    assert found == dict(sorted(totals.items()))


def test_states_change_strength_and_resistance(book: Book) -> None:
    strong = Side(CHIEF, states=("strengthened",))
    unready = Side(LIEUTENANT, states=("unready",))
    weakest = Side(figure(told={"r": 1}), states=("unready",))
    names = told(book, "strike", "6 1", by=strong, at=unready, item="epee").names
    assert (names["force"], names["resistance"]) == (8, 2)
    names = told(book, "strike", "6 1", at=weakest, item="epee").names
    assert names["resistance"] == 1


# Sequences.


@pytest.mark.parametrize("blows", [1, 2, 3])
@pytest.mark.parametrize("life", [2, 1, 0])
def test_several_strikes_add_up_their_wounds(book: Book, blows: int, life: int) -> None:
    """A chief's three action points on one underling."""
    wound = F(1, 2) * on(2)
    found = chances(book, "strikes", at=Side(UNDERLING, life=life), item="epee", blows=blows)
    spread = {0: F(1)}
    for _blow in range(blows):
        spread = {
            lost: spread.get(lost, F(0)) * (1 - wound) + spread.get(lost - 1, F(0)) * wound
            for lost in range(blows + 1)
        }
    expected: defaultdict[str, Fraction] = defaultdict(Fraction)
    for lost, chance in spread.items():
        how = "unhurt" if not lost else "wounded" if lost < life else "killed"
        expected["out" if lost and lost == life else how] += chance
    assert found == {key: chance for key, chance in expected.items() if chance}


def test_a_second_weapon_hits_the_remaining_life(book: Book) -> None:
    """A chief throws a knife, then fires at the target's remaining life."""
    first = chances(book, "shot", item="couteau_jet", range="short")["wounded"]
    second = chances(book, "shot", at=Side(UNDERLING, life=1), item="revolver", range="short")
    assert first == on(2) * on(int(DAMAGE[1][4]))
    assert second["out"] == on(2) * on(int(DAMAGE[1][3]))
    both = told(book, "shot", "4 3", item="couteau_jet", range="short")
    then = told(book, "shot", "2 3", at=Side(UNDERLING, life=1), item="revolver", range="short")
    assert (both.outcome, then.outcome) == ("wounded", "out")


def changed(book: Book, roll: dict[str, object]) -> Roll:
    return Roll.model_validate(
        {"name": {"en": "-", "fr": "-"}, "source": "house", "by": "member", "at": "member", **roll}
    )


def test_a_loop_of_shots_ends_when_the_weapon_jams(book: Book) -> None:
    """Three shots of a chief; a jammed weapon stops shooting."""
    roll = changed(
        book,
        {
            "key": "three",
            "using": "item",
            "steps": [
                {"let": "lost", "be": 0},
                {"let": "jammed", "be": 0},
                {"use": "re_rolls"},
                {"again": "time", "times": 3, "steps": [
                    {"count": "hits", "dice": "0 if jammed else 1", "target": "by.ct"},
                    {"use": "wound", "values": {
                        "hit": "hits", "force": "item.force", "resistance": "at.r"}},
                    {"let": "lost", "be": "lost + wounds"},
                    {"count": "jams", "dice": "hits.ones", "target": 6},
                    {"let": "jammed", "be": "max(jammed, jams)"},
                ]},
            ],
            "numbers": [{"of": "lost", "name": {"en": "-", "fr": "-"}}],
        },
    )  # fmt: skip
    found = odds(make_ready(book.usual, roll), facts(book, item="revolver")).numbers["lost"]
    wound, jam = F(2, 3) * on(3), F(1, 36)
    spread = {(0, 0): F(1)}
    for _shot in range(3):
        following: defaultdict[tuple[int, int], Fraction] = defaultdict(Fraction)
        for (lost, jammed), chance in spread.items():
            if jammed:
                following[(lost, 1)] += chance
                continue
            following[(lost + 1, 0)] += chance * wound
            following[(lost, 1)] += chance * jam
            following[(lost, 0)] += chance * (1 - wound - jam)
        spread = dict(following)
    totals: defaultdict[int, Fraction] = defaultdict(Fraction)
    for (lost, _jammed), chance in spread.items():
        totals[lost] += chance
    assert found == dict(sorted(totals.items()))


def test_a_duel_ends_when_a_fighter_is_out(book: Book) -> None:
    """A chief with a sword against an underling with a knife, blow for blow, the chief first."""
    roll = changed(
        book,
        {
            "key": "duel",
            "using": "item",
            "steps": [
                {"use": "re_rolls"},
                {"let": "taken", "be": 0},
                {"let": "given_", "be": 0},
                {"again": "round", "until": "given_ >= at.life or taken >= by.life", "steps": [
                    {"count": "hits", "dice": 1, "target": "by.ccc"},
                    {"use": "wound", "values": {
                        "hit": "hits", "force": "by.f + item.force", "resistance": "at.r"}},
                    {"let": "given_", "be": "given_ + wounds"},
                    {"let": "up", "be": "1 if given_ < at.life else 0"},
                    {"count": "struck", "dice": "up", "target": "at.ccc"},
                    {"use": "wound", "values": {
                        "hit": "struck", "force": "at.f + at_item.force", "resistance": "by.r"}},
                    {"let": "taken", "be": "taken + wounds"},
                ]},
            ],
            "outcomes": [
                {"key": "won", "name": {"en": "-", "fr": "-"}, "given": "given_ >= at.life"},
                {"key": "lost", "name": {"en": "-", "fr": "-"}},
            ],
        },
    )  # fmt: skip
    knife = Side(figure(items=("couteau",)), "couteau")
    found = odds(make_ready(book.usual, roll), facts(book, at=knife, item="epee"))
    mine, theirs = F(1, 2) * on(2), F(1, 6) * on(int(DAMAGE[3][3]))

    def won(left: int, enemy: int) -> Fraction:
        """Return the chance to win, by the next blow that wounds."""
        if enemy == 0:
            return F(1)
        if left == 0:
            return F(0)
        nothing = (1 - mine) * (1 - theirs)
        after = mine * (
            won(left, enemy - 1)
            if enemy == 1
            else theirs * won(left - 1, enemy - 1) + (1 - theirs) * won(left, enemy - 1)
        )
        return (after + (1 - mine) * theirs * won(left - 1, enemy)) / (1 - nothing)

    assert found.outcomes == {"won": won(4, 2), "lost": 1 - won(4, 2)}


# Command.


@pytest.mark.parametrize("command", range(4, 12))
def test_command_tests_pass_at_the_command_value(book: Book, command: int) -> None:
    tester = figure(told={"cd": command})
    for key in ("charge", "sight_test", "fire_test", "rout"):
        assert chances(book, key, by=tester, at=CHIEF)["passed"] == at_most(command)


def test_friends_raise_command_beyond_11(book: Book) -> None:
    """+1 for each friend, without a cap; at 12 or more the test passes without dice (A-21)."""
    so: So = {"by": UNDERLING, "at": CHIEF}
    for friends in range(6):
        found = chances(book, "charge", friends_near=friends, **so)
        assert found["passed"] == at_most(6 + friends)
    assert chances(book, "charge", friends_near=5, **so)["passed"] == F(35, 36)
    assert chances(book, "charge", friends_near=6, **so) == {"passed": 1}
    assert told(book, "charge", "", friends_near=6, **so).outcome == "passed"
    # Friends nearby do not help against a rout.
    assert chances(book, "rout", by=UNDERLING, friends_near=6)["passed"] == at_most(6)


@pytest.mark.parametrize(
    ("rank", "goblins", "friends", "command"),
    [
        ("sous_fifre", 0, 0, 5),
        ("sous_fifre", 3, 0, 8),
        ("sous_fifre", 9, 0, 11),
        ("chef", 1, 0, 10),
        ("chef", 5, 0, 11),
        ("sous_fifre", 2, 3, 10),
        ("chef", 5, 1, 12),
        ("sous_fifre", 9, 9, 20),
    ],
)
def test_goblins_near_raise_the_command_of_a_goblin(
    book: Book, rank: str, goblins: int, friends: int, command: int
) -> None:
    """Goblins raise command up to 11, then friends raise it further (A-22)."""
    goblin = figure(rank, origin="gobelin_snotling")
    so: So = {"by": goblin, "at": CHIEF, "goblins_near": goblins, "friends_near": friends}
    found = chances(book, "fire_test", **so)
    assert found["passed"] == (1 if command >= 12 else at_most(command))
    ork = figure("chef", origin="ork")
    assert chances(book, "rout", by=ork, goblins_near=9)["passed"] == at_most(10)


def lowest_two(command: int) -> Fraction:
    """Return the chance of ``command`` or less on the two lowest of three dice."""
    throws = product(range(1, 7), repeat=3)
    return F(sum(sum(sorted(throw)[:2]) <= command for throw in throws), 216)


@pytest.mark.parametrize("key", ["charge", "sight_test", "fire_test", "rout"])
def test_nerves_of_steel_keep_the_best_two_of_three_dice(book: Book, key: str) -> None:
    """Three dice, of which the player keeps two."""
    steady = figure(told={"cd": 6}, traits=("nerfs_d_acier",))
    assert chances(book, key, by=steady, at=CHIEF)["passed"] == lowest_two(6)
    found = told(book, key, "6,2,4", by=steady, at=CHIEF)
    assert (found.outcome, found.names["score"]) == ("passed", 6)


def test_hardened_members_are_exempt_and_hatred_passes_most_tests(book: Book) -> None:
    """Hardened members take no tests; hatred passes all but rout, which it may retry (A-15)."""
    hardened = figure(conditions=("hardened", "madness"))
    hating = figure(conditions=("hatred", "madness"))
    for key in ("charge", "charged_test", "sight_test", "fire_test", "rout", "madness"):
        assert chances(book, key, by=hardened, at=CHIEF) == {"exempt": 1}
    for key in ("charge", "charged_test", "sight_test", "fire_test", "madness"):
        assert chances(book, key, by=hating, at=CHIEF, hated_enemy=1) == {"passed": 1}
        assert chances(book, key, by=hating, at=CHIEF)["passed"] == at_most(6)
    twice = chances(book, "rout", by=hating, hated_enemy=1)
    assert twice["failed"] == (1 - at_most(6)) ** 2
    assert told(book, "rout", "6,6 1,4", by=hating, hated_enemy=1).outcome == "passed"
    assert told(book, "rout", "6,6 5,4", by=hating, hated_enemy=1).outcome == "failed"
    assert chances(book, "rout", by=hating)["failed"] == 1 - at_most(6)


def test_a_potion_of_courage_passes_the_test(book: Book) -> None:
    bold = figure(items=("potion_courage",))
    for key in ("charge", "rout"):
        found = chances(book, key, spends=("courage",), by=bold, at=CHIEF)
        assert found == {"passed": 1}
        found = chances(book, key, spends=("courage",), by=UNDERLING, at=CHIEF)
        assert found["passed"] == at_most(6)


def is_tested(book: Book, key: str, by: Figure, at: Figure) -> bool:
    """Whether a figure makes a roll at another one with dice that it may fail."""
    roll = book.roll[key]
    if "at.rank" in parse(roll.usable or 1).names and not usable(book, roll, by=by, at=at):
        return False
    return chances(book, key, by=by, at=at).get("passed", 0) < 1


@pytest.mark.parametrize("key", ["charge", "charged_test", "sight_test"])
def test_charge_tests_are_taken_against_a_higher_rank_only(book: Book, key: str) -> None:
    """A lieutenant or underling who charges a chief tests, a chief who charges does not."""
    tests = {
        (by.rank, at.rank)
        for by, at in product((CHIEF, LIEUTENANT, UNDERLING), repeat=2)
        if is_tested(book, key, by, at)
    }
    assert tests == {
        ("sous_chef", "chef"),
        ("sous_fifre", "chef"),
        ("sous_fifre", "sous_chef"),
    }


@pytest.mark.parametrize(("room", "back"), [(0, 0), (1, 1), (2, 2), (3, 3)])
def test_a_charged_figure_gives_way_or_loses_resistance(book: Book, room: int, back: int) -> None:
    """After a failure, a 5 or 6 gives way if there is room; otherwise resistance -1 (A-13)."""
    failed = 1 - at_most(6)
    found = worked_out(book, "charged_test", by=UNDERLING, at=CHIEF, free_paces=room)
    away = failed * F(1, 3) * F(back, 3)
    assert {key: chance for key, chance in found.outcomes.items() if chance} == {
        key: chance
        for key, chance in {
            "passed": at_most(6),
            "falls_back": away,
            "unready": failed - away,
        }.items()
        if chance
    }
    assert found.numbers["back"][1] == failed * F(1, 9)


def test_only_unarmed_or_outgunned_figures_test_under_fire(book: Book) -> None:
    """Two dice: with one, as printed, a failure would be very rare (A-3)."""
    roll = book.roll["fire_test"]
    stronger, weaker = Side(CHIEF, "fusil_un_coup"), Side(CHIEF, "arc_court")
    armed = figure(items=("revolver",))
    assert usable(book, roll, by=UNDERLING, at=weaker)
    assert usable(book, roll, by=armed, at=stronger)
    assert not usable(book, roll, by=armed, at=weaker)
    assert not usable(book, roll, by=Side(UNDERLING, life=0), at=stronger)
    found = worked_out(book, "fire_test", by=UNDERLING, at=stronger)
    assert found.numbers["paces"] == {
        0: at_most(6),
        **{paces: (1 - at_most(6)) / 3 for paces in (1, 2, 3)},
    }


def test_seeing_the_enemy_gives_a_free_shot(book: Book) -> None:
    passed = next(row for row in book.roll["sight_test"].outcomes if row.key == "passed")
    assert [(effect.kind, effect.roll) for effect in passed.effects] == [("then", "shot")]  # type: ignore[union-attr]


@pytest.mark.parametrize(("lent", "command"), [(0, 6), (5, 6), (8, 8), (11, 11)])
def test_a_rout_test_can_use_a_friends_command(book: Book, lent: int, command: int) -> None:
    found = chances(book, "rout", by=UNDERLING, lent_command=lent)
    assert found["passed"] == at_most(command)


def test_rout_begins_and_ends(book: Book) -> None:
    brought = {
        row.key: [(effect.kind, effect.state) for effect in row.effects]  # type: ignore[union-attr]
        for row in book.roll["rout"].outcomes
    }
    assert brought == {
        "exempt": [],
        "failed": [("begins", "routing")],
        "passed": [("ends", "routing")],
    }
    up, gone = (Side(UNDERLING, states=states) for states in ((), ("routing",)))
    for key in ("shoot", "charge"):
        may = parse(book.action[key].usable or 1)
        assert may.holds(facts(book, by=up))
        assert not may.holds(facts(book, by=gone))


def test_only_mad_figures_test_their_madness(book: Book) -> None:
    mad = figure("sous_chef", conditions=("madness",))
    assert usable(book, book.roll["madness"], by=mad)
    assert not usable(book, book.roll["madness"], by=LIEUTENANT)
    found = chances(book, "madness", by=mad, friends_near=3)
    assert found == {"passed": at_most(8), "failed": 1 - at_most(8)}
    assert book.state["raving"].stops


# The turn, and what actions cost.


@pytest.mark.parametrize(("mine", "theirs"), [(3, 3), (3, 1), (0, 6), (2, 5), (9, 1)])
def test_initiative_adds_a_die_and_the_underlings(book: Book, mine: int, theirs: int) -> None:
    """A tie goes to the band with fewer underlings; if these are equal, both throw again."""
    first = second = 0
    for one, other in product(range(1, 7), repeat=2):
        score = (one + mine, -mine), (other + theirs, -theirs)
        first, second = first + (score[0] > score[1]), second + (score[0] < score[1])
    found = chances(book, "initiative", by=None, at=None, underlings=mine, enemy_underlings=theirs)
    assert found.get("first", 0) == F(first, first + second)
    many = worked_out(book, "initiative_of_many", by=None, at=None, underlings=mine)
    assert many.numbers["score"] == {mine + die: F(1, 6) for die in range(1, 7)}


def test_a_tie_for_initiative_goes_to_fewer_underlings_then_a_re_roll(book: Book) -> None:
    so: So = {"by": None, "at": None}
    fewer = told(book, "initiative", "4 2", underlings=1, enemy_underlings=3, **so)
    assert fewer.outcome == "first"
    again = told(book, "initiative", "4 4 5 2", underlings=3, enemy_underlings=3, **so)
    assert again.outcome == "first"


def test_a_wave_activates_at_most_the_standing_figures(book: Book) -> None:
    so: So = {"by": None, "at": None, "gang.standing": 4}
    found = worked_out(book, "wave", **so)
    assert found.numbers["activated"] == {1: F(1, 6), 2: F(1, 6), 3: F(1, 6), 4: F(1, 2)}
    assert found.numbers["waiting"] == {0: F(1, 2), 1: F(1, 6), 2: F(1, 6), 3: F(1, 6)}


def cost(book: Book, key: str, **so: Any) -> int:
    """Return the cost of an action with its modifiers."""
    known = facts(book, **so)
    found = parse(book.action[key].cost).number(known)
    for row in book.modifiers:
        if row.on == "cost" and key in row.actions and parse(row.given or 1).holds(known):
            found += parse(row.amount).number(known)
    return found


@pytest.mark.parametrize(
    ("enemies", "friends", "points"), [(3, 1, 2), (3, 3, 1), (1, 0, 1), (4, 0, 4), (1, 5, 1)]
)
def test_fleeing_costs_a_point_for_each_enemy_less_friends(
    book: Book, enemies: int, friends: int, points: int
) -> None:
    """Nobody flees without the points for it."""
    so: So = {"enemies_engaged": enemies, "friends_close": friends}
    enough = worked_out(book, "flee", points_left=4, **so)
    assert (enough.outcomes["away"], enough.numbers["price"]) == (F(1), {points: F(1)})
    few = chances(book, "flee", points_left=2, **so)
    assert few == {"away" if points <= 2 else "held": 1}


def test_several_strikes_take_the_points_that_are_left(book: Book) -> None:
    for blows, left, points in ((2, 3, 2), (3, 3, 3), (3, 2, 2)):
        so: So = {"at": CHIEF, "blows": blows, "points_left": left, "item": "epee"}
        assert cost(book, "strike_on", **so) == points
        assert worked_out(book, "strikes", **so).numbers["lost"].keys() == set(range(points + 1))
    may = parse(book.action["strike_on"].usable or 1)
    assert [left for left in range(4) if may.holds(facts(book, points_left=left))] == [2, 3]


@pytest.mark.parametrize(
    ("missed", "left", "outcome", "more"),
    [(0, 2, "reached", 0), (1, 2, "short", 1), (1, 1, "short", 1), (1, 0, "short", 0)],
)
def test_a_charge_that_misses_contact_costs_one_more(
    book: Book, missed: int, left: int, outcome: str, more: int
) -> None:
    """It was a run; nobody pays what they do not have."""
    found = told(book, "contact", "", missed_contact=missed, points_left=left)
    assert (found.outcome, found.names["more"]) == (outcome, more)


def test_actions_have_their_printed_costs(book: Book) -> None:
    costs = {row.key: cost(book, row.key) for row in book.actions}
    assert costs == {
        **dict.fromkeys(("walk", "shoot", "charge", "strike", "flee", "climb"), 1),
        **dict.fromkeys(("drink_healing", "drink_strength"), 1),
        **dict.fromkeys(("run", "strike_on", "will_to_live", "first_aid", "open_cell"), 2),
        "leave": 0,
    }
    shots = {
        row.key: cost(book, "shoot", item=row.key) for row in book.items if row.group == "shooting"
    }
    assert {key for key, points in shots.items() if points == 1} == {
        "couteau_jet",
        "javelot",
        "fronde",
        "revolver",
        "pistolet_auto",
        "carabine",
        "fusil_pompe",
        "pistolet_mitrailleur",
        "fusil_assaut",
        "grenades",
        "pistolet_laser",
        "fusil_laser",
    }
    assert set(shots.values()) == {1, 2}


# Climbing and gear.


def test_only_figures_with_a_rope_climb(book: Book) -> None:
    climber = figure("chef", items=("corde_grappin",))
    tumbler = figure("chef", items=("corde_grappin",), traits=("voltigeur",))
    assert usable(book, book.roll["climb"], by=climber)
    assert not usable(book, book.roll["climb"], by=CHIEF)
    found = worked_out(book, "climb", by=climber)
    assert found.outcomes["hurt"] == F(1, 12)
    assert found.numbers["height"] == {4: 1}
    found = worked_out(book, "climb", by=tumbler)
    assert found.outcomes["hurt"] == F(1, 24)
    assert found.numbers["height"] == {9: 1}
    assert told(book, "climb", "1 2,5", by=tumbler).outcome == "lands"
    last = chances(book, "climb", by=Side(climber, life=1))
    assert last == {"climbs": F(5, 6), "lands": F(1, 12), "out": F(1, 12)}


@pytest.mark.parametrize(("life", "may"), [(4, False), (3, True), (1, True)])
def test_healing_restores_lost_life_only(book: Book, life: int, may: bool) -> None:
    hurt = Side(replace(CHIEF, traits=("volonte_de_vivre",)), life=life)
    helper = figure(items=("trousse_secours",))
    for key, so in (
        ("will_to_live", {"by": hurt}),
        ("drink_healing", {"by": hurt, "item": "potion_soin"}),
        ("first_aid", {"by": helper, "at": hurt}),
    ):
        assert usable(book, book.roll[key], **so) == may
        assert chances(book, key, **so) == {"better": 1}
    assert not usable(book, book.roll["first_aid"], by=helper, at=Side(CHIEF, life=0))
    assert not usable(book, book.roll["first_aid"], by=helper, at=hurt, kits_left=0)


# After the game.


def test_serious_injuries_have_the_chances_of_a_d66(book: Book) -> None:
    """With 26 thrown again: dead 1/7, recovered 12/35; among multiple injuries a leg 1/15."""
    table = book.table["serious_injuries"]
    codes = [10 * tens + units for tens, units in product(range(1, 7), repeat=2)]
    of = {code: next(row for row in table.rows if row.low <= code <= row.high) for code in codes}
    once = [row for row in of.values() if [one.kind for one in row.outcomes] != ["again"]]
    dead = [row for row in once if [one.kind for one in row.outcomes] == ["dies"]]
    well = [row for row in once if row.name["en"] == "Full recovery"]
    assert (F(len(dead), len(once)), F(len(well), len(once))) == (F(1, 7), F(12, 35))
    multiple = of[16].outcomes[0]
    assert multiple.kind == "rolls_on"
    assert (multiple.times, multiple.rerolling) == ("1d6", ("not_again",))
    accepted = [row for row in of.values() if not {"not_again"} & row.tags]
    legs = [row for row in accepted if row.name["en"] == "Leg injury"]
    assert F(len(legs), len(accepted)) == F(1, 15)


# Situations from the rules' own examples, die by die.


def test_a_pistol_wounds_the_first_of_three_targets(book: Book) -> None:
    """Short range: 3+ becomes 2+. A 2 hits, a 3 wounds (strength 4, resistance 2)."""
    found = told(book, "shot", "2 3", item="pistolet_auto", range="short")
    assert (found.names["target"], found.names["needed"], found.outcome) == (2, 3, "wounded")


def test_height_changes_the_score_of_a_shot(book: Book) -> None:
    """4+ becomes 5+ from below and 6+ at long range; from above it would be 3+."""
    so: So = {"by": LIEUTENANT, "item": "carabine"}
    found = told(book, "shot", "5", height="below", range="long", **so)
    assert (found.names["target"], found.outcome) == (6, "missed")
    found = told(book, "shot", "3 1", height="above", range="medium", **so)
    assert (found.names["target"], found.outcome) == (3, "unhurt")


def test_a_burst_raises_resistance_after_the_first_target(book: Book) -> None:
    """Nearest first: 2+ at a chief's short range; from the second on resistance 3 instead of 2."""
    so: So = {"item": "pistolet_mitrailleur", "range": "short"}
    first = told(book, "shot", "6 3", **so)
    assert (first.outcome, first.names["resistance"]) == ("wounded", 2)
    second = told(book, "burst", "5 3", **so)
    assert (second.outcome, second.names["resistance"]) == ("unhurt", 3)


def test_a_musket_explodes_and_wounds_its_bearer(book: Book) -> None:
    """A 1, then another: the bearer takes strength 5, on resistance 2 a 3 wounds."""
    found = told(book, "shot", "1 1", by=UNDERLING, item="mousquet", range="short")
    assert found.outcome == "exploded"
    hit = told(book, "explosion", "3", by=UNDERLING, item="mousquet")
    assert (hit.names["needed"], hit.outcome) == (3, "wounded")
    assert told(book, "shot", "1 2", item="mousquet", range="short").outcome == "missed"


def test_a_stray_arrow_hits_the_second_figure_on_its_line(book: Book) -> None:
    """Two figures are before the target; the second shows a 6 and is hit."""
    found = told(book, "shot", "1 4 6", item="arc_long", range="medium", on_line=2)
    assert (found.outcome, found.numbers["struck"]) == ("stray", 2)
    assert told(book, "shot", "1 4 5", item="arc_long", range="medium", on_line=2).outcome == (
        "missed"
    )


def test_a_shot_passes_each_cover_with_its_own_die(book: Book) -> None:
    """A wall near and a hedge far: 3+ and 5+, both must be passed."""
    so: So = {"item": "fusil_assaut", "range": "long", "obstacles_short": 1, "obstacles_long": 1}
    assert told(book, "shot", "4 3 4", **so).outcome == "covered"
    assert told(book, "shot", "4 2", **so).outcome == "covered"
    assert told(book, "shot", "4 3 5 6", **so).outcome == "wounded"
    assert told(book, "shot", "1 6", **so).outcome == "jammed"
    assert told(book, "shot", "1 5", **so).outcome == "missed"


def test_a_charge_wounds_an_unready_lieutenant(book: Book) -> None:
    """Caught unready, resistance 2: the sword at strength 8 wounds on 2, thrice to 0 HP."""
    charged = told(book, "charged_test", "5,4 4", by=LIEUTENANT, at=CHIEF)
    assert charged.outcome == "unready"
    for life, outcome in ((3, "wounded"), (2, "wounded"), (1, "out"), (0, "killed")):
        unready = Side(LIEUTENANT, states=("unready",), life=life)
        charging = Side(CHIEF, states=CHARGING)
        found = told(book, "strike", "4 2", by=charging, at=unready, item="epee")
        assert (found.names["needed"], found.outcome) == (2, outcome)


def test_a_band_tests_for_rout_when_it_loses_its_chief(book: Book) -> None:
    """The lieutenant holds on 8; an underling nearby tests on 8, a distant one on 6."""
    assert told(book, "rout", "5,3", by=LIEUTENANT).outcome == "passed"
    assert told(book, "rout", "5,3", by=UNDERLING, lent_command=8).outcome == "passed"
    assert told(book, "rout", "5,3", by=UNDERLING).outcome == "failed"


def test_columns_read_by_rolls_are_typed(book: Book) -> None:
    kinds = {
        group.key: [column.kind for column in group.columns if column.kind != "text"]
        for group in book.groups
    }
    assert kinds == {
        "shooting": ["number"] * 5,
        "melee": ["number"],
        "armour": ["number"] * 2,
        "shield": ["number"],
        "equipment": [],
    }
    assert applies(book.roll["shot"].when, book.default_settings())
