"""The dice of Cran: its procedures, its golden cases, and its odds against every throw."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pytest

from rules.book.model import Book
from rules.book.rolls import Roll
from rules.book.schema import Item
from rules.book.vocabulary import Settings, Text
from rules.engine.compiling import make_ready, ready
from rules.engine.expressions import Value, parse
from rules.engine.figure import Figure
from rules.engine.odds import odds
from rules.engine.playing import Missing, Played, tell
from rules.engine.profiles import in_states, profile
from rules.engine.situations import Side, Situation, names_in
from rules.loading.try_rolls import try_rolls
from tests.world.gangs import shipped

Chances = dict[str, Fraction]
SIDES = {"novice": 6, "veteran": 8, "hero": 10}
BEST_FACE: Settings = {"best_face": "yes"}


@pytest.fixture(scope="module")
def book() -> Book:
    return shipped("cran")


def who(
    rank: str = "novice",
    *traits: str,
    item: str | None = None,
    mode: str | None = None,
    states: tuple[str, ...] = (),
    conditions: tuple[str, ...] = (),
    item_states: tuple[str, ...] = (),
) -> Side:
    """Return a figure with a weapon in hand."""
    figure = Figure(
        rank=rank,
        worth_rank=rank,
        traits=traits,
        items=(item,) if item else (),
        conditions=conditions,
    )
    return Side(figure, item, mode, states, None, item_states)


def facts(
    book: Book,
    by: Side | None,
    at: Side | None = None,
    settings: Settings | None = None,
    **circumstances: Value,
) -> dict[str, Value]:
    options = book.default_settings() | (settings or {})
    return names_in(book.under(options), Situation(by, at, circumstances))


def chances(
    book: Book,
    key: str,
    by: Side | None,
    at: Side | None = None,
    settings: Settings | None = None,
    **circumstances: Value,
) -> Chances:
    """Return the chances of a roll's outcomes, without impossible ones."""
    roll = ready(book.under(book.default_settings() | (settings or {})), key)
    found = odds(roll, facts(book, by, at, settings, **circumstances)).outcomes
    assert sum(found.values()) == 1
    return {outcome: chance for outcome, chance in found.items() if chance}


def number(
    book: Book, key: str, name: str, by: Side | None, at: Side | None = None, **more: Value
) -> dict[int, Fraction]:
    roll = ready(book.usual, key)
    return dict(odds(roll, facts(book, by, at, None, **more)).numbers[name])


def play(
    book: Book,
    key: str,
    by: Side,
    at: Side | None,
    *throws: tuple[int, ...],
    settings: Settings | None = None,
    **circumstances: Value,
) -> Played:
    """Play the roll with these faces, all of which it must use."""
    roll = ready(book.under(book.default_settings() | (settings or {})), key)
    played = tell(roll, facts(book, by, at, settings, **circumstances), throws)
    assert len(played.throws) == len(throws)
    return played


def first_dice(book: Book, key: str, by: Side, at: Side | None = None, **more: Value) -> str:
    """Return the first dice that a roll asks for: "3 D6"."""
    with pytest.raises(Missing) as wanted:
        tell(ready(book.usual, key), facts(book, by, at, None, **more), [])
    dice = wanted.value.wanted
    return f"{dice.dice} D{dice.sides}"


def usable(book: Book, key: str, by: Side, at: Side | None = None, **more: Value) -> bool:
    expression = book.roll[key].usable
    assert expression is not None
    return parse(expression).holds(facts(book, by, at, None, **more))


# Counts of every throw, without the rulebook

Pool = dict[tuple[int, int, bool], Fraction]


@cache
def pool(
    dice: int, sides: int, *, again: int = 0, ones_again: bool = False, best_face: bool = False
) -> Pool:
    """Return the chances of (successes, highest die, whether a 1 is among them).

    ``again``: the number of failed dice thrown again, the lowest first; ``ones_again``: all 1s.
    """
    found: Counter[tuple[int, int, bool]] = Counter()
    faces = range(1, sides + 1)
    for first in product(faces, repeat=dice):
        ones = [face for face in first if face == 1] if ones_again else []
        kept = [face for face in first if not (ones_again and face == 1)]
        for second in product(faces, repeat=len(ones)):
            allowed = again + best_face * (first.count(sides) + second.count(sides))
            failed = sorted(face for face in kept if face < 5)[:allowed]
            lying = [*sorted(kept)[len(failed) :], *second]
            share = Fraction(1, sides ** (dice + len(second) + len(failed)))
            for third in product(faces, repeat=len(failed)):
                shown = [*lying, *third]
                key = (sum(face >= 5 for face in shown), max(shown), 1 in shown)
                found[key] += share  # type: ignore[assignment]
    return dict(found)  # type: ignore[arg-type]


def harmed(hits: int, roll: int, before: int) -> int:
    """Return the harm by the sheet: 0 unharmed, 1 shaken, 2 down, 3 casualty; as ``before``."""
    if not hits:
        return before
    failed = [5, 6, 7, 8, 9, 10][min(hits, 6) - 1] - roll
    if failed >= 5:
        return 3
    if failed >= 3 or (failed >= 1 and before):
        return 2
    return max(before, int(failed >= 1))


def shot_by_hand(
    thrown: Pool, sides: int, jam: int, *, plus: int = 0, before: int = 0
) -> dict[tuple[int, int, bool], Fraction]:
    """Count successes, harm and jam of a shot; ``jam``: sides of the weapon's die, 0 for none."""
    found: Counter[tuple[int, int, bool]] = Counter()
    for (hits, _best, one), chance in thrown.items():
        stuck = Fraction(4, jam) if one and jam else Fraction(0)
        for roll in range(1, sides + 1) if hits else (0,):
            harm = harmed(hits, roll + plus, before)
            share = chance / (sides if hits else 1)
            found[hits, harm, True] += share * stuck  # type: ignore[assignment]
            found[hits, harm, False] += share * (1 - stuck)  # type: ignore[assignment]
    return {key: chance for key, chance in found.items() if chance}  # type: ignore[misc]


def outcomes(found: dict[tuple[int, int, bool], Fraction], before: int = 0) -> Chances:
    told: Chances = {}
    for (hits, harm, _jammed), chance in found.items():
        key = ("missed" if not hits else "saved", "shaken", "down", "casualty")[
            harm if harm > before else 0
        ]
        told[key] = told.get(key, Fraction(0)) + chance
    return told


# Declared procedures

# The rows of every procedure of the fact sheet, by its section and words.
PROCEDURES = {
    "3 pool = max(1, base + modifiers) dice, 5 or more": "rolls.grit_test circumstances.test_dice",
    "3 optional: a die at its maximum, one failed die again": (
        "modifiers.best_face_hits modifiers.best_face_attack modifiers.best_face_defence"
        " modifiers.best_face_recovered modifiers.best_face_held modifiers.best_face_successes"
        " settings.best_face"
    ),
    "3.1 choose weapon and target": "actions.shoot",
    "3.1 check range": "circumstances.distance",
    "3.1 roll to hit, base 3 dice": "procedures.one_shot rolls.shot",
    "3.1 target in cover": "modifiers.in_cover circumstances.in_cover",
    "3.1 long range": "modifiers.long_range",
    "3.1 short range": "modifiers.short_range",
    "3.1 in the back": "modifiers.from_behind circumstances.from_behind",
    "3.1 shooter higher": "modifiers.shooter_higher circumstances.shooter_higher",
    "3.1 weapon die modifiers (shotgun)": "modifiers.shotgun_close modifiers.shotgun_far",
    "3.1 twice per action": "rolls.two_shots rolls.further_shot tags.twice",
    "3.1 fire corridor": "rolls.shot rolls.further_shot tags.corridor",
    "2.1 LeMat: once a game as a sawn-off": "states.sawn_off_taken",
    "3.1 thrown: 1 die, at the end of any move": "rolls.throw actions.throw tags.thrown",
    "3.1 steady-aim": "modifiers.steady_aim circumstances.moved",
    "3.2 the target saves, one die": "procedures.save rolls.save circumstances.hits_taken",
    "3.2 save modifiers (bow)": "modifiers.bow_medium modifiers.bow_long",
    "3.2 save modifiers (large calibre, hunting rifle)": (
        "modifiers.large_calibre modifiers.hunting_rifle"
    ),
    "3.2 tough-hide": "modifiers.tough_hide modifiers.tough_hide_attacker",
    "3.3 shaken": "states.shaken",
    "3.3 down": "states.down actions.crawl",
    "3.3 down, attacked in combat: a casualty": "rolls.combat",
    "3.3 casualty: removed": "marks.casualty",
    "3.4 both roll 3 dice": "rolls.combat actions.fight",
    "3.4 you charged": "modifiers.charged circumstances.charged",
    "3.4 protected defender": "modifiers.protected circumstances.protected",
    "3.4 each unengaged enemy beyond the first": (
        "modifiers.outnumbered modifiers.defender_outnumbered"
        " circumstances.more_on_attacker circumstances.more_on_defender"
    ),
    "3.4 two-handed weapon": (
        "modifiers.two_handed modifiers.two_handed_defender"
        " modifiers.hit_two_handed modifiers.hit_back_two_handed"
    ),
    "3.4 sword": "modifiers.sword modifiers.sword_defender",
    "3.4 spear": "items.spear rolls.combat",
    "3.4 equal: the highest die wins by 1; a draw": "rolls.combat",
    "3.4 the loser saves": "rolls.combat procedures.save",
    "3.4 brawler, guarded": "modifiers.brawler modifiers.guarded",
    "3.4 iron-fist": "modifiers.iron_fist modifiers.iron_fist_defender",
    "3.5 jam test": "procedures.jam_test rolls.jam states.jammed",
    "3.5 always after a shot": "tags.always_jams",
    "3.5 clearing costs an action": "actions.clear",
    "3.5 gun-care": "modifiers.gun_care",
    "3.6 recovery": "rolls.recovery",
    "3.6 +1 die, a friend in contact": "modifiers.friend circumstances.friend_in_contact",
    "3.6 dogged": "modifiers.dogged",
    "3.7 nerve test at half or less": "rolls.nerve",
    "3.7 the boss's test of courage; the highest rank": (
        "rolls.nerve traits.boss circumstances.highest_rank"
    ),
    "3.7 all remaining figures leave": "marks.fled",
    "3.7 cool-head": "modifiers.cool_head",
    "1.1 a power, out of contact with enemies": "actions.power circumstances.enemy_in_contact",
    "1.1 a move": "actions.move",
    "1.2 activation cards": "rolls.cards circumstances.boss_able",
    "house: loot tokens": (
        "actions.take_loot actions.carry_off circumstances.loot_carried circumstances.loot_held "
        "circumstances.target_loot tallies.loot"
    ),
    "4.1 each casualty rolls 1D10 on an injury table": "tables.injury steps.injuries",
    "4.1 ended down: a grit test first": (
        "rolls.ended_down tables.down_novice tables.down_veteran tables.down_hero"
    ),
    "4.1 challenge": "references.campaign_turn",
    "4.1 underdogs": "underdog.underdog",
    "4.2 result income": "steps.income",
    "4.2 maimed: a second D10": "tables.maimed conditions.maimed_shooting conditions.maimed_combat",
    "4.2 laid up": "conditions.laid_up",
    "4.2 experience": "steps.experience",
    "4.2 advances": "steps.advances",
    "4.2 dead boss": "steps.new_boss",
    "4.2 spending": "steps.spending",
}
OF_THE_CAMPAIGN = ("marks", "steps", "tallies", "underdog")


def test_every_procedure_is_declared_in_the_rulebook(book: Book) -> None:
    for words, named in PROCEDURES.items():
        assert named, words
        for name in named.split():
            table, key = name.split(".")
            rows = getattr(book.campaign if table in OF_THE_CAMPAIGN else book, table)
            assert key in {row.key for row in rows}, name


def test_the_list_of_procedures_covers_every_row(book: Book) -> None:
    named = {name for names in PROCEDURES.values() for name in names.split()}
    for table in ("circumstances", "states", "actions", "procedures", "rolls", "modifiers"):
        assert {f"{table}.{row.key}" for row in getattr(book, table)} <= named
    assert not (book.spends or book.grids or book.hands)


SHOOTING = ["distance", "in_cover", "from_behind", "shooter_higher"]
ASKED = {
    "shot": SHOOTING,
    "two_shots": SHOOTING,
    "further_shot": SHOOTING,
    "throw": [],
    "save": ["hits_taken"],
    "combat": ["charged", "protected", "more_on_attacker", "more_on_defender"],
    "jam": [],
    "recovery": ["friend_in_contact"],
    "nerve": [],
    "cards": [],
    "grit_test": ["test_dice"],
    "ended_down": [],
}


def test_each_roll_asks_for_its_circumstances(book: Book) -> None:
    asked = {}
    for roll in book.rolls:
        rows = ready(book.usual, roll.key).asked
        asked[roll.key] = [row.key for row in rows if not row.known]
    assert asked == ASKED
    assert [row.key for row in book.circumstances if row.known] == [
        "moved",
        "boss_able",
        "highest_rank",
        "loot_carried",
        "loot_held",
        "target_loot",
    ]


@pytest.mark.long
def test_trying_every_roll_finds_no_mistake(book: Book) -> None:
    assert list(try_rolls(book)) == []


# Golden cases of the fact sheet

MEDIUM = 6


def test_g1_three_successes_against_a_4_bring_the_target_down(book: Book) -> None:
    played = play(book, "shot", who(item="revolver"), who("veteran"), (5, 6, 5), (4,))
    assert (played.outcome, played.names["failed"]) == ("down", 3)


def test_g2_a_single_hit_never_makes_a_casualty(book: Book) -> None:
    played = play(book, "shot", who(item="revolver"), who(), (5, 2, 3), (1,))
    assert (played.outcome, played.names["failed"]) == ("down", 4)
    for rank in SIDES:
        for hit in range(1, SIDES[rank] + 1):
            one = play(book, "shot", who(item="revolver"), who(rank), (5, 2, 3), (hit,))
            assert one.outcome != "casualty"


def test_g3_two_successes_against_a_1_make_a_casualty(book: Book) -> None:
    played = play(book, "shot", who(item="revolver"), who("hero"), (5, 6, 2), (1,))
    assert (played.outcome, played.names["failed"]) == ("casualty", 5)


ALL_FOR: dict[str, Any] = {"distance": 3, "from_behind": 1, "shooter_higher": 1}


def test_g4_seven_successes_count_as_six(book: Book) -> None:
    played = play(book, "shot", who(item="shotgun"), who("hero"), (5,) * 7, (10,), **ALL_FOR)
    assert (played.outcome, played.names["failed"], played.numbers["hits"]) == ("saved", 0, 7)


def test_g5_a_large_calibre_adds_a_die_at_short_range(book: Book) -> None:
    by, at = who(item="heavy_revolver"), who("veteran")
    played = play(book, "shot", by, at, (5, 2, 2, 2), (5,), distance=3)
    assert (played.outcome, played.names["failed"]) == ("shaken", 1)
    assert play(book, "shot", by, at, (5, 2, 2), (5,), distance=5).outcome == "saved"


def test_g6_a_bow_has_fewer_dice_at_long_range(book: Book) -> None:
    by, at = who("novice", "bow_user", item="bow"), who()
    assert play(book, "shot", by, at, (5, 6), (4,), distance=15).outcome == "saved"
    assert play(book, "shot", by, at, (5, 6, 3), (4,), distance=12).names["failed"] == 1
    assert play(book, "shot", by, at, (5, 6, 3, 3), (4,), distance=6).names["failed"] == 2


@pytest.mark.parametrize(("rank", "die"), [("hero", 8), ("veteran", 6), ("novice", 6)])
def test_g7_a_shaken_figure_throws_a_smaller_die(book: Book, rank: str, die: int) -> None:
    shaken = who(rank, item="revolver", states=("shaken",))
    played = play(book, "shot", who(item="revolver"), shaken, (5, 2, 2), (6,))
    assert played.throws[1].wanted.sides == die
    assert first_dice(book, "shot", shaken, who()) == f"3 D{die}"
    assert first_dice(book, "combat", who(rank, item="sword", states=("shaken",)), who()) == (
        f"3 D{die}"
    )


def test_g8_a_figure_shaken_twice_is_down(book: Book) -> None:
    by, at = who(item="revolver"), who("veteran", states=("shaken",))
    assert play(book, "shot", by, at, (5, 2, 2), (3,)).outcome == "down"
    assert play(book, "shot", by, at, (5, 2, 2), (5,)).outcome == "saved"
    assert play(book, "shot", by, at, (5, 6, 2), (1,)).outcome == "casualty"
    assert "shaken" not in chances(book, "shot", by, at)


def test_g9_the_highest_die_breaks_a_tie(book: Book) -> None:
    by, at = who(item="unarmed"), who()
    won = play(book, "combat", by, at, (6, 5, 1), (5, 5, 2), (5,))
    assert (won.outcome, won.numbers["margin"], won.names["hits"]) == ("saved", 1, 1)
    assert play(book, "combat", by, at, (6, 5, 1), (5, 5, 2), (4,)).outcome == "shaken"


def test_g10_a_friend_helps_up(book: Book) -> None:
    down = who(states=("down",))
    played = play(book, "recovery", down, None, (5, 6, 5, 1), friend_in_contact=1)
    assert played.outcome == "stands"
    effects = [(effect.kind, effect.state) for effect in book.roll["recovery"].outcomes[2].effects]  # type: ignore[union-attr]
    assert effects == [("ends", "down"), ("begins", "shaken")]


def test_g11_a_veteran_throws_two_dice_at_a_target_in_cover(book: Book) -> None:
    by = who("veteran", item="revolver")
    assert first_dice(book, "shot", by, who(), in_cover=1, distance=MEDIUM) == "2 D8"


SIX: dict[str, Any] = {"gang.standing": 6}


def test_g12_six_figures_have_four_cards(book: Book) -> None:
    for standing in range(1, 11):
        half = (standing + 1) // 2
        for able in (0, 1):
            told: dict[str, Any] = {"gang.standing": standing, "boss_able": able}
            assert number(book, "cards", "cards", None, None, **told) == {half + able: 1}
    assert number(book, "cards", "cards", None, None, **SIX) == {4: 1}


@pytest.mark.parametrize(
    ("start", "threshold"), [(6, 3), (7, 3), (8, 4), (9, 4), (10, 5), (1, 0), (5, 2)]
)
def test_g15_nerve_is_tested_at_half_or_less(book: Book, start: int, threshold: int) -> None:
    for standing in range(1, start + 1):
        told: dict[str, Any] = {"gang.standing": standing, "gang.start": start}
        found = chances(book, "nerve", who("veteran", "boss"), **told)
        assert (found == {"not_needed": 1}) == (standing > threshold)


# Tables of chances of the fact sheet

SAVES = {
    ("novice", 1): "2 2 2 0",
    ("novice", 2): "1 2 2 1",
    ("novice", 3): "0 2 2 2",
    ("novice", 4): "0 1 2 3",
    ("novice", 5): "0 0 2 4",
    ("novice", 6): "0 0 1 5",
    ("novice", 7): "0 0 1 5",
    ("veteran", 1): "4 2 2 0",
    ("veteran", 2): "3 2 2 1",
    ("veteran", 3): "2 2 2 2",
    ("veteran", 4): "1 2 2 3",
    ("veteran", 5): "0 2 2 4",
    ("veteran", 6): "0 1 2 5",
    ("veteran", 7): "0 1 2 5",
    ("hero", 1): "6 2 2 0",
    ("hero", 2): "5 2 2 1",
    ("hero", 3): "4 2 2 2",
    ("hero", 4): "3 2 2 3",
    ("hero", 5): "2 2 2 4",
    ("hero", 6): "1 2 2 5",
    ("hero", 7): "1 2 2 5",
}


@pytest.mark.parametrize(("rank", "hits"), SAVES)
def test_each_face_of_the_saving_die_has_its_result(book: Book, rank: str, hits: int) -> None:
    """Every face of the saving die, after ``hits`` successes of seven dice."""
    faces = (5,) * hits + (2,) * (7 - hits)
    found = [
        play(book, "shot", who(item="shotgun"), who(rank), faces, (save,), **ALL_FOR).outcome
        for save in range(1, SIDES[rank] + 1)
    ]
    keys = ("saved", "shaken", "down", "casualty")
    assert " ".join(str(found.count(outcome)) for outcome in keys) == SAVES[rank, hits]
    saving = chances(book, "save", who(), who(rank), hits_taken=hits)
    assert saving == {key: Fraction(found.count(key), SIDES[rank]) for key in keys if key in found}


@pytest.mark.parametrize(
    ("rank", "chance"), [("novice", "1/3"), ("veteran", "1/2"), ("hero", "3/5")]
)
def test_a_test_of_one_success_has_its_chance(book: Book, rank: str, chance: str) -> None:
    assert chances(book, "grit_test", who(rank))["passed"] == Fraction(chance)
    assert chances(book, "ended_down", who(rank))["fine"] == Fraction(chance)
    lying = {outcome.name["en"]: row for row in book.tables for outcome in row.rows}
    assert {"Injured", "Fine"} <= set(lying)


@pytest.mark.parametrize(
    ("rank", "dice", "told"),
    [
        ("novice", 3, "8/27 18/27 1/27"),
        ("veteran", 3, "1/8 6/8 1/8"),
        ("hero", 3, "8/125 90/125 27/125"),
        ("novice", 4, "16/81 56/81 9/81"),
        ("veteran", 4, "1/16 10/16 5/16"),
        ("hero", 4, "16/625 312/625 297/625"),
    ],
)
def test_recovery_has_its_chances(book: Book, rank: str, dice: int, told: str) -> None:
    expected = dict(zip(("casualty", "stays", "stands"), map(Fraction, told.split()), strict=True))
    down = who(rank, states=("down",))
    assert chances(book, "recovery", down, friend_in_contact=dice - 3) == expected
    stubborn = who(rank, "dogged", states=("down",))
    if dice == 4:
        assert chances(book, "recovery", stubborn) == expected
    for key in ("recovery", "ended_down"):
        assert usable(book, key, down) and not usable(book, key, who(rank))


@pytest.mark.parametrize(
    ("rank", "three", "one"),
    [("novice", "19/27", "1/3"), ("veteran", "7/8", "1/2"), ("hero", "117/125", "3/5")],
)
def test_nerve_has_its_chances(book: Book, rank: str, three: str, one: str) -> None:
    few: dict[str, Any] = {"gang.standing": 3, "gang.start": 6}
    assert chances(book, "nerve", who(rank, "boss"), **few)["holds"] == Fraction(three)
    assert chances(book, "nerve", who(rank), **few)["holds"] == Fraction(one)
    two = 1 - (1 - Fraction(one)) ** 2
    assert chances(book, "nerve", who(rank, "cool_head"), **few)["holds"] == two
    assert not usable(book, "nerve", who(rank, "boss", states=("down",)), **few)
    # The boss's own test is never modified.
    assert chances(book, "nerve", who(rank, "boss", "cool_head"), **few)["holds"] == Fraction(three)


def test_the_highest_rank_tests_only_while_no_boss_can(book: Book) -> None:
    boss, veteran = who("veteran", "boss"), who("veteran")
    assert usable(book, "nerve", boss) and not usable(book, "nerve", veteran)
    best: dict[str, Any] = {"boss_able": 0, "highest_rank": 2}
    assert usable(book, "nerve", veteran, **best)
    assert not usable(book, "nerve", who("novice"), **best)
    assert not usable(book, "nerve", who("veteran", "boss", states=("down",)), **best)


def test_a_boss_who_is_down_beside_others_who_are_tests_with_one_die(book: Book) -> None:
    told: dict[str, Any] = {"boss_able": 0, "highest_rank": 0}
    few: dict[str, Any] = {"gang.standing": 3, "gang.start": 6}
    boss = who("veteran", "boss", states=("down",))
    assert usable(book, "nerve", boss, **told)
    assert chances(book, "nerve", boss, **told, **few)["holds"] == Fraction(1, 2)


def test_a_shaken_boss_tests_with_the_smaller_die(book: Book) -> None:
    few: dict[str, Any] = {"gang.standing": 3, "gang.start": 6}
    shaken = who("veteran", "boss", states=("shaken",))
    assert chances(book, "nerve", shaken, **few)["holds"] == Fraction(19, 27)


JAMS = {
    "revolver": 10,
    "carbine": 10,
    "shotgun": 10,
    "bow": 10,
    "rifle": 8,
    "heavy_revolver": 8,
    "double_action": 6,
    "lemat": 8,
    "repeating_carbine": 6,
    "hunting_rifle": 6,
    "sawn_off": 0,
    "musket": 0,
    "thrown": 0,
}


def test_each_ranged_weapon_has_its_jam_die(book: Book) -> None:
    assert {item.key for item in book.items if item.group == "ranged"} == set(JAMS)
    for key, die in JAMS.items():
        assert usable(book, "jam", who(item=key)) == bool(die)
        if die:
            found = chances(book, "jam", who(item=key))
            assert found == {"jammed": Fraction(4, die), "fine": 1 - Fraction(4, die)}
            careful = chances(book, "jam", who("novice", "gun_care", item=key))
            assert careful["jammed"] == Fraction(3, die)


def custom_gun(book: Book, **columns: str) -> Book:
    """Return the book with a custom weapon that has only these cells."""
    gun = Item.model_validate(
        {"key": "custom", "group": "ranged", "name": {"en": "Gun", "fr": "Arme"}, "source": "house"}
        | {"columns": columns}
    )
    return book.changed(items=(*book.items, gun))


@pytest.mark.parametrize("cells", [{}, {"jam": "-"}, {"jam": "None"}])
def test_custom_weapon_without_a_jam_die_never_jams(book: Book, cells: dict[str, str]) -> None:
    book = custom_gun(book, short="6", **cells)
    by = who(item="custom")
    assert not usable(book, "jam", by)
    assert play(book, "shot", by, who(), (1, 1, 1, 1), distance=4).numbers["jammed"] == 0


def test_custom_weapon_that_always_jams_needs_no_die(book: Book) -> None:
    book = custom_gun(book, short="6", jam="Always jams")
    by = who(item="custom")
    assert not usable(book, "jam", by)
    assert play(book, "shot", by, who(), (2, 2, 2, 2), distance=4).numbers["jammed"] == 1


@pytest.mark.parametrize(
    ("cells", "distance", "dice"),
    [
        ({"short": "6"}, 6, 4),
        ({"short": "6"}, 7, 0),
        ({"medium": "12"}, 12, 3),
        ({"long": "18"}, 3, 2),
        ({"short": "6", "long": "18"}, 7, 2),
        ({}, 1, 0),
    ],
)
def test_custom_weapon_reaches_as_far_as_its_cells_say(
    book: Book, cells: dict[str, str], distance: int, dice: int
) -> None:
    book = custom_gun(book, **cells)
    by, at = who(item="custom"), who()
    assert usable(book, "shot", by, at, distance=distance) == bool(dice)
    if dice:
        assert first_dice(book, "shot", by, at, distance=distance) == f"{dice} D6"


@pytest.mark.parametrize(("die", "chance"), [(10, "2/5"), (8, "1/2"), (6, "2/3")])
def test_each_jam_die_has_its_odds(book: Book, die: int, chance: str) -> None:
    keys = [key for key, sides in JAMS.items() if sides == die]
    assert keys
    for key in keys:
        assert chances(book, "jam", who(item=key))["jammed"] == Fraction(chance)


# Ranges


@pytest.mark.parametrize(
    ("key", "bands"),
    [
        ("revolver", "0-4:4 5-8:3 9-12:2"),
        ("carbine", "0-6:4 7-12:3 13-18:2"),
        ("shotgun", "0-4:5 5-8:3 9-12:1"),
        ("bow", "0-6:4 7-12:3 13-18:2"),
        ("rifle", "0-8:4 9-16:3 17-24:2"),
        ("heavy_revolver", "0-4:4 5-8:3 9-12:2"),
        ("double_action", "0-4:4 5-8:3 9-12:2"),
        ("lemat", "0-4:4 5-8:3 9-12:2"),
        ("repeating_carbine", "0-6:4 7-12:3 13-18:2"),
        ("hunting_rifle", "0-10:4 11-20:3 21-30:2"),
        ("musket", "0-6:4 7-12:3 13-18:2"),
        ("sawn_off", "0-6:3"),
    ],
)
def test_distance_decides_the_dice_of_each_weapon(book: Book, key: str, bands: str) -> None:
    """A range includes its number; no shot is possible beyond the last range."""
    expected = {}
    for band in bands.split():
        reach, _colon, dice = band.partition(":")
        low, _dash, high = reach.partition("-")
        expected.update(dict.fromkeys(range(int(low), int(high) + 1), dice))
    found = {}
    by = who(item=key)
    for inches in range(31):
        if usable(book, "shot", by, who(), distance=inches):
            found[inches] = first_dice(book, "shot", by, who(), distance=inches).split()[0]
    assert found == expected


def test_modifiers_of_a_shot_add_up_and_leave_one_die(book: Book) -> None:
    by = who(item="shotgun")
    assert first_dice(book, "shot", by, who(), **ALL_FOR) == "7 D6"
    assert first_dice(book, "shot", by, who(), distance=12, in_cover=1) == "1 D6"
    maimed = who(item="shotgun", conditions=("maimed_shooting",))
    assert first_dice(book, "shot", maimed, who(), distance=MEDIUM) == "2 D6"
    assert first_dice(book, "shot", maimed, who(), distance=12, in_cover=1) == "1 D6"


def test_figures_that_are_down_neither_shoot_nor_are_targets(book: Book) -> None:
    down = who(item="revolver", states=("down",))
    assert usable(book, "shot", who(item="revolver"), who(item="revolver"))
    assert not usable(book, "shot", who(item="revolver"), down)
    assert not usable(book, "shot", down, who())
    assert not usable(book, "shot", who(item="revolver", item_states=("jammed",)), who())
    assert not usable(book, "shot", who(item="sword"), who())
    assert not usable(book, "shot", who(item="thrown"), who())


# Shots, compared with a count of every throw


@pytest.mark.parametrize(
    ("by", "at", "key", "told", "dice", "plus"),
    [
        ("novice", "novice", "revolver", {}, 3, 0),
        ("veteran", "novice", "revolver", {"in_cover": 1}, 2, 0),
        ("hero", "veteran", "rifle", {"distance": 20}, 2, 0),
        ("novice", "hero", "shotgun", {"distance": 4}, 5, 0),
        ("veteran", "veteran", "shotgun", {"distance": 12}, 1, 0),
        ("veteran", "veteran", "hunting_rifle", {"distance": 10}, 4, -1),
        ("hero", "novice", "heavy_revolver", {"distance": 4}, 4, -1),
        ("veteran", "hero", "bow", {"distance": 12}, 3, 1),
        ("veteran", "novice", "bow", {"distance": 18}, 2, 2),
        ("novice", "veteran", "carbine", {"distance": 2, "from_behind": 1}, 5, 0),
    ],
)
@pytest.mark.parametrize("shaken", [False, True])
def test_odds_of_shots_match_every_throw(
    book: Book,
    by: str,
    at: str,
    key: str,
    told: dict[str, Any],
    dice: int,
    plus: int,
    *,
    shaken: bool,
) -> None:
    target = who(at, states=("shaken",) if shaken else ())
    sides = max(6, SIDES[at] - 2) if shaken else SIDES[at]
    thrown = pool(dice, SIDES[by])
    by_hand = shot_by_hand(thrown, sides, JAMS[key], plus=plus, before=int(shaken))
    shooter = who(by, item=key)
    assert chances(book, "shot", shooter, target, **told) == outcomes(by_hand, int(shaken))
    hits: Counter[int] = Counter()
    jams: Counter[int] = Counter()
    for (count, _harm, jammed), chance in by_hand.items():
        hits[count] += chance  # type: ignore[assignment]
        jams[int(jammed)] += chance  # type: ignore[assignment]
    assert number(book, "shot", "hits", shooter, target, **told) == dict(hits)
    assert number(book, "shot", "jammed", shooter, target, **told) == dict(jams)


def test_a_natural_1_makes_the_weapon_test_for_a_jam(book: Book) -> None:
    by = who(item="rifle")
    jammed = play(book, "shot", by, who(), (5, 1, 2, 2), (6,), (4,))
    assert (jammed.outcome, jammed.numbers["jammed"]) == ("saved", 1)
    assert jammed.throws[2].wanted.sides == 8
    assert play(book, "shot", by, who(), (2, 1, 2, 2), (5,)).numbers["jammed"] == 0
    careful = who("novice", "gun_care", item="rifle")
    assert play(book, "shot", careful, who(), (2, 1, 2, 2), (4,)).numbers["jammed"] == 0


@pytest.mark.parametrize("key", ["musket", "sawn_off"])
def test_some_weapons_always_jam(book: Book, key: str) -> None:
    dice = int(first_dice(book, "shot", who(item=key), who())[0])
    for faces in ((2,) * dice, (1,) * dice):
        played = play(book, "shot", who("novice", "gun_care", item=key), who(), faces)
        assert (played.outcome, played.numbers["jammed"]) == ("missed", 1)


def test_a_lemat_shoots_as_a_sawn_off_once_a_game(book: Book) -> None:
    (mode,) = book.item["lemat"].modes
    assert (mode.key, mode.once) == ("sawn_off", True)
    by = who(item="lemat", mode="sawn_off")
    assert first_dice(book, "shot", by, who(), distance=2) == "3 D6"
    assert first_dice(book, "shot", by, who(), distance=6, in_cover=1) == "2 D6"
    assert not usable(book, "shot", by, who(), distance=7)
    taken = who(item="lemat", mode="sawn_off", item_states=("sawn_off_taken",))
    assert usable(book, "shot", by, who(), distance=2)
    assert not usable(book, "shot", taken, who(), distance=2)
    assert usable(book, "shot", replace(taken, mode=None), who(), distance=2)
    # The others in the corridor are touched by the same shot.
    assert usable(book, "further_shot", taken, who(), distance=2)
    assert not usable(book, "further_shot", who(item="lemat"), who(), distance=2)
    played = play(book, "shot", by, who(), (2, 2, 3))
    assert played.numbers["jammed"] == 0
    assert play(book, "shot", by, who(), (2, 1, 3), (4,)).throws[1].wanted.sides == 8


def test_thrown_weapons_are_never_modified(book: Book) -> None:
    by = who("hero", "steady_aim", item="thrown", conditions=("maimed_shooting",))
    told: dict[str, Any] = {"in_cover": 1, "from_behind": 1, "shooter_higher": 1, "distance": 2}
    assert first_dice(book, "throw", by, who(), **told) == "1 D10"
    assert chances(book, "throw", by, who("veteran"), **told) == {
        "missed": Fraction(2, 5),
        "saved": Fraction(3, 5) * Fraction(4, 8),
        "shaken": Fraction(3, 5) * Fraction(2, 8),
        "down": Fraction(3, 5) * Fraction(2, 8),
    }
    assert usable(book, "throw", by, who(), distance=6)
    assert not usable(book, "throw", by, who(), distance=7)
    assert book.action["throw"].cost == 0


# Skills


def test_steady_aim_re_rolls_when_the_shooter_has_not_moved(book: Book) -> None:
    by = who("novice", "steady_aim", item="revolver")
    played = play(book, "shot", by, who(), (1, 2, 5), (6,), (6,), moved=0)
    assert (played.throws[1].wanted.dice, played.numbers["hits"]) == (1, 2)
    assert played.numbers["jammed"] == 0
    still = outcomes(shot_by_hand(pool(3, 6, again=1), 6, 10))
    assert chances(book, "shot", by, who()) == still
    assert chances(book, "shot", by, who(), moved=1) == outcomes(shot_by_hand(pool(3, 6), 6, 10))


def test_long_sight_extends_the_range(book: Book) -> None:
    by = who("novice", "long_sight", item="rifle")
    assert first_dice(book, "shot", by, who(), distance=24) == "3 D6"
    shotgun = who("novice", "long_sight", item="shotgun")
    assert first_dice(book, "shot", shotgun, who(), distance=12) == "2 D6"


def test_tough_hide_adds_to_the_save(book: Book) -> None:
    tough = who("novice", "tough_hide")
    by_hand = outcomes(shot_by_hand(pool(3, 6), 6, 10, plus=1))
    assert chances(book, "shot", who(item="revolver"), tough) == by_hand
    attacker = who("novice", "tough_hide", item="unarmed")
    lost = play(book, "combat", attacker, who(), (2, 2, 2), (5, 2, 2), (4,))
    assert (lost.outcome, lost.names["own_save"]) == ("own_saved", 5)


# Two shots of one action, and corridors


def two_by_hand(thrown: Pool, sides: int, jam: int, before: int) -> Chances:
    """Return the chances of two shots; a jam or a target that is down stops the second."""
    found: Counter[str] = Counter()
    small = max(6, sides - 2)
    saving = small if before else sides
    for (hits, harm, stuck), chance in shot_by_hand(thrown, saving, jam, before=before).items():
        if stuck or harm >= 2:
            second = {(0, harm, stuck): Fraction(1)}
        else:
            die = small if harm else sides
            second = shot_by_hand(thrown, die, jam, before=harm)
        for (more, last, _stuck), share in second.items():
            key = ("missed" if not hits + more else "saved", "shaken", "down", "casualty")[
                last if last > before else 0
            ]
            found[key] += chance * share  # type: ignore[assignment]
    return dict(found)  # type: ignore[arg-type]


@pytest.mark.parametrize("key", ["double_action", "repeating_carbine"])
@pytest.mark.parametrize("before", [0, 1])
@pytest.mark.parametrize("rank", SIDES)
def test_two_shots_match_a_count_by_hand(book: Book, key: str, before: int, rank: str) -> None:
    target = who(rank, states=("shaken",) if before else ())
    found = chances(book, "two_shots", who("veteran", item=key), target, distance=7)
    assert found == two_by_hand(pool(3, 8), SIDES[rank], 6, before)


def test_a_jam_stops_the_second_shot(book: Book) -> None:
    by = who(item="double_action")
    stopped = play(book, "two_shots", by, who("hero"), (1, 2, 5), (10,), (4,))
    assert (stopped.outcome, stopped.numbers) == ("saved", {"struck": 1, "jammed": 1})
    both = play(book, "two_shots", by, who("hero"), (1, 2, 5), (3,), (5,), (5, 5, 2), (4,))
    # Shaken by the first shot, they save with a D8 and are down when shaken again.
    assert both.throws[4].wanted.sides == 8
    assert (both.outcome, both.numbers) == ("down", {"struck": 3, "jammed": 0})
    down = play(book, "two_shots", by, who("hero"), (5, 5, 5), (3,))
    assert down.outcome == "down"
    assert not usable(book, "two_shots", who(item="revolver"), who())


SHOTS = ("shot", "further_shot")


def test_a_fire_corridor_hits_every_touched_figure(book: Book) -> None:
    """Every touched figure is shot at with 3 dice, and the weapon jams."""
    by, at = who(item="sawn_off"), who()
    one = outcomes(shot_by_hand(pool(3, 6), 6, 0))
    jammed = who(item="sawn_off", item_states=("jammed",))
    for distance in (1, 6):
        assert chances(book, "shot", by, at, distance=distance) == one
        assert chances(book, "further_shot", jammed, at, distance=distance) == one
        assert usable(book, "further_shot", jammed, at, distance=distance)
    assert number(book, "shot", "jammed", by, at, distance=2) == {1: 1}
    behind = outcomes(shot_by_hand(pool(2, 6), 8, 0))
    told: dict[str, Any] = {"distance": 2, "in_cover": 1}
    assert chances(book, "further_shot", jammed, who("veteran"), **told) == behind
    follows = [one for one in book.roll["shot"].effects if one.kind == "then"]
    assert [(one.roll, one.many, one.given) for one in follows] == [
        ("further_shot", True, "item.tagged('corridor')"),
        ("further_shot", False, "item.tagged('twice') and not jammed"),
    ]


def test_a_second_shot_at_another_target_is_a_shot_like_the_first(book: Book) -> None:
    by = who("veteran", item="double_action")
    far: dict[str, Any] = {"distance": 11, "in_cover": 1, "shooter_higher": 1}
    near: dict[str, Any] = {"distance": 3}
    for told in (near, far):
        shot, further = (chances(book, key, by, who("hero"), **told) for key in SHOTS)
        assert shot == further
        assert number(book, "shot", "jammed", by, who(), **told) == number(
            book, "further_shot", "jammed", by, who(), **told
        )
    jammed = who(item="double_action", item_states=("jammed",))
    assert not usable(book, "further_shot", jammed, who(), distance=3)
    assert not usable(book, "further_shot", who(item="rifle"), who(), distance=3)


# Combat


def fight_by_hand(attack: Pool, defence: Pool) -> dict[int, Fraction]:
    """Return the margin of the attacker: successes, then the highest die by 1."""
    found: Counter[int] = Counter()
    for (mine, best, _one), chance in attack.items():
        for (theirs, other, _another), share in defence.items():
            margin = mine - theirs or (best > other) - (best < other)
            found[margin] += chance * share  # type: ignore[assignment]
    return dict(found)  # type: ignore[arg-type]


def combat_by_hand(
    margins: dict[int, Fraction], own: int, other: int, own_plus: int = 0, plus: int = 0
) -> Chances:
    """Return the outcomes of a combat; the loser saves against the margin."""
    found: Counter[str] = Counter()
    for margin, chance in margins.items():
        sides, more, prefix = (own, own_plus, "own_") if margin < 0 else (other, plus, "")
        for roll in range(1, sides + 1):
            harm = harmed(abs(margin), roll + more, 0)
            key = prefix + ("saved", "shaken", "down", "casualty")[harm] if margin else "draw"
            found[key] += chance / sides  # type: ignore[assignment]
    return dict(found)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("by", "at", "told", "dice", "against"),
    [
        ("novice", "novice", {}, 3, 3),
        ("veteran", "novice", {"charged": 1}, 4, 3),
        ("hero", "veteran", {"protected": 1, "more_on_defender": 2}, 2, 1),
        ("novice", "hero", {"more_on_attacker": 5, "more_on_defender": 1}, 1, 2),
        ("novice", "veteran", {"charged": 1, "protected": 1}, 3, 3),
    ],
)
def test_odds_of_combat_match_every_throw(
    book: Book, by: str, at: str, told: dict[str, Any], dice: int, against: int
) -> None:
    margins = fight_by_hand(pool(dice, SIDES[by]), pool(against, SIDES[at]))
    fighter = who(by, item="unarmed")
    assert number(book, "combat", "margin", fighter, who(at), **told) == margins
    by_hand = combat_by_hand(margins, SIDES[by], SIDES[at])
    assert chances(book, "combat", fighter, who(at), **told) == by_hand


WEAPONS = [
    ("sword", None, {"again": 1}, {}, 3, 3, 0, 0),
    (None, "sword", {}, {"again": 1}, 3, 3, 0, 0),
    ("spear", "spear", {}, {"ones_again": True}, 3, 3, 0, 0),
    ("two_handed", None, {}, {}, 2, 3, 0, -1),
    (None, "two_handed", {}, {}, 3, 2, -1, 0),
    ("two_handed", "two_handed", {}, {}, 2, 2, -1, -1),
    ("sword", "spear", {"again": 1}, {"ones_again": True}, 3, 3, 0, 0),
]


@pytest.mark.parametrize(
    ("mine", "theirs", "more", "others", "dice", "against", "own_plus", "plus"), WEAPONS
)
def test_odds_of_combat_with_weapons_match_every_throw(
    book: Book,
    mine: str | None,
    theirs: str | None,
    more: dict[str, Any],
    others: dict[str, Any],
    dice: int,
    against: int,
    own_plus: int,
    plus: int,
) -> None:
    margins = fight_by_hand(pool(dice, 8, **more), pool(against, 6, **others))
    by, at = who("veteran", item=mine or "unarmed"), who("novice", item=theirs or "unarmed")
    assert number(book, "combat", "margin", by, at) == margins
    assert chances(book, "combat", by, at) == combat_by_hand(margins, 8, 6, own_plus, plus)


def test_combat_compares_typed_faces(book: Book) -> None:
    by, at = who(item="unarmed"), who("veteran")
    # 0 to 0: the highest die still wins by 1.
    assert play(book, "combat", by, at, (4, 3, 1), (3, 3, 1), (5,)).numbers["margin"] == 1
    assert play(book, "combat", by, at, (2, 3, 1), (4, 3, 1), (4,)).outcome == "own_shaken"
    assert play(book, "combat", by, at, (5, 3, 1), (5, 2, 2)).outcome == "draw"
    # The defender wins by 3, and a 2 makes the attacker a casualty.
    assert play(book, "combat", by, at, (1, 2, 3), (5, 6, 8), (2,)).outcome == "own_casualty"
    shaken = who(item="unarmed", states=("shaken",))
    assert play(book, "combat", shaken, at, (1, 2, 3), (5, 2, 2), (4,)).outcome == "own_down"


def test_a_sword_re_rolls_one_die_and_a_spear_all_ones(book: Book) -> None:
    swords = who(item="sword")
    played = play(book, "combat", swords, who(), (1, 1, 6), (6,), (1, 1, 5), (6,))
    assert (played.throws[1].wanted.dice, played.numbers["margin"]) == (1, 1)
    spear = who(item="spear")
    played = play(book, "combat", who(item="unarmed"), spear, (2, 2, 5), (1, 1, 5), (1, 6), (6,))
    assert (played.throws[2].wanted.dice, played.numbers["margin"]) == (2, -1)
    # An attacker's spear has no effect.
    assert play(book, "combat", spear, who(), (1, 1, 5), (2, 2, 5)).outcome == "draw"


def test_a_figure_down_in_combat_is_a_casualty_without_a_roll(book: Book) -> None:
    down = who("hero", "tough_hide", "guarded", item="sword", states=("down",))
    assert chances(book, "combat", who(item="unarmed"), down) == {"casualty": 1}
    assert play(book, "combat", who(item="unarmed"), down).throws == ()
    assert not usable(book, "combat", who(item="sword", states=("down",)), who())


def test_skills_change_the_dice_of_combat(book: Book) -> None:
    brawler = who("novice", "brawler", item="unarmed")
    assert first_dice(book, "combat", brawler, who()) == "3 D6"
    assert first_dice(book, "combat", brawler, who(), charged=1) == "5 D6"
    guarded = who("novice", "guarded")
    margins = fight_by_hand(pool(3, 6), pool(4, 6))
    assert number(book, "combat", "margin", who(item="unarmed"), guarded) == margins
    fist, even = who("novice", "iron_fist", item="unarmed"), fight_by_hand(pool(3, 6), pool(3, 6))
    assert chances(book, "combat", fist, who()) == combat_by_hand(even, 6, 6, 0, -1)
    assert chances(book, "combat", who(item="unarmed"), fist) == combat_by_hand(even, 6, 6, -1, 0)
    maimed = who(item="two_handed", conditions=("maimed_combat",))
    assert first_dice(book, "combat", maimed, who(), more_on_attacker=5) == "1 D6"


# The optional rule: a die at its best face gives a failed die a re-roll


def test_best_faces_re_roll_failures_of_a_shot(book: Book) -> None:
    by = who(item="revolver")
    by_hand = outcomes(shot_by_hand(pool(3, 6, best_face=True), 6, 10))
    assert chances(book, "shot", by, who(), BEST_FACE) == by_hand
    assert by_hand != chances(book, "shot", by, who())
    played = play(book, "shot", by, who("hero"), (6, 6, 1), (5,), (10,), settings=BEST_FACE)
    assert (played.throws[1].wanted.dice, played.numbers["hits"]) == (1, 3)


def test_best_faces_re_roll_failures_of_every_other_test(book: Book) -> None:
    margins = fight_by_hand(
        pool(3, 6, again=1, best_face=True), pool(3, 8, ones_again=True, best_face=True)
    )
    by, at = who(item="sword"), who("veteran", item="spear")
    by_hand = combat_by_hand(margins, 6, 8)
    assert chances(book, "combat", by, at, BEST_FACE) == by_hand
    down, thrown = who(states=("down",)), pool(3, 6, best_face=True)
    stands = sum(chance for (count, _best, _one), chance in thrown.items() if count == 3)
    assert chances(book, "recovery", down, None, BEST_FACE)["stands"] == stands
    few: dict[str, Any] = {"gang.standing": 1}
    assert chances(book, "nerve", who("hero", "boss"), None, BEST_FACE, **few) == chances(
        book, "nerve", who("hero", "boss"), **few
    )
    two = ready(book.under(book.default_settings() | BEST_FACE), "grit_test")
    successes = odds(two, facts(book, who(), None, BEST_FACE, test_dice=2)).numbers["successes"]
    # Both succeed, or a 6 re-rolls the other; a 5 and a failure stay one success.
    assert successes[2] == Fraction(4, 36) + Fraction(2 * 4, 36) * Fraction(1, 3)


# Sequences


def after(book: Book, key: str, by: Side, start: Chances, rank: str, **told: Any) -> Chances:
    """Return the target's states after one more roll; targets down or out are not shot at."""
    found: Counter[str] = Counter()
    for state, chance in start.items():
        if state in ("down", "casualty"):
            found[state] += chance  # type: ignore[assignment]
            continue
        target = who(rank, states=("shaken",) if state == "shaken" else ())
        for outcome, share in chances(book, key, by, target, **told).items():
            left = state if outcome in ("saved", "missed") else outcome
            found[left] += chance * share  # type: ignore[assignment]
    return dict(found)  # type: ignore[arg-type]


def test_two_weapons_in_a_row_match_a_count_by_hand(book: Book) -> None:
    """A thrown weapon after a move, then a revolver, at a veteran."""
    thrown = after(book, "throw", who(item="thrown"), {"ready": Fraction(1)}, "veteran")
    third, sixth = Fraction(1, 3), Fraction(1, 12)
    assert thrown == {"ready": 1 - third / 2, "shaken": sixth, "down": sixth}
    shot = after(book, "shot", who(item="revolver"), thrown, "veteran", distance=5)
    fresh = outcomes(shot_by_hand(pool(3, 6), 8, 10))
    shaken = outcomes(shot_by_hand(pool(3, 6), 6, 10, before=1), 1)
    assert shot["casualty"] == thrown["ready"] * fresh["casualty"] + sixth * shaken["casualty"]
    assert shot["shaken"] == (
        thrown["ready"] * fresh["shaken"] + sixth * (shaken["missed"] + shaken["saved"])
    )
    assert sum(shot.values()) == 1


def test_two_separate_shots_match_two_shots_except_for_jams(book: Book) -> None:
    by = who("novice", item="musket")
    state = {"ready": Fraction(1)}
    for _shot in range(2):
        state = after(book, "shot", by, state, "hero", distance=10)
    expected = two_by_hand(pool(3, 6), 10, 0, 0)
    assert state == {
        "ready": expected["missed"] + expected["saved"],
        **{key: expected[key] for key in ("shaken", "down", "casualty")},
    }


def test_a_loop_of_shots_has_exact_odds(book: Book) -> None:
    """Exact odds: from ready to shaken, and from both to down or casualty."""
    steps = [
        {"let": "harm", "be": 0},
        {"let": "jammed", "be": 0},
        {"again": "shot", "until": "harm >= 2", "steps": [{"use": "one_shot"}]},
    ]
    data = {
        "key": "until_down",
        "name": {"en": "Until down", "fr": "Jusqu’au sol"},
        "source": "house",
        "by": "member",
        "at": "member",
        "using": "item",
        "steps": steps,
        "outcomes": [
            {"key": "casualty", "name": {"en": "C", "fr": "P"}, "given": "harm == 3"},
            {"key": "down", "name": {"en": "D", "fr": "S"}},
        ],
    }
    roll = make_ready(book.usual, Roll.model_validate(data))
    for rank, sides in SIDES.items():
        found = odds(roll, facts(book, who(item="revolver"), who(rank), None, distance=7)).outcomes
        fresh = outcomes(shot_by_hand(pool(3, 6), sides, 10))
        later = outcomes(shot_by_hand(pool(3, 6), max(6, sides - 2), 10, before=1), 1)
        gone = later["casualty"] / (later["casualty"] + later["down"])
        hurt = fresh["shaken"] + fresh["down"] + fresh["casualty"]
        assert found["casualty"] == (fresh["casualty"] + fresh["shaken"] * gone) / hurt
        assert found["down"] == 1 - found["casualty"]


# Six situations from the sheet


def test_a_rifle_has_its_odds_across_the_street(book: Book) -> None:
    """Long Abel, a novice, shoots a rifle at 20" at a veteran behind a barrel: 3 - 1 - 1 dice."""
    found = chances(book, "shot", who(item="rifle"), who("veteran"), distance=20, in_cover=1)
    third = Fraction(1, 3)
    assert found == {
        "missed": 2 * third,
        "saved": third / 2,
        "shaken": third / 4,
        "down": third / 4,
    }
    assert number(book, "shot", "jammed", who(item="rifle"), who(), distance=20, in_cover=1) == {
        0: Fraction(11, 12),
        1: Fraction(1, 12),
    }


def test_a_shotgun_throws_six_dice_from_behind(book: Book) -> None:
    """Widow Marsh fires a shotgun at 4" into a novice's back: 3 + 1 + 1 + 1 dice."""
    by = who(item="shotgun")
    assert first_dice(book, "shot", by, who(), distance=4, from_behind=1) == "6 D6"
    played = play(
        book, "shot", by, who(), (6, 5, 5, 5, 2, 1), (4,), (5,), distance=4, from_behind=1
    )
    # Four successes need 8 or more: a failure by 4.
    assert (played.outcome, played.names["failed"], played.numbers["jammed"]) == ("down", 4, 0)


def test_a_hunting_rifle_throws_five_dice_from_above(book: Book) -> None:
    """A hero with a hunting rifle at 10", from above, at another hero: 5 dice, the save at -1."""
    by, at = who("hero", item="hunting_rifle"), who("hero")
    told: dict[str, Any] = {"distance": 10, "shooter_higher": 1}
    assert first_dice(book, "shot", by, at, **told) == "5 D10"
    played = play(book, "shot", by, at, (5, 5, 5, 5, 5), (5,), **told)
    assert (played.outcome, played.names["failed"]) == ("casualty", 5)
    assert play(book, "shot", by, at, (5, 5, 5, 5, 5), (6,), **told).outcome == "down"


def test_a_charge_throws_two_dice_at_a_protected_target(book: Book) -> None:
    """Big Osei charges a novice behind a wall with a two-handed weapon: 3 + 1 - 1 - 1 dice."""
    by = who(item="two_handed")
    assert first_dice(book, "combat", by, who(), charged=1, protected=1) == "2 D6"
    played = play(book, "combat", by, who(), (5, 6), (2, 3, 4), (3,), charged=1, protected=1)
    # Two more successes need 6 or more, and 3 - 1 fails by 4.
    assert (played.outcome, played.names["failed"]) == ("down", 4)


def test_the_attacker_gains_a_die_when_three_fight_one(book: Book) -> None:
    """One of three novices charges a veteran with a sword; two are unengaged.

    The sheet counts the attackers beyond the first.
    """
    by, at = who(item="unarmed"), who("veteran", item="sword")
    margins = fight_by_hand(pool(4, 6), pool(2, 8, again=1))
    told: dict[str, Any] = {"charged": 1, "more_on_defender": 1}
    assert number(book, "combat", "margin", by, at, **told) == margins


def test_nerve_has_its_chances_for_the_last_three_of_six(book: Book) -> None:
    """The boss is down: a novice tests with one die. The boss, beside a friend, rolls 4 dice."""
    few: dict[str, Any] = {"gang.standing": 3, "gang.start": 6}
    assert chances(book, "nerve", who(), **few) == {
        "holds": Fraction(1, 3),
        "flees": Fraction(2, 3),
    }
    boss = who("veteran", "boss", states=("down",))
    found = chances(book, "recovery", boss, friend_in_contact=1)
    assert found["casualty"] == Fraction(1, 16)
    left: dict[str, Any] = {"gang.standing": 3, "boss_able": 0}
    assert number(book, "cards", "cards", None, None, **left) == {2: 1}


# States, weapons, actions


def test_states_change_the_profile(book: Book) -> None:
    settings = book.default_settings()
    for rank, die in (("hero", "D8"), ("veteran", "D6"), ("novice", "D6")):
        figure = who(rank).figure
        usual = profile(book.under(settings), figure)
        shaken = in_states(book.under(settings), figure, usual, ["shaken"])
        assert str(shaken.scores["grit"].value) == die
        down = in_states(book.under(settings), figure, usual, ["down"])
        assert (down.number("move"), down.scores["grit"].value) == (2, usual.scores["grit"].value)


def test_item_columns_have_numbers_for_rolls(book: Book) -> None:
    names = facts(book, who(item="hunting_rifle"))
    assert [names[f"item.{key}"] for key in ("short", "medium", "long", "jam")] == [10, 20, 30, 6]
    names = facts(book, who(item="sawn_off"))
    assert [names[f"item.{key}"] for key in ("short", "medium", "long", "jam")] == [6, 0, 0, 1]
    names = facts(book, who(item="lemat", mode="sawn_off"))
    assert [names[f"item.{key}"] for key in ("short", "medium", "long", "jam")] == [6, 0, 0, 8]


def test_weapon_tags_name_how_they_shoot(book: Book) -> None:
    def tagged(tag: str) -> list[str]:
        return [item.key for item in book.items if tag in item.tags]

    assert tagged("twice") == ["double_action", "repeating_carbine"]
    assert tagged("corridor") == ["sawn_off"]
    assert tagged("always_jams") == ["sawn_off", "musket"]
    assert tagged("thrown") == ["thrown"]


def test_actions_have_their_costs_and_rolls(book: Book) -> None:
    assert {row.key: (row.cost, row.rolls) for row in book.actions} == {
        "move": (1, ()),
        "crawl": (1, ()),
        "throw": (0, ("throw",)),
        "shoot": (1, ("shot", "two_shots")),
        "fight": (1, ("combat",)),
        "power": (1, ()),
        "clear": (1, ()),
        "take_loot": (1, ()),
        "carry_off": (0, ()),
    }

    (cleared,) = book.action["clear"].effects
    assert cleared.model_dump(exclude_defaults=True) == {
        "kind": "ends",
        "whom": "item",
        "state": "jammed",
    }

    def able(side: Side, **told: Value) -> list[str]:
        names = facts(book, side, None, None, **told)
        rows = [row for row in book.actions if row.usable and not row.scenarios]
        return [row.key for row in rows if parse(row.usable or "0").holds(names)]

    assert able(who(item="revolver")) == ["move", "shoot", "fight", "clear"]
    assert able(who(item="thrown")) == ["move", "fight", "clear"]
    assert able(who(item="thrown"), moved=1) == ["move", "throw", "fight", "clear"]
    assert able(who("veteran", "arcanist")) == ["move", "fight", "power", "clear"]
    assert able(who("veteran", "arcanist"), enemy_in_contact=1) == ["move", "fight", "clear"]
    assert able(who("hero", "arcanist", item="revolver", states=("down",))) == ["crawl"]


def test_every_outcome_of_a_shot_can_jam_the_weapon(book: Book) -> None:
    for key in ("shot", "two_shots", "further_shot"):
        roll = book.roll[key]
        for outcome in roll.outcomes:
            effects = roll.effects_of(outcome)
            jams = [one for one in effects if one.kind == "begins" and one.state == "jammed"]
            assert [(one.kind, one.whom) for one in jams] == [("begins", "item")]


def _in_english(item: Item, column: str) -> str:
    cell = item.columns[column]
    return cell["en"] if isinstance(cell, Text) else cell


def test_item_columns_keep_their_text(book: Book) -> None:
    sawn_off = book.item["sawn_off"]
    shown = [_in_english(sawn_off, key) for key in ("short", "medium", "long", "jam")]
    assert shown == ['6" corridor', "–", "–", "Always jams"]
    assert _in_english(book.item["thrown"], "jam") == "None"
