"""The dice of Blackwater Gulch: every procedure declared, every golden case exact."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from math import comb

import pytest

from rules.book.characteristics import Value as Score
from rules.book.model import Book
from rules.book.vocabulary import Settings
from rules.engine.compiling import CompiledCount, CompiledStep, Ready, ready
from rules.engine.expressions import Value, parse
from rules.engine.figure import Figure
from rules.engine.odds import Odds, odds
from rules.engine.playing import Played, play, tell
from rules.engine.situations import Side, Situation, names_in
from rules.engine.throwing import counting
from rules.loading.try_rolls import try_rolls

ATTRIBUTES = ("str", "qui", "sta", "int", "rc", "mc")
HALF = Fraction(1, 2)


def who(rank: str = "henchman", **more: object) -> Figure:
    """Return a member of ``rank`` with these attributes (default 1) and other fields."""
    points = {key: int(str(more.pop(key, 1))) - 1 for key in ATTRIBUTES}
    return Figure(rank=rank, worth_rank=rank, points=points, **more)  # type: ignore[arg-type]


def side(
    figure: Figure,
    item: str | None = None,
    *states: str,
    mode: str | None = None,
    life: int | None = None,
) -> Side:
    return Side(figure, item, mode, states, life)


def names(
    book: Book, by: Side | None, at: Side | None, said: Mapping[str, Value], settings: Settings
) -> dict[str, Value]:
    about = {key: value for key, value in said.items() if "." not in key}
    of_table = {key: value for key, value in said.items() if "." in key}
    return {**names_in(book.under(settings), Situation(by, at, about)), **of_table}


def chances(
    book: Book,
    roll: str,
    by: Side | None = None,
    at: Side | None = None,
    said: Mapping[str, Value] | None = None,
    options: Settings | None = None,
    spends: tuple[str, ...] = (),
    rounds: tuple[tuple[int, ...], ...] = (),
) -> Odds:
    settings = book.default_settings() | (options or {})
    made = ready(book.under(settings), roll, spends, rounds)
    return odds(made, names(book, by, at, said or {}, settings))


def told(
    book: Book,
    roll: str,
    faces: list[tuple[int, ...]],
    by: Side | None = None,
    at: Side | None = None,
    said: Mapping[str, Value] | None = None,
) -> Played:
    settings = book.default_settings()
    return tell(ready(book.under(settings), roll), names(book, by, at, said or {}, settings), faces)


def thrown(
    book: Book,
    roll: str,
    step: str,
    by: Side | None = None,
    at: Side | None = None,
    said: Mapping[str, Value] | None = None,
) -> tuple[int, int]:
    """Return the number of dice that a step throws, and its target number."""
    settings = book.default_settings()
    made = ready(book.under(settings), roll)
    known = names(book, by, at, said or {}, settings)
    # Any faces will do: the dice of a count depend on the facts, not on its own faces.
    played = play(made, known, lambda sides: sides)
    dice = counting(_count(made, step), {**known, **played.names})
    return dice.dice, min(dice.good)


def _count(made: Ready, name: str) -> CompiledCount:
    ahead: list[CompiledStep] = [*made.steps]
    while ahead:
        step = ahead.pop(0)
        if isinstance(step, CompiledCount) and step.name == name:
            return step
        ahead[:0] = getattr(step, "steps", ())
    raise LookupError(name)


def numbers(found: Odds, of: str) -> dict[int, Fraction]:
    return {value: chance for value, chance in found.numbers[of].items() if chance}


def binomial(dice: int, chance: Fraction) -> dict[int, Fraction]:
    return {
        count: comb(dice, count) * chance**count * (1 - chance) ** (dice - count)
        for count in range(dice + 1)
    }


def fractions(*written: str) -> dict[int, Fraction]:
    return {count: Fraction(text) for count, text in enumerate(written)}


# Declared procedures.

# Every procedure of sections 3 and 4 of the fact sheet, and its rows.
PROCEDURES: dict[str, list[str]] = {
    "3.1 melee, one hand and two: Str M, M+1, M+2": ["roll blow", "modifier level_mc"],
    "3.1 pistol: one in each hand, two shots": ["roll two_shots", "action shoot_twice"],
    "3.1 longarm: re-roll one miss": ["modifier longarm"],
    "3.1 shotgun: Str +1 at short range": ["modifier shotgun_close"],
    "3.1 repeater: one more die": ["modifier repeater"],
    "3.1 thrown: range Str + 1D6, before the target is chosen": ["roll throw_range"],
    "3.1 thrown: never one in each hand": ["action throw", "modifier two_pistols"],
    "3.1 Parry: one DP more in melee": ["modifier parry"],
    "3.1 Parry: two one-handed ones, one failed save again": ["modifier two_parries"],
    "3.1 Explosive": ["roll explosive", "roll radius", "roll blast"],
    "3.1 Flaming": ["state burning", "roll burning", "roll burning_on"],
    "3.1 fists: always, Str M, one attack": ["roll blow", "roll fight"],
    "3.1 no ammunition, weapons declared before the dice": ["action shoot", "action fight"],
    "4.1 a die against a target number": [
        "roll shot",
        "procedure aim",
        "procedure strike",
        "roll any_dice",
        "circumstance dice_thrown",
        "circumstance target_number",
    ],
    "4.1 the target number held between 2 and 6": ["procedure aim", "procedure strike"],
    "4.1 re-roll of a failure": ["modifier hearty", "modifier longarm"],
    "4.1 forced re-roll of successes": ["modifier brute_strength", "procedure defence"],
    "4.1 the leader’s luck: one more die": [
        "spend luck_die_hit",
        "spend luck_die_save",
        "spend luck_die_own_save",
        "spend luck_die_test",
        "spend luck_die_dodge",
        "spend luck_die_run",
    ],
    "4.1 the leader's luck: a failed die again": [
        "spend luck_again_hit",
        "spend luck_again_save",
        "spend luck_again_own_save",
        "spend luck_again_test",
        "spend luck_again_dodge",
    ],
    "1.2 a Gambler's re-roll of any own die": [
        "spend gambler_hit",
        "spend gambler_save",
        "spend gambler_own_save",
        "spend gambler_test",
        "spend gambler_dodge",
        "spend gambler_run",
        "spend gambler_run_alone",
        "spend gambler_gallop",
    ],
    "1.2 a Gambler who leads lets a friend use one": [
        "spend lent_hit",
        "spend lent_save",
        "spend lent_own_save",
        "spend lent_test",
        "spend lent_dodge",
        "spend lent_run",
        "spend lent_run_alone",
        "spend lent_gallop",
        "circumstance leader",
        "circumstance enemy_leader",
        "circumstance near_leader",
        "circumstance target_near_leader",
    ],
    "4.2 initiative, ties again": ["roll initiative", "procedure roll_off"],
    "4.2 alternate activations: upkeep, movement, attack or action": ["action move"],
    "4.2 move 6 inches": ["action move", "roll move"],
    "4.2 run": ["action run", "roll run"],
    "4.2 run and shoot with Run & Gun": ["modifier run_and_gun", "circumstance ran"],
    "4.2 front arc, facing fixed at the end of the move": [
        "circumstance from_behind",
        "action move",
    ],
    "4.2 difficult terrain: the highest of Qui dice": ["roll move", "circumstance ground"],
    "4.2 into difficult terrain: the rest halved": ["roll move", "circumstance walked"],
    "4.2 out of difficult terrain: the roll gives it all": ["roll move"],
    "4.2 obstacles cost 1 inch each": ["circumstance obstacles"],
    "4.2 stairs and ladders": ["action move", "action run"],
    "4.2 tall and low terrain, personal space": ["action move", "action shoot"],
    "4.3 ranged attack": ["roll shot", "action shoot", "procedure aim"],
    "4.3 beyond short range": ["modifier long_range", "circumstance range"],
    "4.3 the target moved more than 6 inches": [
        "modifier target_fast",
        "circumstance target_fast",
    ],
    "4.3 the shooter rides": ["modifier shooter_rides", "circumstance horse_moved"],
    "4.3 weapon above one's RC": ["modifier level_rc"],
    "4.3 others in the target's personal space": ["modifier crowded", "circumstance others"],
    "4.3 cover": [
        "procedure cover",
        "circumstance cover",
        "modifier light_cover",
        "modifier heavy_cover",
    ],
    "4.3 the shooter ran": ["modifier ran"],
    "4.3 two one-handed weapons": ["modifier two_pistols", "circumstance two_weapons"],
    "4.3 second attack at a new target": ["modifier second_target", "circumstance second_target"],
    "4.3 Strong Arms": ["modifier strong_arms", "modifier strong_throw"],
    "4.3 Gunslinger that did not move": [
        "modifier aims",
        "circumstance aims",
        "circumstance moved",
        "action aim",
    ],
    "4.3 from outside the front arc": ["modifier from_behind"],
    "4.3 a Gunslinger who leads: long range + 2D6": ["roll long_reach", "modifier far_gunslinger"],
    "4.3 two attacks, the first settled before the second": ["roll two_shots"],
    "4.3 crowded target: a bystander takes one hit": ["roll shot", "roll stray_hit"],
    "4.3 mounted target: the horse takes one hit": ["roll shot", "roll horse_hit"],
    "4.4 melee attack": ["roll blow", "action fight", "procedure strike"],
    "4.4 outnumbered, outnumbering": [
        "procedure numbers",
        "circumstance friends",
        "circumstance foes",
        "modifier outnumbered",
        "modifier outnumbers",
    ],
    "4.4 weapon above one's MC": ["modifier level_mc"],
    "4.4 two weapons, second target": ["modifier two_blades", "modifier second_opponent"],
    "4.4 mounted, and the horse moved": ["modifier attacker_rides", "state mounted"],
    "4.4 both inside the same building": [
        "circumstance indoors",
        "modifier indoors",
        "modifier indoors_save",
    ],
    "4.4 from behind": ["modifier stabbed_from_behind"],
    "4.4 Point Blank": ["roll blow"],
    "4.4 how many attacks": ["roll fight", "modifier second_weapon", "modifier wrassler"],
    "4.4 breaking off, holding a leaver": [
        "action break_off",
        "roll hold",
        "modifier leaver_outnumbered",
        "circumstance broke_off",
        "modifier short_run",
    ],
    "4.5 defence": ["procedure defence"],
    "4.5 dice of defence": [
        "modifier light_cover_save",
        "modifier heavy_cover_save",
        "modifier gambler",
        "modifier parry",
    ],
    "4.5 super force": ["procedure defence"],
    "4.5 re-rolls of saves": [
        "modifier brute_strength",
        "modifier hearty",
        "modifier hearty_alone",
        "modifier two_parries",
    ],
    "4.6 morale: when, target number": ["roll morale", "circumstance tests_morale"],
    "4.6 Bravery": ["modifier bravery", "modifier bravery_again"],
    "4.6 failing: fleeing": ["state fleeing", "roll morale", "action leave"],
    "4.7 falling and jumping": ["roll fall", "procedure tumble", "circumstance height"],
    "4.7 jumping off a horse": ["roll jump_from_horse", "circumstance rode", "action jump"],
    "4.7 thrown from a horse": ["roll fall_from_horse"],
    "4.8 explosives": [
        "roll explosive",
        "roll radius",
        "roll blast",
        "circumstance caught",
        "action throw",
    ],
    "4.9 on fire": [
        "roll burning",
        "circumstance in_water",
        "state burning",
        "state no_attack",
    ],
    "4.10 Doctor": ["roll revive", "state revived", "action revive"],
    "4.11 riding, mounting, dismounting": [
        "action ride",
        "action mount",
        "action dismount",
        "circumstance dismounted",
        "circumstance mounts",
        "state horse_gone",
    ],
    "4.11 gallop": ["action gallop", "roll gallop"],
    "4.11 trample": [
        "action trample",
        "roll trample",
        "circumstance galloped",
        "circumstance tramples",
    ],
    "5 attacker or defender": ["roll attacker_or_defender"],
    "5 choice of side": ["roll choice_of_side"],
    "5 freeing a captive": [
        "roll free",
        "action free",
        "action lend",
        "state captive",
        "circumstance helpers",
        "modifier helpers",
        "state freed",
        "circumstance freed_friends",
        "state lent",
    ],
    "5 the hunter and the wanted figure": ["state hunter", "state wanted"],
    "5 nuggets": [
        "roll nuggets",
        "circumstance prospectors",
        "action pick_up",
        "circumstance carried",
    ],
    "6.3 an attribute at 0 throws a single D3": ["roll run", "roll shot"],
}
KINDS = ("roll", "modifier", "procedure", "circumstance", "state", "action", "spend")


def test_every_procedure_is_declared(blackwater: Book) -> None:
    assert [words for words, found in PROCEDURES.items() if not found] == []
    named = {tuple(text.split(" ", 1)) for found in PROCEDURES.values() for text in found}
    there = {(kind, key) for kind in KINDS for key in getattr(blackwater, kind)}
    assert there - named == set()
    assert named - there == set()


# Circumstances that only the players see; the others are known from rows and taps.
AT_RANGE = {"range", "cover", "others", "from_behind", "target_near_leader"}
ASKED: dict[str, set[str]] = {
    "attacker_or_defender": set(),
    "choice_of_side": set(),
    "nuggets": set(),
    "initiative": set(),
    "morale": {"near_leader"},
    "burning": {"in_water"},
    "burning_on": set(),
    "move": {"ground", "walked", "obstacles", "near_leader"},
    "any_dice": {"dice_thrown", "target_number"},
    "run": {"obstacles"},
    "gallop": {"obstacles"},
    "trample": {"galloped"},
    "fall": {"height"},
    "jump_from_horse": {"rode"},
    "fall_from_horse": {"rode"},
    "hold": set(),
    "throw_range": set(),
    "long_reach": set(),
    "shot": AT_RANGE,
    "two_shots": AT_RANGE,
    "explosive": AT_RANGE - {"range"},
    "radius": set(),
    "blast": {"cover", "caught", "target_near_leader"},
    "stray_hit": {"range", "cover", "target_near_leader"},
    "horse_hit": {"range"},
    "blow": {"indoors", "from_behind"},
    "fight": {"indoors", "from_behind"},
    "revive": set(),
    "free": {"helpers"},
}


def test_each_roll_asks_for_its_circumstances(blackwater: Book) -> None:
    settings = blackwater.default_settings()
    assert {
        roll.key: {
            row.key for row in ready(blackwater.under(settings), roll.key).asked if not row.known
        }
        for roll in blackwater.rolls
    } == ASKED


@pytest.mark.long
def test_every_outcome_can_happen(blackwater: Book) -> None:
    assert list(try_rolls(blackwater)) == []


# Target numbers and dice to hit: each modifier, and the rules that cancel it.

PLAIN = who(rc=3, mc=3)
TARGET = side(who())
GUNSLINGER = who("professional", profession="gunslinger", rc=3)
GUN_LEADER = who("leader", profession="gunslinger", rc=3)
HUNTER = who("professional", profession="bounty_hunter", rc=3)


def test_a_plain_shot_or_blow_throws_three_dice_at_4(blackwater: Book) -> None:
    assert thrown(blackwater, "shot", "hits", side(PLAIN, "navy_revolver"), TARGET) == (3, 4)
    assert thrown(blackwater, "blow", "hits", side(PLAIN, "bowie_knife"), TARGET) == (3, 4)


@pytest.mark.parametrize(
    ("by", "at", "said", "expected"),
    [
        (side(PLAIN, "navy_revolver"), TARGET, {"range": "long"}, (3, 5)),
        # Deadeye: longarm and repeater, neither shotgun nor pistol.
        (side(who(rc=6), "sharps"), TARGET, {"range": "long"}, (6, 4)),
        (side(who(rc=6), "lightning"), TARGET, {"range": "long"}, (7, 4)),
        (side(who(rc=6), "long_shotgun"), TARGET, {"range": "long"}, (6, 5)),
        (side(who(rc=6), "colt_pistol"), TARGET, {"range": "long"}, (6, 5)),
        (side(PLAIN, "throwing_knife"), TARGET, {"range": "long"}, (3, 4)),
        (side(PLAIN, "navy_revolver"), TARGET, {"target_fast": 1}, (3, 5)),
        (side(PLAIN, "navy_revolver", "mounted"), TARGET, {"horse_moved": 1}, (3, 5)),
        (side(PLAIN, "navy_revolver", "mounted"), TARGET, {}, (3, 4)),
        (side(PLAIN, "navy_revolver"), TARGET, {"horse_moved": 1}, (3, 4)),
        (side(PLAIN, "navy_revolver"), TARGET, {"others": 1}, (3, 5)),
        (side(PLAIN, "navy_revolver"), TARGET, {"others": 4}, (3, 5)),
        (side(PLAIN, "navy_revolver"), TARGET, {"cover": "light"}, (3, 5)),
        (side(PLAIN, "navy_revolver"), TARGET, {"cover": "heavy"}, (3, 6)),
        (side(PLAIN, "navy_revolver"), TARGET, {"cover": "area"}, (3, 5)),
        (side(PLAIN, "navy_revolver"), TARGET, {"cover": "building"}, (3, 6)),
        (side(PLAIN, "navy_revolver"), TARGET, {"cover": "indoors"}, (3, 5)),
        (side(PLAIN, "navy_revolver"), side(who(), None, "mounted"), {}, (3, 5)),
        # Covers do not add up.
        (side(PLAIN, "navy_revolver"), side(who(), None, "mounted"), {"cover": "light"}, (3, 5)),
        (side(PLAIN, "navy_revolver"), side(who(), None, "mounted"), {"cover": "heavy"}, (3, 6)),
        (
            side(PLAIN, "navy_revolver"),
            side(who("professional", profession="prospector")),
            {"cover": "area"},
            (3, 6),
        ),
        (
            side(PLAIN, "navy_revolver"),
            TARGET,
            {"cover": "area", "enemy_leader": "prospector", "target_near_leader": 1},
            (3, 6),
        ),
        (side(PLAIN, "navy_revolver"), TARGET, {"cover": "area", "target_near_leader": 1}, (3, 5)),
        (side(PLAIN, "navy_revolver"), TARGET, {"ran": 1}, (3, 5)),
        (side(PLAIN, "navy_revolver"), TARGET, {"two_weapons": 1}, (3, 5)),
        # Quickdraw takes away the first +1, and never the second target's.
        (side(who(rc=4), "navy_revolver"), TARGET, {"two_weapons": 1}, (4, 4)),
        (side(who(rc=4), "navy_revolver"), TARGET, {"two_weapons": 1, "second_target": 1}, (4, 5)),
        (side(PLAIN, "throwing_knife"), TARGET, {"two_weapons": 1}, (3, 4)),
        (side(PLAIN, "navy_revolver"), TARGET, {"second_target": 1}, (3, 5)),
        (side(GUN_LEADER, "navy_revolver"), TARGET, {"second_target": 1}, (3, 4)),
        (side(GUNSLINGER, "navy_revolver"), TARGET, {"second_target": 1}, (3, 5)),
        (side(who(str=6, rc=3), "navy_revolver"), TARGET, {}, (3, 3)),
        (side(who(str=6, rc=3), "throwing_knife"), TARGET, {}, (4, 4)),
        (side(GUNSLINGER, "navy_revolver"), TARGET, {"aims": 1}, (3, 3)),
        (side(PLAIN, "navy_revolver"), TARGET, {"aims": 1}, (3, 4)),
        (side(PLAIN, "navy_revolver"), TARGET, {"from_behind": 1}, (4, 4)),
        (side(PLAIN, "spencer"), TARGET, {}, (4, 4)),
        # All are added up before the sum is limited to 2–6.
        (
            side(who("professional", profession="gunslinger", str=6, rc=3), "spencer"),
            TARGET,
            {"aims": 1, "cover": "heavy", "others": 1, "range": "long", "target_fast": 1},
            (4, 6),
        ),
        (side(GUNSLINGER, "colt_pistol"), TARGET, {"aims": 1}, (3, 6)),
        (
            side(who("professional", profession="gunslinger", str=6, rc=3), "spencer"),
            TARGET,
            {"aims": 1},
            (4, 2),
        ),
    ],
)
def test_modifiers_change_the_dice_and_target_number_of_a_shot(
    blackwater: Book, by: Side, at: Side, said: dict[str, Value], expected: tuple[int, int]
) -> None:
    assert thrown(blackwater, "shot", "hits", by, at, said) == expected


@pytest.mark.parametrize(
    ("figure", "level", "target"),
    [
        # RC 2 against level 5 is +3, a raw 7 limited to 6.
        (who(rc=2), 5, 6),
        (HUNTER, 4, 4),
        (HUNTER, 5, 5),
        (HUNTER, 6, 6),
        # Knowhow is one level, and adds to the hunter's.
        (who(int=6, rc=3), 4, 4),
        (who(int=6, rc=3), 5, 5),
        (who("professional", profession="bounty_hunter", int=6, rc=3), 5, 4),
        (who(rc=4), 6, 6),
        (who(rc=6), 6, 4),
    ],
)
def test_weapons_above_the_level_raise_the_target_number(
    blackwater: Book, figure: Figure, level: int, target: int
) -> None:
    pistol = {4: "remington_army", 5: "schofield", 6: "colt_pistol"}[level]
    dice, needed = thrown(blackwater, "shot", "hits", side(figure, pistol), TARGET)
    assert needed == target
    found = chances(blackwater, "shot", side(figure, pistol), TARGET)
    assert numbers(found, "hits") == binomial(dice, Fraction(7 - target, 6))


WRASSLER = who("leader", profession="wrassler", mc=3)


@pytest.mark.parametrize(
    ("by", "at", "said", "expected"),
    [
        (side(PLAIN, "bowie_knife"), TARGET, {"target_fast": 1}, (3, 5)),
        (side(PLAIN, "bowie_knife"), TARGET, {"foes": 1}, (3, 5)),
        (side(PLAIN, "bowie_knife"), TARGET, {"foes": 3}, (3, 5)),
        (side(PLAIN, "bowie_knife"), TARGET, {"friends": 1}, (4, 4)),
        (side(PLAIN, "bowie_knife"), TARGET, {"friends": 1, "foes": 1}, (3, 4)),
        # A mounted figure counts as two, a leading Wrassler as well, both together as three.
        (side(PLAIN, "bowie_knife", "mounted"), TARGET, {}, (4, 4)),
        (side(PLAIN, "bowie_knife"), side(who(), None, "mounted"), {}, (3, 5)),
        (side(WRASSLER, "bowie_knife"), TARGET, {}, (4, 4)),
        (side(WRASSLER, "bowie_knife"), TARGET, {"foes": 1}, (3, 4)),
        (side(WRASSLER, "bowie_knife", "mounted"), TARGET, {"foes": 1}, (4, 4)),
        (side(WRASSLER, "bowie_knife", "mounted"), TARGET, {"foes": 2}, (3, 4)),
        (side(PLAIN, "bowie_knife"), side(WRASSLER), {}, (3, 5)),
        (side(PLAIN, "bowie_knife"), side(WRASSLER, None, "fleeing"), {}, (3, 4)),
        (side(PLAIN, "spear"), TARGET, {}, (3, 6)),
        (side(PLAIN, "wood_axe"), TARGET, {}, (3, 5)),
        (side(PLAIN, "fists"), TARGET, {}, (3, 4)),
        (side(PLAIN, "bowie_knife"), TARGET, {"two_weapons": 1}, (3, 5)),
        (side(who(mc=4), "bowie_knife"), TARGET, {"two_weapons": 1}, (4, 4)),
        (side(who(mc=4), "bowie_knife"), TARGET, {"two_weapons": 1, "second_target": 1}, (4, 5)),
        (side(PLAIN, "bowie_knife"), TARGET, {"second_target": 1}, (3, 5)),
        (side(PLAIN, "bowie_knife", "mounted"), TARGET, {"horse_moved": 1}, (4, 5)),
        (side(PLAIN, "bowie_knife"), TARGET, {"indoors": 1}, (3, 5)),
        (side(PLAIN, "bowie_knife"), TARGET, {"from_behind": 1}, (4, 4)),
        # No cover in melee, and a mounted target has none either.
        (side(PLAIN, "bowie_knife"), TARGET, {"cover": "heavy"}, (3, 4)),
    ],
)
def test_modifiers_change_the_dice_and_target_number_of_a_blow(
    blackwater: Book, by: Side, at: Side, said: dict[str, Value], expected: tuple[int, int]
) -> None:
    assert thrown(blackwater, "blow", "hits", by, at, said) == expected


def test_a_point_blank_shot_uses_melee_combat(blackwater: Book) -> None:
    """Dice and level by MC, damage by the pistol; for Duelist two pistols are melee weapons."""
    figure = who(str=2, rc=1, mc=6)
    by = side(figure, "remington_army", mode="point_blank")
    assert thrown(blackwater, "blow", "hits", by, TARGET) == (6, 4)
    assert thrown(blackwater, "blow", "hits", by, TARGET, {"two_weapons": 1}) == (6, 4)
    assert thrown(blackwater, "blow", "saves", by, TARGET) == (1, 4)
    shot = thrown(blackwater, "shot", "hits", side(figure, "remington_army"), TARGET)
    assert shot == (1, 6)


# Defence.

BRAWLER = side(who(str=4, mc=3), "bowie_knife")  # Str 5, Brute Strength


@pytest.mark.parametrize(
    ("roll", "by", "at", "said", "expected"),
    [
        ("shot", side(PLAIN, "navy_revolver"), TARGET, {}, (1, 3)),
        ("shot", side(PLAIN, "navy_revolver"), TARGET, {"cover": "light"}, (2, 3)),
        ("shot", side(PLAIN, "navy_revolver"), TARGET, {"cover": "heavy"}, (3, 3)),
        ("shot", side(PLAIN, "navy_revolver"), side(who(), None, "mounted"), {}, (2, 3)),
        ("shot", side(PLAIN, "navy_revolver"), side(who(items=("club",))), {}, (1, 3)),
        (
            "shot",
            side(PLAIN, "navy_revolver"),
            side(who("professional", profession="gambler")),
            {},
            (2, 3),
        ),
        ("blow", BRAWLER, TARGET, {}, (1, 5)),
        ("blow", BRAWLER, TARGET, {"indoors": 1}, (2, 5)),
        ("blow", BRAWLER, side(who(items=("club",))), {}, (2, 5)),
        ("blow", BRAWLER, side(who(items=("club", "sword", "shovel"))), {}, (2, 5)),
        ("blow", BRAWLER, side(who("professional", profession="gambler")), {}, (3, 5)),
        ("blow", side(who(str=1), "knife"), TARGET, {}, (1, 2)),
        ("blow", side(who(str=6), "sword"), TARGET, {}, (1, 6)),
        ("shot", side(PLAIN, "coach_gun"), TARGET, {"range": "short"}, (1, 6)),
        ("shot", side(PLAIN, "coach_gun"), TARGET, {"range": "long"}, (1, 5)),
    ],
)
def test_modifiers_change_the_dice_and_target_number_of_a_save(
    blackwater: Book,
    roll: str,
    by: Side,
    at: Side,
    said: dict[str, Value],
    expected: tuple[int, int],
) -> None:
    assert thrown(blackwater, roll, "saves", by, at, said) == expected


def saves(book: Book, by: Side, at: Side, **said: Value) -> dict[int, Fraction]:
    """Return the chances of each number of saves against a certain hit."""
    return numbers(chances(book, "stray_hit", by, at, said), "saves")


TWO_DP = side(who("professional", profession="doctor"))


def test_a_long_shotgun_makes_the_target_re_roll_a_success(blackwater: Book) -> None:
    """Str 7: target number 6, then one success again."""
    by = side(PLAIN, "long_shotgun")
    assert saves(blackwater, by, TWO_DP) == fractions("25/27", "5/72", "1/216")
    assert saves(blackwater, by, TWO_DP, range="long") == fractions("25/36", "10/36", "1/36")


def test_hearty_re_rolls_a_failed_save(blackwater: Book) -> None:
    hearty = side(who("professional", profession="doctor", sta=4))
    by = side(PLAIN, "springfield")  # Str 5
    assert saves(blackwater, by, hearty) == fractions("8/27", "4/9", "7/27")


def melee_saves(book: Book, by: Side, at: Side) -> dict[int, Fraction]:
    """Return the chances of each number of saves against a blow that hits."""
    found = chances(book, "blow", by, at)
    spread = numbers(found, "saves")
    missed = found.outcomes["missed"]
    spread[0] -= missed
    return {count: chance / (1 - missed) for count, chance in spread.items()}


def test_brute_strength_re_rolls_a_save_in_melee_only(blackwater: Book) -> None:
    by = side(who(str=4, mc=3), "knife")  # Str 4
    assert melee_saves(blackwater, by, TWO_DP) == fractions("1/2", "3/8", "1/8")
    # Thrown weapons have no such re-roll.
    knife = side(who(str=4, rc=3), "throwing_knife")
    assert saves(blackwater, knife, TWO_DP) == fractions("1/4", "1/2", "1/4")


def test_forced_re_rolls_come_before_the_targets_own_re_roll(blackwater: Book) -> None:
    """Str 7 and Brute Strength re-roll two successes; Hearty then re-rolls another failure."""
    by = side(who(str=5, mc=6), "sword")  # M+2: Str 7
    hearty = side(who("professional", profession="doctor", sta=4))
    fair, p = melee_saves(blackwater, by, hearty), Fraction(1, 6)
    expected = {0: Fraction(0), 1: Fraction(0), 2: Fraction(0)}
    for first, chance in binomial(2, p).items():
        # Every success is thrown again, and one of the failures.
        again = first + min(1, 2 - first)
        for count, more in binomial(again, p).items():
            expected[count] += chance * more
    assert fair == expected


def test_two_parrying_weapons_add_a_die_and_a_re_roll(blackwater: Book) -> None:
    """One more die and one re-roll: two dice of DP 1 against Str 4."""
    by = side(who(str=3, mc=3), "bowie_knife")
    pair = side(who(items=("club", "sword")))
    assert melee_saves(blackwater, by, pair) == fractions("1/8", "3/8", "1/2")
    one = side(who(items=("club",)))
    assert melee_saves(blackwater, by, one) == fractions("1/4", "1/2", "1/4")


# Complete shots.


def test_a_shot_has_its_odds_against_two_dp(blackwater: Book) -> None:
    """RC 3, target number 4, Str 4 against DP 2; the third point of 1 in 32 shots is not there."""
    by = side(who(rc=3, int=6), "remington_army")
    found = chances(blackwater, "shot", by, TWO_DP)
    assert numbers(found, "lost") == fractions("1/2", "5/16", "3/16")
    assert found.outcomes["out"] == Fraction(3, 16)
    assert found.outcomes["missed"] == Fraction(1, 8)
    assert found.outcomes["saved"] == HALF - Fraction(1, 8)
    assert found.outcomes["hurt"] == Fraction(5, 16)


def test_a_longarm_re_rolls_one_miss(blackwater: Book) -> None:
    found = chances(blackwater, "shot", side(who(rc=2), "musket"), TARGET)
    assert numbers(found, "hits") == fractions("1/8", "3/8", "1/2")


def test_a_missed_shot_can_hit_a_bystander(blackwater: Book) -> None:
    """Two others, numbered 1 and 2; the die shows 2."""
    by = side(who(rc=1), "derringer")
    played = told(blackwater, "shot", [(3,), (2,)], by, TARGET, {"others": 2})
    assert (played.outcome, played.names["stray"]) == ("stray", 2)
    # No bystander has that number.
    assert told(blackwater, "shot", [(3,), (3,)], by, TARGET, {"others": 2}).outcome == "missed"
    found = chances(blackwater, "shot", by, TARGET, {"others": 2})
    assert found.outcomes["stray"] == Fraction(2, 3) * Fraction(2, 6)
    (then,) = blackwater.roll["shot"].outcomes[1].effects
    assert (then.kind, getattr(then, "roll", "")) == ("then", "stray_hit")


def test_a_missed_shot_can_hit_the_horse(blackwater: Book) -> None:
    by = side(who(rc=1), "derringer")
    rider = side(who(), None, "mounted")
    found = chances(blackwater, "shot", by, rider)
    assert found.outcomes["horse_hit"] == Fraction(2, 3) * Fraction(2, 6)
    # With others nearby, the shots that miss the horse.
    found = chances(blackwater, "shot", by, rider, {"others": 3})
    missed = Fraction(5, 6)
    assert found.outcomes["horse_hit"] == missed * Fraction(2, 6)
    assert found.outcomes["stray"] == missed * Fraction(4, 6) * Fraction(3, 6)
    horse = side(who(items=("large_horse",)), "large_horse", "mounted")
    found = chances(blackwater, "horse_hit", by, horse)
    # Four dice at Str 3.
    assert found.outcomes == {"holds": 1 - Fraction(1, 3) ** 4, "horse_out": Fraction(1, 3) ** 4}


def test_a_fire_bottle_sets_a_hurt_target_on_fire(blackwater: Book) -> None:
    by = side(who(rc=4), "fire_bottle")
    found = chances(blackwater, "shot", by, side(who("leader", profession="doctor")))
    lost = numbers(found, "lost")
    assert found.outcomes["alight"] == lost[1] + lost[2] > 0
    assert found.outcomes["out"] == lost[3] > 0 and max(lost) == 3
    assert found.outcomes["hurt"] == 0
    played = told(blackwater, "shot", [(6, 1, 1, 1), (2, 2)], by, TWO_DP)
    assert (played.outcome, played.numbers["lost"]) == ("alight", 1)


# One weapon after the other.


def one_shot(book: Book, by: Side, at: Side, **said: Value) -> dict[int, Fraction]:
    return numbers(chances(book, "shot", by, at, said), "lost")


def after_two(first: dict[int, Fraction], second: dict[int, Fraction], life: int) -> Fraction:
    """Return the chance that two in a row take this much life."""
    return sum(
        (one * two for lost, one in first.items() for more, two in second.items()
         if lost + more >= life),
        Fraction(0),
    )  # fmt: skip


@pytest.mark.parametrize("rc", range(1, 7))
@pytest.mark.parametrize("cover", ["none", "heavy"])
def test_two_pistol_shots_match_a_count_by_hand(blackwater: Book, rc: int, cover: str) -> None:
    by = side(who(rc=rc, items=("navy_revolver", "navy_revolver")), "navy_revolver")
    found = chances(blackwater, "two_shots", by, TWO_DP, {"cover": cover})
    single = one_shot(blackwater, by, TWO_DP, cover=cover, two_weapons=1)
    out = sum(chance for lost, chance in single.items() if lost >= 2)
    assert found.outcomes["out_at_once"] == out
    assert found.outcomes["out_at_once"] + found.outcomes["out"] == after_two(single, single, 2)
    assert found.outcomes["unhurt"] == single[0] ** 2
    assert sum(found.outcomes.values()) == 1


def test_the_first_pistol_shot_is_resolved_before_the_second(blackwater: Book) -> None:
    by = side(who(rc=2), "pocket_revolver")
    # The target of 2 HP loses both to the first: no dice are thrown for the second.
    played = told(blackwater, "two_shots", [(5, 6), (1, 1)], by, TWO_DP)
    assert (played.outcome, played.numbers["total"], played.names["shots"]) == ("out_at_once", 2, 1)
    played = told(blackwater, "two_shots", [(5, 1), (1, 1), (6, 1), (2, 2)], by, TWO_DP)
    assert (played.outcome, played.numbers["total"], played.names["shots"]) == ("out", 2, 2)
    # With 5 needed a 4 misses, and with Quickdraw it hits.
    played = told(blackwater, "two_shots", [(4, 4), (4, 4)], by, TWO_DP)
    assert played.outcome == "unhurt"
    quick = side(who(rc=4), "pocket_revolver")
    played = told(blackwater, "two_shots", [(4, 4, 1, 1), (1, 1)], quick, TWO_DP)
    assert played.outcome == "out_at_once"


def test_each_of_two_pistol_shots_can_hit_the_horse_or_a_bystander(blackwater: Book) -> None:
    """One die at 6 for each shot: +1 for the cover of a rider, or the crowd, and +1 for both."""
    by = side(who(rc=1), "derringer")
    missed, third = Fraction(5, 6), Fraction(1, 3)
    found = chances(blackwater, "two_shots", by, side(who(), None, "mounted"))
    assert found.outcomes["horse_first"] == missed * third
    # With another figure nearby as well, the die is thrown after a shot that misses the horse.
    found = chances(blackwater, "two_shots", by, side(who(), None, "mounted"), {"others": 3})
    assert found.outcomes["stray_first"] == missed * (1 - third) * HALF
    found = chances(blackwater, "two_shots", by, TARGET, {"others": 3})
    assert (found.outcomes["horse_first"], found.outcomes["stray_first"]) == (0, missed * HALF)


@pytest.mark.parametrize(
    ("faces", "outcome", "follow"),
    [
        ([(1,), (2,)], "horse_first", ["horse_hit"]),
        ([(1,), (3,), (1,)], "stray_first", ["stray_hit"]),
        ([(1,), (3,), (4,), (1,), (2,)], "unhurt", ["horse_hit"]),
        ([(1,), (3,), (4,), (1,), (3,), (2,)], "unhurt", ["stray_hit"]),
        ([(1,), (3,), (4,), (1,), (3,), (4,)], "unhurt", []),
        ([(6,), (1, 1, 1), (1,), (1,)], "hurt", ["horse_hit"]),
        ([(6,), (1, 1, 1), (1,), (4,), (3,)], "hurt", ["stray_hit"]),
    ],
)
def test_what_two_pistols_hit_instead_is_rolled_for(
    blackwater: Book, faces: list[tuple[int, ...]], outcome: str, follow: list[str]
) -> None:
    by, rider = side(who(rc=1), "derringer"), side(who("professional"), None, "mounted")
    played = told(blackwater, "two_shots", faces, by, rider, {"others": 3})
    assert played.outcome == outcome
    roll = blackwater.roll["two_shots"]
    effects = next(row for row in roll.outcomes if row.key == outcome).effects
    followed = [one for one in effects if one.kind == "then"]
    happened = [one for one in followed if parse(one.given or 1).holds(played.names)]
    assert [getattr(one, "roll", "") for one in happened] == follow


@pytest.mark.parametrize(
    ("figure", "item", "said", "attacks"),
    [
        (who(mc=3), "spear", {}, 1),
        (who(mc=3), "fists", {}, 1),
        (who(mc=3), "knife", {}, 1),
        (who(mc=3), "knife", {"two_weapons": 1}, 2),
        (WRASSLER, "spear", {}, 2),
        (WRASSLER, "knife", {"two_weapons": 1}, 3),
        (WRASSLER, "knife", {}, 3),
        (WRASSLER, "fists", {}, 2),
    ],
)
def test_weapons_decide_the_number_of_attacks(
    blackwater: Book, figure: Figure, item: str, said: dict[str, Value], attacks: int
) -> None:
    found = chances(blackwater, "fight", side(figure, item), TWO_DP, said)
    assert numbers(found, "attacks") == {attacks: 1}


def test_attacks_in_a_row_match_a_count_by_hand(blackwater: Book) -> None:
    by = side(who(mc=3, str=3), "bowie_knife")
    blow = numbers(chances(blackwater, "blow", by, TWO_DP, {"two_weapons": 1}), "lost")
    found = chances(blackwater, "fight", by, TWO_DP, {"two_weapons": 1}).outcomes
    assert found["out_early"] == sum(chance for lost, chance in blow.items() if lost >= 2)
    assert found["out_early"] + found["out"] == after_two(blow, blow, 2)
    one = chances(blackwater, "fight", by, TWO_DP).outcomes
    alone = chances(blackwater, "blow", by, TWO_DP).outcomes
    assert (one["out"], one["hurt"], one["out_early"]) == (alone["out"], alone["hurt"], Fraction(0))


def test_a_wrasslers_fist_uses_no_level_and_the_bearers_strength(blackwater: Book) -> None:
    """A sword of level 6 twice, then the fist."""
    by = side(who("professional", profession="wrassler", mc=3, str=3), "sword")
    sword = numbers(chances(blackwater, "blow", by, TWO_DP), "lost")
    fist = numbers(chances(blackwater, "blow", side(by.figure, "fists"), TWO_DP), "lost")
    found = chances(blackwater, "fight", by, TWO_DP).outcomes
    assert found["unhurt"] == sword[0] ** 2 * fist[0]
    assert found["out_early"] == after_two(sword, sword, 2)


def test_a_fire_burns_or_goes_out_at_each_upkeep(blackwater: Book) -> None:
    leader = side(who("leader", profession="doctor"))
    stays = Fraction(5, 6) ** 3
    upkeep = chances(blackwater, "burning", leader).outcomes
    assert (upkeep["burns"], upkeep["put_out"], upkeep["out"]) == (stays, 1 - stays, Fraction(0))
    last = chances(blackwater, "burning", side(leader.figure, life=1)).outcomes
    assert (last["burns"], last["out"]) == (Fraction(0), stays)
    wet = chances(blackwater, "burning", leader, said={"in_water": 1}).outcomes
    assert wet["water"] == 1
    found = chances(blackwater, "burning_on", leader)
    assert found.outcomes == {"put_out": 1 - stays**3, "out": stays**3}
    assert numbers(found, "burnt") == {
        0: 1 - stays,
        1: stays * (1 - stays),
        2: stays**2 * (1 - stays),
        3: stays**3,
    }
    # In water the fire goes out, and there is still no attack in that turn.
    outcomes = {outcome.key: outcome for outcome in blackwater.roll["burning"].outcomes}
    for key in ("water", "put_out"):
        states = [(effect.kind, getattr(effect, "state", "")) for effect in outcomes[key].effects]
        assert states == [("ends", "burning"), ("begins", "no_attack")]


# Explosives.

DYNAMITE = side(who(rc=5), "dynamite")


def test_dynamite_hits_three_figures_by_their_distance(blackwater: Book) -> None:
    """The target's die shows 4, the die of a figure wholly inside 2; partly inside is one hit."""
    played = told(blackwater, "explosive", [(6, 1, 1, 1, 1), (4,), (1, 1, 1)], DYNAMITE,
                  side(who("leader", profession="doctor")))  # fmt: skip
    assert (played.numbers["hits"], played.names["lost"], played.outcome) == (4, 4, "out")
    assert played.numbers["lost"] == 3
    wholly = told(blackwater, "blast", [(2,), (5,)], DYNAMITE, TARGET, {"caught": "wholly"})
    assert (wholly.numbers["hits"], wholly.numbers["lost"]) == (2, 1)
    partly = told(blackwater, "blast", [(5,)], DYNAMITE, TARGET, {"caught": "partly"})
    assert (partly.numbers["hits"], partly.outcome) == (1, "saved")
    assert thrown(blackwater, "blast", "saves", DYNAMITE, TARGET) == (1, 5)


def test_a_blast_has_its_radius_and_hits(blackwater: Book) -> None:
    sixth, third = Fraction(1, 6), Fraction(1, 3)
    radius = numbers(chances(blackwater, "radius", DYNAMITE), "inches")
    assert radius == dict.fromkeys(range(1, 7), sixth)
    missed = Fraction(1, 2) ** 5
    hits = numbers(chances(blackwater, "explosive", DYNAMITE, TARGET), "hits")
    assert hits == {0: missed, **dict.fromkeys(range(1, 7), (1 - missed) * sixth)}
    for caught, expected in (("wholly", dict.fromkeys((1, 2, 3), third)), ("partly", {1: 1})):
        found = chances(blackwater, "blast", DYNAMITE, TARGET, {"caught": caught})
        assert numbers(found, "hits") == expected


# Movement, falls, horses.


@pytest.mark.parametrize("qui", range(1, 7))
def test_a_run_adds_the_highest_die(blackwater: Book, qui: int) -> None:
    found = numbers(chances(blackwater, "run", side(who(qui=qui))), "inches")
    assert {inches: sum(found[low] for low in found if low <= inches) for inches in found} == {
        6 + highest: Fraction(highest, 6) ** qui for highest in range(1, 7)
    }


def test_a_run_has_the_averages_of_the_rules(blackwater: Book) -> None:
    assert told(blackwater, "run", [(2, 4)], side(who(qui=2))).numbers["inches"] == 10
    found = chances(blackwater, "run", side(who(qui=2)))
    assert found.at_least("inches", 12) == Fraction(11, 36)
    averages = ["3.5", "4.472", "4.958", "5.245", "5.431", "5.560"]
    for qui, written in enumerate(averages, start=1):
        average = chances(blackwater, "run", side(who(qui=qui))).average("inches") - 6
        assert round(average, 3) == Fraction(written)
    # After dismounting by the dice only; each obstacle costs an inch.
    played = told(blackwater, "run", [(2, 4)], side(who(qui=2)), said={"dismounted": 1})
    assert played.numbers["inches"] == 4
    assert told(blackwater, "run", [(2, 4)], side(who(qui=2)), said={"obstacles": 2}).numbers == {
        "inches": 8
    }


PROSPECTOR = side(who("professional", profession="prospector"))


@pytest.mark.parametrize(
    ("by", "said", "faces", "expected"),
    [
        (side(who(qui=2)), {"ground": "difficult"}, [(3, 5)], (5, 0)),
        (side(who()), {"ground": "into", "walked": 2}, [], (4, 2)),
        (side(who()), {"ground": "into", "walked": 3}, [], (5, 2)),
        (side(who()), {}, [], (6, 0)),
        (side(who()), {"obstacles": 2}, [], (4, 0)),
        (side(who(qui=2)), {"ground": "difficult", "obstacles": 1}, [(3, 5)], (4, 0)),
        (PROSPECTOR, {"ground": "difficult"}, [], (6, 0)),
        (PROSPECTOR, {"ground": "into", "walked": 2}, [], (6, 4)),
        (
            side(who()),
            {"ground": "difficult", "leader": "prospector", "near_leader": 1},
            [],
            (6, 0),
        ),
    ],
)
def test_a_move_counts_its_distance(
    blackwater: Book,
    by: Side,
    said: dict[str, Value],
    faces: list[tuple[int, ...]],
    expected: tuple[int, int],
) -> None:
    played = told(blackwater, "move", faces, by, said=said)
    assert (played.numbers["inches"], played.numbers["inside"]) == expected
    assert [throw.faces for throw in played.throws] == faces


@pytest.mark.parametrize("height", range(0, 13))
def test_a_fall_hurts_when_every_die_fails(blackwater: Book, height: int) -> None:
    """A fall hurts only if every die of Qui and DP fails; the damage is fixed."""
    found = chances(blackwater, "fall", side(who(qui=2), life=9), said={"height": height})
    fails = Fraction(min(height, 6) - 1, 6) ** 3 if height > 3 else Fraction(0)
    cost = max(1, height - 6)
    assert numbers(found, "lost") == {
        lost: chance for lost, chance in ((0, 1 - fails), (cost, fails)) if chance
    }


def test_falls_match_the_examples_of_the_rules(blackwater: Book) -> None:
    by = side(who("leader", profession="doctor"))
    fall = told(blackwater, "fall", [(5,), (1, 5, 3)], by, said={"height": 11})
    assert (fall.outcome, fall.names["lost"], fall.numbers["lost"]) == ("out", 5, 3)
    thrown_off = told(blackwater, "fall_from_horse", [(5,), (1, 5, 3)], by, said={"rode": 8})
    assert (thrown_off.outcome, thrown_off.numbers["lost"]) == ("hurt", 2)
    # Hearty helps with the DP dice of a fall, which are a defence roll.
    hearty = side(who(sta=4))
    found = chances(blackwater, "fall", hearty, said={"height": 6})
    assert found.outcomes["safe"] == 1 - Fraction(5, 6) ** 3


@pytest.mark.parametrize(
    ("rode", "expected"),
    [(3, ("safe", 1)), (6, ("safe", Fraction(11, 36))), (7, ("too_fast", 1))],
)
def test_a_jump_off_a_horse_has_its_odds(
    blackwater: Book, rode: int, expected: tuple[str, Fraction | int]
) -> None:
    outcome, chance = expected
    found = chances(blackwater, "jump_from_horse", side(who()), said={"rode": rode})
    assert found.outcomes[outcome] == chance


def test_a_slow_horse_throws_nobody(blackwater: Book) -> None:
    for rode, safe in ((6, Fraction(1)), (7, Fraction(11, 36))):
        found = chances(blackwater, "fall_from_horse", side(who()), said={"rode": rode})
        assert found.outcomes["safe"] == safe


@pytest.mark.parametrize(
    ("horse", "speed", "dice"),
    [("mule", 7, 3), ("small_horse", 8, 4), ("large_horse", 9, 5), ("war_horse", 10, 6)],
)
def test_a_gallop_adds_the_highest_die_to_the_speed(
    blackwater: Book, horse: str, speed: int, dice: int
) -> None:
    found = numbers(chances(blackwater, "gallop", side(who(), horse, "mounted")), "inches")
    assert {inches: sum(found[low] for low in found if low <= inches) for inches in found} == {
        speed + highest: Fraction(highest, 6) ** dice for highest in range(1, 7)
    }


@pytest.mark.parametrize(
    ("figure", "spend", "said"),
    [
        (who("leader", profession="doctor"), "luck_die_run", {}),
        (who("professional", profession="gambler"), "gambler_gallop", {}),
        (who(), "lent_gallop", {"leader": "gambler", "near_leader": 1}),
    ],
)
def test_luck_adds_a_die_to_a_gallop(
    blackwater: Book, figure: Figure, spend: str, said: dict[str, Value]
) -> None:
    """p. 9: any action of the leader; p. 13: a Gambler throws any die again."""
    horse = side(figure, "mule", "mounted")
    found = chances(blackwater, "gallop", horse, None, {**said, "obstacles": 2}, spends=(spend,))
    # Two obstacles cost two of the mule's 7 inches; the highest of four dice is added.
    assert numbers(found, "inches")[6] == Fraction(1, 6) ** 4


@pytest.mark.parametrize(
    ("galloped", "target"),
    [(1, 2), (4, 2), (5, 3), (6, 3), (7, 4), (8, 4), (9, 5), (10, 5), (11, 6), (16, 6)],
)
def test_a_trampled_victim_tests_against_half_the_distance(
    blackwater: Book, galloped: int, target: int
) -> None:
    """The victim's Qui against half the distance; D3 hits of the horse's Str."""
    rider = side(who(), "large_horse", "mounted")
    victim = side(who(qui=2))
    said: dict[str, Value] = {"galloped": galloped}
    assert thrown(blackwater, "trample", "passed", rider, victim, said) == (2, target)
    found = chances(blackwater, "trample", rider, victim, said)
    caught = Fraction(target - 1, 6) ** 2
    assert found.outcomes["dodged"] == 1 - caught
    # One die at Str 5 against one, two or three hits.
    saved = caught * Fraction(1, 3) * Fraction(1, 3)
    assert found.outcomes["saved"] == saved
    assert found.outcomes["out"] == caught - saved


def test_the_range_of_a_throw_follows_strength(blackwater: Book) -> None:
    for by in (
        side(who(str=3), "throwing_knife"),
        side(who(str=3), "dynamite"),
        side(who(str=3), "tomahawk", mode="thrown"),
    ):
        found = numbers(chances(blackwater, "throw_range", by), "inches")
        assert found == dict.fromkeys(range(4, 10), Fraction(1, 6))


def test_a_gunslinger_who_leads_adds_dice_to_the_long_range(blackwater: Book) -> None:
    plain = chances(blackwater, "long_reach", side(GUNSLINGER, "winchester"))
    assert numbers(plain, "inches") == {24: 1}
    found = numbers(chances(blackwater, "long_reach", side(GUN_LEADER, "winchester")), "inches")
    assert found == {24 + total: Fraction(6 - abs(total - 7), 36) for total in range(2, 13)}


# Morale and other rolls of a gang.

FIVE: dict[str, Value] = {"gang.start": 5, "enemy.start": 5}


@pytest.mark.parametrize(
    ("own", "enemy", "leader", "target"),
    [
        (2, 3, "other", 4),
        (2, 4, "other", 5),
        (2, 5, "other", 5),
        (1, 3, "other", 6),
        (1, 2, "other", 5),
        # A standing Wrassler who leads counts as one extra figure.
        (2, 3, "wrassler", 5),
        (2, 5, "wrassler", 6),
        (2, 5, "prospector", 5),
    ],
)
def test_the_target_number_of_morale_follows_the_numbers_of_both_gangs(
    blackwater: Book, own: int, enemy: int, leader: str, target: int
) -> None:
    said: dict[str, Value] = {
        **FIVE,
        "gang.standing": own,
        "enemy.standing": enemy,
        "enemy_leader": leader,
    }
    assert thrown(blackwater, "morale", "passed", side(who(int=3)), None, said) == (3, target)
    found = chances(blackwater, "morale", side(who(int=3)), None, said)
    assert found.outcomes["stays"] == 1 - Fraction(target - 1, 6) ** 3


@pytest.mark.parametrize(
    ("start", "own", "enemy", "due"),
    [(5, 3, 5, False), (5, 2, 2, False), (5, 2, 3, True), (6, 3, 4, True), (6, 4, 5, False)],
)
def test_a_gang_tests_morale_after_its_losses(
    blackwater: Book, start: int, own: int, enemy: int, due: bool
) -> None:
    said: dict[str, Value] = {"gang.start": start, "gang.standing": own, "enemy.standing": enemy}
    found = chances(blackwater, "morale", side(who()), None, said)
    assert (found.outcomes["steady"] == 0) == due


def test_morale_matches_the_example_of_the_rules(blackwater: Book) -> None:
    """Gangs of five lost three and one; Int 2 shows 1 and 3."""
    said: dict[str, Value] = {**FIVE, "gang.standing": 2, "enemy.standing": 4}
    played = told(blackwater, "morale", [(1, 3)], side(who(int=2)), None, said)
    assert (played.outcome, played.names["needed"]) == ("flees", 5)
    found = chances(blackwater, "morale", side(who(int=2)), None, said)
    assert found.outcomes["stays"] == Fraction(5, 9)
    (begins, *moves) = blackwater.roll["morale"].outcomes[2].effects
    assert (begins.kind, getattr(begins, "state", "")) == ("begins", "fleeing")
    assert [effect.kind for effect in moves] == ["moves", "moves"]
    # A figure on foot moves 6 inches, a rider as far as its horse.
    assert [(effect.given, getattr(effect, "distance", 0)) for effect in moves] == [
        ("not by.in_state('mounted')", 6),
        ("by.in_state('mounted')", None),
    ]


def test_a_gang_tests_morale_to_the_end_of_a_turn_in_which_it_has_to(blackwater: Book) -> None:
    """p. 23: whether it is outnumbered is checked again when the next turn begins."""
    said: dict[str, Value] = {**FIVE, "gang.standing": 2, "enemy.standing": 2}
    assert chances(blackwater, "morale", side(who()), None, said).outcomes["steady"] == 1
    found = chances(blackwater, "morale", side(who()), None, {**said, "tests_morale": 1})
    assert (found.outcomes["steady"], found.outcomes["stays"]) == (0, HALF)


def test_bravery_and_a_leading_bounty_hunter_help_morale(blackwater: Book) -> None:
    said: dict[str, Value] = {**FIVE, "gang.standing": 2, "enemy.standing": 4}
    brave = chances(blackwater, "morale", side(who(int=4)), None, said)
    assert brave.outcomes["flees"] == Fraction(3, 6) ** 4
    helped = {**said, "near_leader": 1, "leader": "bounty_hunter"}
    for figure, flees in (
        (who(int=2), Fraction(4, 9) ** 2),
        (who(int=4), Fraction(1, 2) ** 8),
        # A leader helps friends, not themselves.
        (who("leader", profession="bounty_hunter", int=2), Fraction(4, 9)),
    ):
        found = chances(blackwater, "morale", side(figure), None, helped)
        assert found.outcomes["flees"] == flees
    far = chances(blackwater, "morale", side(who(int=2)), None, helped | {"near_leader": 0})
    assert far.outcomes["flees"] == Fraction(4, 9)


@pytest.mark.parametrize("roll", ["initiative", "attacker_or_defender", "choice_of_side"])
def test_a_roll_off_is_even_and_re_rolls_ties(blackwater: Book, roll: str) -> None:
    found = chances(blackwater, roll)
    assert found.outcomes == {"chooses": HALF, "enemy_chooses": HALF}
    played = told(blackwater, roll, [(3,), (3,), (5,), (2,)])
    assert (played.outcome, played.names["duel"]) == ("chooses", 3)


def test_nuggets_are_a_die_and_the_prospectors(blackwater: Book) -> None:
    found = numbers(chances(blackwater, "nuggets", said={"prospectors": 2}), "placed")
    assert found == dict.fromkeys(range(3, 9), Fraction(1, 6))


# Other actions.

LEAVER = side(who(qui=4))


@pytest.mark.parametrize(
    ("holder", "at", "said", "held"),
    [
        (side(who(str=3)), LEAVER, {}, 1 - HALF**3),
        # The leaving figure is outnumbered: one more die for the holder.
        (side(who(str=3)), LEAVER, {"friends": 1}, 1 - HALF**4),
        (side(who(str=3)), LEAVER, {"foes": 1}, 1 - HALF**3),
        (side(who(str=3)), LEAVER, {"friends": 1, "foes": 1}, 1 - HALF**3),
        (side(who(str=2)), side(who(qui=1)), {}, 1 - Fraction(1, 36)),
        (side(who(str=2)), side(who(qui=6)), {}, 1 - Fraction(25, 36)),
    ],
)
def test_an_enemy_can_hold_a_leaving_figure(
    blackwater: Book, holder: Side, at: Side, said: dict[str, Value], held: Fraction
) -> None:
    found = chances(blackwater, "hold", holder, at, said)
    assert (found.outcomes["held"], found.outcomes["away"]) == (held, 1 - held)
    inches = numbers(found, "inches")
    assert inches == {0: held, **dict.fromkeys((1, 2, 3), (1 - held) / 3)}


def test_riders_leave_freely(blackwater: Book) -> None:
    settings = blackwater.default_settings()
    usable = parse(blackwater.roll["hold"].usable or 1)
    for states, may_hold in (((), True), (("mounted",), False)):
        known = names(blackwater, side(who()), side(who(), None, *states), {}, settings)
        assert usable.holds(known) is may_hold


@pytest.mark.parametrize("sta", range(1, 7))
@pytest.mark.parametrize("int_", range(1, 7))
def test_a_doctor_revives_by_intelligence_and_stamina(
    blackwater: Book, sta: int, int_: int
) -> None:
    doctor = side(who("professional", profession="doctor", int=int_))
    patient = side(who(sta=sta))
    found = chances(blackwater, "revive", doctor, patient)
    assert found.outcomes["revived"] == 1 - Fraction(7 - sta, 6) ** int_
    agreed = chances(blackwater, "revive", doctor, patient, options={"doctor_one_fails": "no"})
    assert agreed.outcomes["revived"] == 1 - Fraction(6 - sta, 6) ** int_


def test_reviving_matches_the_example_of_the_rules(blackwater: Book) -> None:
    doctor = side(who("professional", profession="doctor", int=3))
    found = chances(blackwater, "revive", doctor, side(who(sta=4)))
    assert found.outcomes["revived"] == Fraction(7, 8)
    # A 6 does not succeed by itself, and a 1 fails.
    assert told(blackwater, "revive", [(1, 5, 6)], doctor, side(who(sta=4))).outcome == "stays_down"
    assert told(blackwater, "revive", [(1, 4, 6)], doctor, side(who(sta=4))).outcome == "revived"


def test_a_revived_member_has_1_hp_and_is_revived_once_only(blackwater: Book) -> None:
    revive = blackwater.roll["revive"]
    back, sets, begins = revive.outcomes[0].effects
    assert back.model_dump(exclude_defaults=True) == {"kind": "back"}
    assert sets.model_dump(exclude_defaults=True) == {"kind": "sets", "track": "hp", "to": 1}
    assert begins.model_dump(exclude_defaults=True) == {"kind": "begins", "state": "revived"}
    assert revive.usable is not None and "at.in_state('revived')" in revive.usable


def test_a_member_taken_out_loses_horse_and_luck(blackwater: Book) -> None:
    """A leader's luck is lost with them, and so is a Gambler's."""
    outs = {
        (roll.key, outcome.key): {
            (effect.kind, getattr(effect, "track", getattr(effect, "state", "")))
            for effect in outcome.effects
        }
        for roll in blackwater.rolls
        for outcome in roll.outcomes
        if any(effect.kind == "out" for effect in outcome.effects)
    }
    assert {roll for roll, _outcome in outs} == {
        "shot",
        "two_shots",
        "explosive",
        "blast",
        "stray_hit",
        "blow",
        "fight",
        "trample",
        "fall",
        "jump_from_horse",
        "fall_from_horse",
        "burning",
        "burning_on",
    }
    for effects in outs.values():
        assert effects - {("then", "")} == {
            ("changes", "hp"),
            ("out", ""),
            ("ends", "mounted"),
            ("begins", "horse_gone"),
            ("sets", "luck"),
            ("sets", "gamblers_luck"),
        }


@pytest.mark.parametrize(("strength", "helpers"), [(1, 0), (3, 0), (3, 2), (6, 2)])
def test_a_captive_is_freed_by_strength_and_helpers(
    blackwater: Book, strength: int, helpers: int
) -> None:
    captive = side(who(), None, "captive")
    found = chances(blackwater, "free", side(who(str=strength)), captive, {"helpers": helpers})
    assert found.outcomes["freed"] == 1 - Fraction(2, 3) ** (strength + helpers)


# Luck.

LEADER = who("leader", profession="doctor", rc=2, int=2)
GAMBLER = who("professional", profession="gambler", rc=2)


def test_luck_adds_a_die_or_re_rolls_a_failed_die(blackwater: Book) -> None:
    by = side(LEADER, "pocket_revolver")

    def hits(*spends: str) -> dict[int, Fraction]:
        return numbers(chances(blackwater, "shot", by, TARGET, spends=spends), "hits")

    assert hits() == binomial(2, HALF)
    assert hits("luck_die_hit") == binomial(3, HALF)
    assert hits(*["luck_die_hit"] * 3) == binomial(5, HALF)
    assert hits("luck_again_hit") == fractions("1/8", "3/8", "1/2")
    # Only the leader's.
    found = chances(
        blackwater, "shot", side(who(rc=2), "pocket_revolver"), TARGET, spends=("luck_die_hit",)
    )
    assert numbers(found, "hits") == binomial(2, HALF)


def test_a_target_can_spend_luck_on_its_save(blackwater: Book) -> None:
    by = side(who(rc=6), "remington_army")
    at = side(LEADER)
    before = chances(blackwater, "stray_hit", by, at).outcomes["saved"]
    after = chances(blackwater, "stray_hit", by, at, spends=("luck_die_save",)).outcomes["saved"]
    assert (before, after) == (1 - HALF**3, 1 - HALF**4)


def test_a_gambler_re_rolls_one_die(blackwater: Book) -> None:
    by = side(GAMBLER, "pocket_revolver")
    found = chances(blackwater, "shot", by, TARGET, spends=("gambler_hit",))
    assert numbers(found, "hits") == fractions("1/8", "3/8", "1/2")


def test_a_leading_gambler_has_four_luck_dice_and_lends_them(blackwater: Book) -> None:
    boxes = {tick.key: tick.boxes for tick in blackwater.ticks}
    assert boxes == {"luck": 3, "gamblers_luck": 1}
    friend = side(who(rc=2), "pocket_revolver")
    for near, expected in ((1, fractions("1/8", "3/8", "1/2")), (0, binomial(2, HALF))):
        said: dict[str, Value] = {"leader": "gambler", "near_leader": near}
        found = chances(blackwater, "shot", friend, TARGET, said, spends=("lent_hit",))
        assert numbers(found, "hits") == expected
    # On a save, the luck of the target's leader counts.
    theirs: dict[str, Value] = {"enemy_leader": "gambler", "target_near_leader": 1}
    by = side(who(rc=6), "remington_army")
    found = chances(blackwater, "stray_hit", by, TARGET, theirs, spends=("lent_save",))
    assert found.outcomes["saved"] == 1 - HALF**2


@pytest.mark.parametrize("qui", [1, 2, 4])
def test_a_gambler_re_rolls_the_lowest_die_of_a_run(blackwater: Book, qui: int) -> None:
    """The lowest of several, or a single die that shows 3 or less; no die has two re-rolls."""
    by = side(who("professional", profession="gambler", qui=qui))
    friend = side(who(qui=qui))
    near: dict[str, Value] = {"leader": "gambler", "near_leader": 1}
    expected: dict[int, Fraction] = {}
    for faces in product(range(1, 7), repeat=qui + 1):
        *first, again = faces
        highest = max(sorted(first)[1:] + [again]) if qui > 1 or first[0] < 4 else first[0]
        expected[6 + highest] = expected.get(6 + highest, Fraction(0)) + Fraction(1, 6 ** (qui + 1))
    for figure, spend, said in ((by, "gambler_run", {}), (friend, "lent_run", near)):
        spends = (spend, f"{spend}_alone")
        found = chances(blackwater, "run", figure, said=said, spends=spends)
        assert numbers(found, "inches") == expected
    twice = chances(blackwater, "run", friend, said=near, spends=("lent_run_alone",) * 2)
    once = chances(blackwater, "run", friend, said=near, spends=("lent_run_alone",))
    assert twice.numbers == once.numbers


SHARPSHOOTER = side(who("leader", profession="doctor", rc=5), "colt_pistol")
FENCER = side(who("leader", profession="doctor", mc=4, str=3), "bowie_knife")


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize(
    ("roll", "by", "at", "spend", "expected"),
    [
        ("two_shots", SHARPSHOOTER, "professional", "luck_die_hit", "1147475/1594323"),
        ("fight", FENCER, "professional", "luck_die_hit", "1551/2048"),
        ("two_shots", SHARPSHOOTER, "leader", "luck_die_save", "3576923/14348907"),
    ],
)
def test_a_luck_die_counts_for_one_of_two_attacks(
    blackwater: Book, roll: str, by: Side, at: str, spend: str, expected: str, number: int
) -> None:
    """Two pistols and two knives: the chance that the target is out."""
    found = chances(
        blackwater,
        roll,
        by,
        side(who(at)),
        {"two_weapons": 1},
        spends=(spend,),
        rounds=((number,),),
    )
    out = sum(chance for key, chance in found.outcomes.items() if key.startswith("out"))
    assert out == Fraction(expected)


def test_a_luck_die_to_hit_adds_nothing_to_the_hits_of_dynamite(blackwater: Book) -> None:
    by = side(who("leader", profession="doctor"), DYNAMITE.item)
    found = chances(blackwater, "explosive", by, TARGET, spends=("luck_die_hit",))
    assert max(numbers(found, "hits")) == 6


def test_every_spend_is_paid_from_boxes(blackwater: Book) -> None:
    assert {spend.track for spend in blackwater.spends} == {"luck", "gamblers_luck"}


# Injuries.


@pytest.mark.parametrize(
    ("condition", "roll", "faces"),
    [("weak_qui", "run", (7, 8, 9))],
)
def test_an_attribute_at_0_throws_a_single_d3(
    blackwater: Book, condition: str, roll: str, faces: tuple[int, ...]
) -> None:
    found = chances(blackwater, roll, side(who(conditions=(condition,))))
    assert numbers(found, "inches") == dict.fromkeys(faces, Fraction(1, 3))


def test_a_d3_hits_only_at_a_low_target_number(blackwater: Book) -> None:
    def hits(figure: Figure, **said: Value) -> Fraction:
        found = chances(blackwater, "shot", side(figure, "derringer"), TARGET, said)
        return 1 - found.numbers["hits"][0]

    assert hits(who(conditions=("weak_rc",))) == 0
    sure = who("professional", profession="gunslinger", str=6, int=6, conditions=("weak_rc",))
    # Strong Arms and aiming: a target number of 2, which a D3 shows with 2 or 3.
    assert hits(sure, aims=1) == Fraction(2, 3)
    weak = chances(blackwater, "morale", side(who(conditions=("weak_int",))), None,
                   {**FIVE, "gang.standing": 2, "enemy.standing": 3})  # fmt: skip
    assert weak.outcomes["flees"] == 1
    held = chances(blackwater, "hold", side(who(conditions=("weak_str",))), side(who(qui=2)))
    assert held.outcomes["held"] == Fraction(2, 3)


# Examples of the rules.


def test_outnumbering_changes_the_dice_of_a_blow(blackwater: Book) -> None:
    """p. 20: a second enemy joins and adds a die; a friend joins and the sides are even."""
    mine, theirs = side(who(mc=2), "bowie_knife"), side(who(mc=2), "bowie_knife")
    assert thrown(blackwater, "blow", "hits", theirs, mine, {"friends": 1}) == (3, 5)
    assert thrown(blackwater, "blow", "hits", mine, theirs, {"foes": 1}) == (2, 6)
    assert thrown(blackwater, "blow", "hits", mine, theirs, {"friends": 1, "foes": 1}) == (2, 5)


def test_a_leader_throws_the_dice_of_each_of_three_weapons(blackwater: Book) -> None:
    """p. 12: a Bowie knife, a Remington and a Winchester, in the hands of RC 4 and MC 3."""
    figure = who("leader", profession="doctor", str=3, rc=4, mc=3,
                 items=("bowie_knife", "remington_army", "winchester"))  # fmt: skip
    found = {
        item: thrown(blackwater, roll, "hits", side(figure, item), TARGET)
        for roll, item in (
            ("blow", "bowie_knife"),
            ("shot", "remington_army"),
            ("shot", "winchester"),
        )  # fmt: skip
    }
    assert found == {"bowie_knife": (3, 4), "remington_army": (4, 4), "winchester": (5, 5)}


def test_a_second_shot_at_a_new_target_is_harder(blackwater: Book) -> None:
    """p. 9: both shots at +1, a second shot at a new target at another +1.

    A Gunslinger who leads (p. 15) does not have the second +1.
    """
    said: dict[str, Value] = {"two_weapons": 1, "second_target": 1}
    for figure, target in ((PLAIN, 6), (GUN_LEADER, 5)):
        by = side(figure, "navy_revolver")
        assert thrown(blackwater, "shot", "hits", by, TARGET, said) == (3, target)


def test_a_run_after_dismounting_moves_by_the_dice_only(blackwater: Book) -> None:
    """p. 24: after dismounting a figure moves only if it runs, by the dice only."""
    found = chances(blackwater, "run", side(who(qui=2)), said={"dismounted": 1})
    assert found.at_least("inches", 6) == Fraction(11, 36)
    assert found.average("inches") == Fraction(161, 36)


def test_light_cover_counts_as_heavy_for_a_prospector(blackwater: Book) -> None:
    """p. 14: where others have light cover, a Prospector has heavy, to hit and to save."""
    by = side(PLAIN, "navy_revolver")
    prospector = side(who("professional", profession="prospector"))
    doctor = side(who("professional", profession="doctor"))
    said: dict[str, Value] = {"cover": "area"}
    chance = {
        key: chances(blackwater, "shot", by, at, said).outcomes["out"]
        for key, at in (("prospector", prospector), ("doctor", doctor))
    }
    # Two hits or three, less what four dice or three save at Str 3.
    assert chance["doctor"] == Fraction(2, 9) * Fraction(1, 27) + Fraction(1, 27) * (
        Fraction(1, 27) + Fraction(6, 27)
    )
    assert chance["prospector"] == Fraction(15, 216) * Fraction(1, 81) + Fraction(1, 216) * (
        Fraction(1, 81) + Fraction(8, 81)
    )


def test_a_sword_adds_to_the_strength_of_its_bearer(blackwater: Book) -> None:
    """p. 31: M+2 with Str 6 is 8, and each point beyond 6 makes a success be thrown again."""
    by = side(who(str=6, mc=6), "sword")
    three = melee_saves(blackwater, by, side(who("leader", profession="doctor")))
    p = Fraction(1, 6)
    # Two for the strength, one for Brute Strength: every success is thrown again.
    expected: dict[int, Score | Fraction] = {}
    for first, chance in binomial(3, p).items():
        for count, more in binomial(first, p).items():
            expected[count] = Fraction(str(expected.get(count, 0))) + chance * more
    assert three == expected


# Sources and house values, cell by cell.

PAGES = {
    "glossary": {
        **{"activation": 16, "upkeep": 16, "fame": 12, "defence_roll": 20, "out": 20},
        **{"front_arc": 8, "personal_space": 8, "super_force": 32, "parry": 30, "m": 31},
        "outnumbered": 20,
    },
    "references": {"activation": 16, "breaking_off": 20, "defence": 20, "before_game": 25},
    "items": {"mule": 32, "small_horse": 32, "large_horse": 32, "war_horse": 32, "fists": 20},
    "groups": {"fists": 20},
    "settings": {"fame_level": 12},
}


@pytest.mark.parametrize("table", PAGES)
def test_rows_cite_their_pages(blackwater: Book, table: str) -> None:
    rows = {row.key: row.source for row in getattr(blackwater, table)}
    assert {key: rows[key] for key in PAGES[table]} == {
        key: f"seed p.{page}" for key, page in PAGES[table].items()
    }
    codes = {row.code: row.source for row in blackwater.limits}
    # The page does not say whether unspent gold is lost.
    assert (codes["one_leader"], codes["fame_target"]) == ("seed p.12", "seed p.12 + house")
    references = {row.key: row.source for row in blackwater.references}
    assert references["save_rerolls"] == "seed p.11 + seed p.30 + seed p.32"
    assert references["board"].startswith("seed p.5")


HOUSE_CELLS = {
    "traits": {
        "strong_arms": {"text"},
        "really_tough": {"effects"},
        "knowhow": {"text", "level_allowance"},
        "deadeye": {"text"},
        "duelist": {"text"},
    },
    "professions": {"doctor": {"text"}, "gambler": {"text"}, "wrassler": {"text"}},
    "ticks": {"gamblers_luck": {"boxes"}},
    "groups": {"melee_one": {"text"}, "thrown": {"text"}},
    "glossary": {"area_terrain": {"text"}},
    "scenarios": {
        **{"town": {"name"}, "manhunt": {"name"}},
        **{"stay_of_execution": {"name", "text"}, "gold_rush": {"name", "text"}},
    },
    "references": {
        **{"falls": {"text", "lines"}, "trample": {"text"}, "misses": {"lines"}},
        **{"revive": {"text"}, "revive_one": {"text"}, "levels": {"text"}},
        **{"shooting_modifiers": {"lines"}, "shooting_dice": {"lines"}},
        **{"weapon_types": {"lines"}, "sight_and_cover": {"text", "lines"}},
        **{"melee_dice": {"text"}, "melee_attacks": {"text", "lines"}, "morale": {"text"}},
    },
    "modifiers": {
        "long_range": {"given"},
        "strong_throw": {"on"},
        "level_mc": {"amount"},
        "wrassler": {"amount"},
        "two_parries": {"given"},
    },
}


@pytest.mark.parametrize("table", HOUSE_CELLS)
def test_house_readings_are_marked_in_their_rows(blackwater: Book, table: str) -> None:
    rows = getattr(blackwater, table)
    assert {row.key: set(row.house) for row in rows if row.house} == HOUSE_CELLS[table]


def test_the_unit_of_money_is_gold(blackwater: Book) -> None:
    assert blackwater.money is not None and blackwater.rating is not None
    assert (blackwater.money.unit["en"], blackwater.money.unit["fr"]) == ("gold", "or")
    assert blackwater.rating.unit["en"] == "XP"


def test_the_usual_fame_is_noted_at_founding_only(blackwater: Book) -> None:
    rows = [row for row in blackwater.limits if row.code == "fame_target"]
    assert [(row.severity, row.phase) for row in rows] == [("note", "founding")] * 2


def test_references_explain_the_missing_rules(blackwater: Book) -> None:
    references = {row.key: row for row in blackwater.references}

    def said(key: str) -> str:
        row = references[key]
        cells = [cell for line in row.lines for cell in (line.name, *line.cells)]
        return " ".join(cell if isinstance(cell, str) else cell["en"] for cell in cells)

    for words in (
        "hedge, fence, overturned table or corpses",
        "stone wall, a big rock or a window",
    ):
        assert words in said("sight_and_cover")
    assert "the holding side chooses which" in said("breaking_off")
    assert "moves only by running, by its Qui dice alone" in said("horses")
    assert "that turn still brings no attack" in said("fire")
    scenarios = {row.key: row for row in blackwater.scenarios}
    execution = scenarios["stay_of_execution"].text
    assert "in the executioner’s personal space" in (execution["en"] if execution else "")
    assert scenarios["manhunt"].victory["en"].count("unless revived by then") == 2
