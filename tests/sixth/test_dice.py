"""The sixth rulebook's attack: its odds against a count of every throw, and typed faces."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pytest

from rules.book.model import Book
from rules.book.vocabulary import Settings
from rules.engine.compiling import ready
from rules.engine.evening import action_cost
from rules.engine.expressions import Value, parse
from rules.engine.odds import Odds, odds
from rules.engine.playing import Missing, Played, tell
from rules.engine.situations import Side, Situation, names_in
from rules.loading.try_rolls import try_rolls
from tests.rules.small import figure

GLARE: list[list[int | None]] = [
    [None, None, None, None],
    [0, 1, 1, 2],
    [1, 1, 2, 3],
    [1, 2, 3, 4],
    [2, 3, 4, 5],
    [2, 3, 5, 6],
]
LAMPS = {"rushlight": 1, "storm_lamp": 2, "great_lamp": 4}
Spread = dict[Any, Fraction]


def who(rank: str, lamp: str | None = None, **more: Any) -> Side:
    states, item_states = more.pop("states", ()), more.pop("item_states", ())
    items = (lamp,) if lamp else ()
    return Side(figure(rank, items=items, **more), lamp, None, states, None, item_states)


def facts(
    moor: Book, by: Side, at: Side, settings: Settings | None = None, **told: Value
) -> dict[str, Value]:
    options = moor.default_settings() | (settings or {})
    return names_in(moor.under(options), Situation(by, at, told))


def shone(
    moor: Book,
    by: Side,
    at: Side,
    settings: Settings | None = None,
    spends: tuple[str, ...] = (),
    **told: Value,
) -> Odds:
    options = moor.default_settings() | (settings or {})
    return odds(ready(moor.under(options), "shine", spends), facts(moor, by, at, settings, **told))


def told_faces(moor: Book, by: Side, at: Side, *faces: tuple[int, ...], **told: Value) -> Played:
    roll = ready(moor.usual, "shine")
    played = tell(roll, facts(moor, by, at, None, **told), faces)
    assert len(played.throws) == len(faces)
    return played


# Counts of every throw by hand


@cache
def glow_by_hand(dice: int, target: int, so_far: int = 0) -> Spread:
    """Count the flames of a pool that is thrown while it has a six, five at most."""
    found: defaultdict[int, Fraction] = defaultdict(Fraction)
    if so_far == 5:
        return {5: Fraction(1)}
    share = Fraction(1, 6**dice)
    for faces in product(range(1, 7), repeat=dice):
        glow = min(5, so_far + sum(face >= target for face in faces))
        further = glow_by_hand(dice, target, glow) if 6 in faces else {glow: Fraction(1)}
        for last, chance in further.items():
            found[last] += share * chance
    return dict(found)


@cache
def sums_by_hand(dice: int, keep: int) -> Spread:
    """Return the sums of the best dice, with the highest of them."""
    found: defaultdict[tuple[int, int], Fraction] = defaultdict(Fraction)
    for faces in product(range(1, 7), repeat=dice):
        found[sum(sorted(faces)[-keep:]), max(faces)] += Fraction(1, 6**dice)
    return dict(found)


def shine_by_hand(
    glow: Mapping[int, Fraction],
    lamp: int,
    light: tuple[int, int],
    dread: tuple[int, int],
    wick: str,
    *,
    row: int = 0,
    plus: int = 0,
    own: int = 4,
) -> tuple[Spread, Spread]:
    """Count outcomes and burnt boxes; ``lamp``: size, from 1; ``row``: added to the flames;
    ``own``: the boxes of the one who shines."""
    outcomes: defaultdict[str, Fraction] = defaultdict(Fraction)
    boxes: defaultdict[int, Fraction] = defaultdict(Fraction)
    for flames, chance in glow.items():
        glare = GLARE[max(0, min(5, flames + row))][min(lamp, 4) - 1]
        if glare is None:
            outcomes["dark"] += chance
            boxes[0] += chance
            continue
        margins: defaultdict[int, Fraction] = defaultdict(Fraction)
        for (mine, best), share in sums_by_hand(*light).items():
            for (theirs, other), weight in sums_by_hand(*dread).items():
                margin = mine + glare + plus - theirs
                margins[margin or (best > other) - (best < other)] += share * weight
        untied = 1 - margins.pop(0, Fraction(0))
        for margin, weight in margins.items():
            burnt = min(6, (abs(margin) + 1) // 2)
            left = len(wick) - burnt
            key = "singed"
            if margin < 0:
                key = "backfired"
            elif left <= 0:
                key = "put_out"
            elif left <= wick.count("G"):
                key = "guttering"
            outcomes[key] += chance * weight / untied
            # Nobody burns more boxes than they have.
            boxes[min(burnt, own if margin < 0 else len(wick))] += chance * weight / untied
    return dict(outcomes), dict(boxes)


def same(found: Odds, by_hand: tuple[Spread, Spread]) -> None:
    outcomes, boxes = by_hand
    assert {key: chance for key, chance in found.outcomes.items() if chance} == outcomes
    assert found.numbers["burnt"] == boxes
    assert sum(outcomes.values()) == 1


WARDEN, BEARER, WISP = (4, 2), (3, 2), (2, 1)


@pytest.mark.long
def test_trying_every_roll_finds_no_mistake(moor: Book) -> None:
    assert list(try_rolls(moor)) == []
    roll = ready(moor.usual, "shine")
    assert [row.key for row in roll.asked if not row.known] == ["paces", "ground"]
    assert moor.circumstance["ran"].known


@pytest.mark.parametrize("lamp", LAMPS)
def test_a_warden_shining_at_a_bearer_has_its_odds(moor: Book, lamp: str) -> None:
    by, at = who("warden", lamp), who("bearer")
    by_hand = shine_by_hand(
        glow_by_hand(3, 5), LAMPS[lamp], WARDEN, (4, 2), "LLLG", own=5 + (lamp == "storm_lamp")
    )
    same(shone(moor, by, at), by_hand)


def test_a_wisp_shining_at_a_warden_has_its_odds(moor: Book) -> None:
    by_hand = shine_by_hand(glow_by_hand(1, 5), 1, WISP, (5, 2), "LLLLG", own=2)
    same(shone(moor, who("wisp", "rushlight"), who("warden")), by_hand)


@pytest.mark.parametrize(
    ("told", "dice", "target", "plus"),
    [
        ({"ground": "bog"}, 1, 5, 0),
        ({"ground": "heather", "paces": 4}, 2, 5, 0),
        ({"paces": 5}, 2, 6, 0),
        ({"ran": 1}, 2, 5, -1),
        ({"ground": "bog", "paces": 8, "ran": 1}, 1, 6, -1),
    ],
)
def test_circumstances_change_the_dice_and_the_target(
    moor: Book, told: dict[str, Any], dice: int, target: int, plus: int
) -> None:
    by, at = who("bearer", "rushlight"), who("wisp")
    by_hand = shine_by_hand(glow_by_hand(dice, target), 1, BEARER, (2, 2), "LG", plus=plus)
    same(shone(moor, by, at, **told), by_hand)


def test_professions_and_traits_change_the_odds(moor: Book) -> None:
    """A fiddler's lamp is larger, second sight sees further, cold nerves keep 3 of 5 dice; a storm
    lamp has a box more."""
    glow, wick = glow_by_hand(2, 5), "LLLG"
    fiddler = who("bearer", "storm_lamp", profession="fiddler")
    by_hand = shine_by_hand(glow, 3, BEARER, (4, 2), wick, own=5)
    same(shone(moor, fiddler, who("bearer")), by_hand)
    seer = who("bearer", "storm_lamp", traits=("second_sight",))
    same(
        shone(moor, seer, who("bearer")),
        shine_by_hand(glow, 2, BEARER, (4, 2), wick, plus=1, own=5),
    )
    cold = who("bearer", traits=("cold_nerve",))
    usual = who("bearer", "storm_lamp")
    same(shone(moor, usual, cold), shine_by_hand(glow, 2, BEARER, (5, 3), wick, own=5))


def test_a_dazzled_figure_has_one_die_of_nerve_less(moor: Book) -> None:
    at = who("bearer", states=("dazzled",))
    by_hand = shine_by_hand(glow_by_hand(2, 5), 1, BEARER, (3, 2), "LLLG")
    same(shone(moor, who("bearer", "rushlight"), at), by_hand)


def test_the_fog_option_dims_a_lamp(moor: Book) -> None:
    fog: Settings = {"weather": "fog"}
    by_hand = shine_by_hand(glow_by_hand(2, 5), 1, BEARER, (4, 2), "LLLG", row=-1)
    same(shone(moor, who("bearer", "rushlight"), who("bearer"), fog), by_hand)


def test_spends_after_the_dice_change_the_odds(moor: Book) -> None:
    by, at = who("bearer", "rushlight"), who("bearer")
    glow, wick = glow_by_hand(2, 5), "LLLG"
    breathed = shone(moor, by, at, None, ("breathe",))
    same(breathed, shine_by_hand(glow, 1, (4, 2), (4, 2), wick))
    both = shone(moor, by, at, None, ("breathe", "shut_eyes"))
    same(both, shine_by_hand(glow, 1, (4, 2), (5, 2), wick))
    spends = {row.key: (row.track, row.once, row.whose) for row in moor.spends}
    assert spends == {"breathe": ("wick", "roll", "own"), "shut_eyes": (None, "turn", "enemy")}


# From typed faces


def test_sixes_are_thrown_again_until_none_shows(moor: Book) -> None:
    by, at = who("bearer", "storm_lamp"), who("bearer")
    played = told_faces(moor, by, at, (6, 5), (6, 1), (2, 3), (6, 5, 1), (4, 4, 1, 1))
    # Three flames make a glare of 2: 11 + 2 against 8.
    assert (played.names["glow"], played.names["glare"], played.names["contest"]) == (3, 2, 5)
    assert (played.outcome, played.numbers) == ("guttering", {"burnt": 3})
    wick, dazzled = moor.roll["shine"].outcomes[2].effects
    assert (wick.kind, dazzled.kind) == ("changes", "begins")


def test_a_tie_goes_to_the_higher_die_or_is_thrown_again(moor: Book) -> None:
    by, at = who("bearer", "storm_lamp"), who("bearer")
    faces = ((5, 1), (3, 3, 1), (6, 1, 1, 1))
    lost = told_faces(moor, by, at, *faces)
    assert (lost.outcome, lost.names["contest"], lost.numbers["burnt"]) == ("backfired", -1, 1)
    again = ((5, 1), (4, 2, 1), (4, 3, 1, 1), (6, 6, 6), (1, 1, 1, 1))
    won = told_faces(moor, by, at, *again)
    assert (won.outcome, won.names["contest"], won.names["burnt"]) == ("put_out", 11, 6)
    assert won.numbers["burnt"] == 4
    with pytest.raises(Missing) as wanted:
        told_faces(moor, by, at, *again[:3])
    assert (wanted.value.wanted.step, wanted.value.wanted.dice) == ("light", 3)


def test_great_lamp_stays_dark_without_a_flame(moor: Book) -> None:
    dark = told_faces(moor, who("warden", "great_lamp"), who("wisp"), (1, 2, 4))
    assert (dark.outcome, dark.names["glare"], dark.numbers) == ("dark", -1, {"burnt": 0})


# Range and costs


def test_a_lamp_shines_at_twice_its_reach_unless_it_smokes(moor: Book) -> None:
    usable = parse(moor.roll["shine"].usable or "")
    by, at = who("bearer", "rushlight"), who("wisp")
    assert usable.holds(facts(moor, by, at, paces=8))
    assert not usable.holds(facts(moor, by, at, paces=9))
    smoking = who("bearer", "rushlight", item_states=("smoking",))
    assert not usable.holds(facts(moor, smoking, at))
    assert not usable.holds(facts(moor, who("bearer", "peat_knife"), at))


def test_actions_cost_less_for_the_fleet(moor: Book) -> None:
    options = moor.default_settings()
    for traits, cost in (((), 2), (("fleet",), 1)):
        names = facts(moor, who("warden", "rushlight", traits=traits), who("wisp"))
        assert action_cost(moor.under(options), "shine", names) == cost
        assert action_cost(moor.under(options), "trim", names) == 1
    (trimmed,) = moor.action["trim"].effects
    assert (trimmed.kind, trimmed.whom) == ("ends", "item")
    assert (moor.state["dazzled"].lasts, moor.state["smoking"].of) == ("turn", "item")
