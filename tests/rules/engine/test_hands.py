"""Hands of dice: the best of many, dice thrown again singly, two hands compared."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations

import pytest

from rules.engine.compiling import ready
from rules.engine.distributions import multisets
from rules.engine.hands import Goal, Hand, choose_one, hands
from rules.engine.odds import odds
from rules.engine.playing import tell
from tests.rules.small import Data, row, small, text

POKER = Hand(6, 5, ((), (2,), (2, 2), (3,), (3, 2), (4,), (5,)))
SMALL = Hand(3, 3, ((), (2,), (3,)))
GOALS = [Goal(reaches=1), Goal(reaches=2), Goal(beats=SMALL.strength((2, 2, 1)))]


@pytest.mark.parametrize("cards", [(1,), (3, 3), (2, 5, 6)])
def test_a_hand_counts_its_best_dice(cards: tuple[int, ...]) -> None:
    for faces, _ways in [*multisets(5, range(6, 0, -1))][::7]:
        strengths = [POKER.strength(part) for part in combinations((*faces, *cards), 5)]
        assert POKER.strength((*cards, *faces)) == max(strengths)


def _chance(dice: int, again: int, cards: tuple[int, ...], goal: Goal) -> Fraction:
    """Return the chance to reach the goal with dice thrown again singly."""
    ways, total = hands(SMALL, dice, again, cards, goal, singly=True)
    assert sum(ways.values()) == total
    reached = sum(number for (made,), number in ways.items() if goal.reached(SMALL, made))
    return Fraction(reached, total)


def _best(dice: int, again: int, cards: tuple[int, ...], goal: Goal) -> Fraction:
    """Return the chance with the best choice, found by trying each one."""

    @cache
    def best(faces: tuple[int, ...], left: int) -> Fraction:
        stays = Fraction(goal.reached(SMALL, SMALL.strength((*faces, *cards))))
        if not left:
            return stays
        tries = [
            sum(best((*faces[:at], *faces[at + 1 :], face), left - 1) for face in (1, 2, 3)) / 3
            for at in range(len(faces))
        ]
        return max([stays, *(Fraction(one) for one in tries)])

    throws = [*multisets(dice, (1, 2, 3))]
    return sum((best(faces, again) * ways for faces, ways in throws), Fraction(0)) / 3**dice


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize(
    ("dice", "again", "cards"), [(3, 1, ()), (3, 2, ()), (3, 4, ()), (2, 2, ()), (3, 2, (2,))]
)
def test_choosing_dice_singly_matches_the_best_choice(
    dice: int, again: int, cards: tuple[int, ...], goal: Goal
) -> None:
    assert _chance(dice, again, cards, goal) == _best(dice, again, cards, goal)


def test_choosing_dice_singly_drops_the_lowest_unneeded_die() -> None:
    assert choose_one(POKER, (1, 1, 5, 6, 4), 3, (), None) == (6, 5, 1, 1)
    assert choose_one(POKER, (1, 1, 5, 5, 5), 3, (), None) == (5, 5, 5, 1, 1)
    # Three more tries for a pair of two dice: it is missed if each of four throws misses.
    ways, total = hands(Hand(6, 2, ((), (2,))), 2, 3, (), None, singly=True)
    pairs = sum(number for (made,), number in ways.items() if made >= 7**2)
    assert Fraction(pairs, total) == 1 - Fraction(5, 6) ** 4


def _two_hands(**fields: object) -> Data:
    hand = row(
        "dice",
        faces=[text(str(face)) for face in (1, 2, 3)],
        size=3,
        combinations=[
            {"key": "none", "name": text("none")},
            {"key": "pair", "name": text("pair"), "groups": [2]},
            {"key": "three", "name": text("three"), "groups": [3]},
        ],
    )
    steps = [
        {"let": "more", "be": 1},
        {
            "opposed": "duel",
            "mine": ["mine", "tie.max"],
            "theirs": ["theirs", "other"],
            "steps": [
                {"throw_hand": "mine", "of": "dice", "dice": 3, "again": "more"},
                {"throw_hand": "theirs", "of": "dice", "dice": 2, "again": 2},
                {"sum": "tie", "dice": 2, "sides": 3},
                {"sum": "other", "sides": 3, "given": "theirs.rank"},
            ],
            **fields,
        },
        {"let": "what", "be": "mine.rank * 100 + theirs.rank * 10 + duel.winner + tie.max"},
    ]
    numbers = [{"of": name, "name": text(name)} for name in ("what", "duel")]
    return {
        "hands": [hand],
        "rolls": [
            row("apart", steps=steps, numbers=numbers[:1]),
            # A roll that reads the margin needs every throw of both sides.
            row("joint", steps=steps, numbers=numbers),
        ],
    }


@pytest.mark.parametrize("tied", ["draw", "again"])
def test_independent_sides_are_worked_out_separately(tied: str) -> None:
    book = small(**_two_hands(tied=tied))
    settings = book.default_settings()
    apart = odds(ready(book.under(settings), "apart"), {}).numbers["what"]
    assert apart == odds(ready(book.under(settings), "joint"), {}).numbers["what"]
    assert sum(apart.values()) == 1


def test_singly_thrown_dice_are_played_die_by_die() -> None:
    data = _two_hands()
    steps = [
        {"throw_hand": "mine", "of": "dice", "dice": 3, "again": 3, "singly": True, "reaches": "2"}
    ]
    data["rolls"] = [row("test", steps=steps, numbers=[{"of": "mine", "name": text("mine")}])]
    book = small(**data)
    made = ready(book.usual, "test")
    played = tell(made, {}, [(1, 3, 3), (2,), (1,), (3,)])
    assert played.names["mine.rank"] == 2
    assert [thrown.wanted.kept for thrown in played.throws] == [(), (3, 3), (3, 3), (3, 3)]
    # Nothing is thrown once the goal is reached.
    assert len(tell(made, {}, [(2, 2, 2)]).throws) == 1
