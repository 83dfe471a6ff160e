"""The numbers of a step, worked out for odds and play alike: dice, targets, rethrows.

They depend only on the values of the names that they read, and are remembered by these values:
most attacks repeat the same ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from common.wording.sentences import gettext_noop as _
from common.wording.sentences import say
from rules.book.rolls import Count, LookUp, Sum, ThrowHand
from rules.bounds.limits import MOST_KEPT
from rules.bounds.work import TooMuch
from rules.engine.compiling import (
    CompiledAgain,
    CompiledCount,
    CompiledHand,
    CompiledLet,
    CompiledLookUp,
    CompiledStep,
    CompiledSum,
)
from rules.engine.distributions import MOST_AGAIN, Counting, check_dice
from rules.engine.expressions import Names, Value, clamp
from rules.engine.hands import Goal

# The most results remembered for one step, and the most repetitions of a loop.
MOST_REMEMBERED = 1024
MOST_TIMES = 60

Hand = tuple[int, int, tuple[int, ...], Goal | None, bool]


# The memories of steps that remember results, and the number of results in them.
_filled: list[dict[tuple[Value | None, ...], Any]] = []
_number = 0


def _count(known: dict[tuple[Value | None, ...], Any]) -> None:
    """Count one more remembered result; once there are too many, all steps forget theirs."""
    global _number
    _number += 1
    if len(known) == 1:
        _filled.append(known)
    if _number > MOST_KEPT:
        for one in _filled:
            one.clear()
        _filled.clear()
        _number = 0


def _remembered[S: CompiledStep, V](work_out: Callable[[S, Names], V]) -> Callable[[S, Names], V]:
    """Make ``work_out`` remember its results by the values of the names that a step reads."""

    def found(step: S, names: Names) -> V:
        values = tuple([names.get(name) for name in step.numbers_read])
        known = step.worked_out
        # Another thread may forget it at any moment.
        result: V | None = known.get(values)
        if result is not None:
            return result
        result = work_out(step, names)
        if len(known) >= MOST_REMEMBERED:
            known.clear()
        known[values] = result
        _count(known)
        return result

    found.__doc__ = work_out.__doc__
    return found


@_remembered
def let(step: CompiledLet, names: Names) -> int:
    """The number that a step binds."""
    return clamp(step.be.number(names), step.clamp, names)


@_remembered
def counting(step: CompiledCount, names: Names) -> Counting:
    """The dice that a count throws, the faces that succeed, and the dice that are thrown again.

    Raises TooMuch for too many dice.
    """
    row = step.declared
    assert isinstance(row, Count)
    dice, sides = check_dice(step.dice.number(names), step.sides.number(names))
    if step.target is not None:
        target = clamp(step.target.number(names), step.clamp, names)
        good = set(range(max(1, target), sides + 1))
    else:
        assert step.band is not None
        low, high = step.band
        good = set(range(max(1, low.number(names)), min(sides, high.number(names)) + 1))
    good = (good - set(row.natural.fails)) | (set(row.natural.succeeds) & set(range(1, sides + 1)))
    again: frozenset[int] = frozenset()
    if row.again_faces is not None and step.again_faces and step.again_faces.holds(names):
        again = frozenset(row.again_faces.faces) & frozenset(range(1, sides + 1))
    # At most all dice can be thrown again.
    succeeded = max(0, min(dice, step.again_succeeded.number(names)))
    failed = max(0, min(dice, step.again_failed.number(names)))
    highest = max(0, min(dice, step.again_for_highest.number(names)))
    return Counting(dice, sides, frozenset(good), again, succeeded, failed, highest)


@_remembered
def summing(step: CompiledSum, names: Names) -> tuple[int, int, int | None, bool]:
    """The dice of a sum, their sides, the number of dice that it keeps, and whether the lowest.

    Raises TooMuch for too many dice.
    """
    row = step.declared
    assert isinstance(row, Sum)
    dice, sides = check_dice(step.dice.number(names), step.sides.number(names))
    keep = None if step.keep is None else max(0, min(dice, step.keep.number(names)))
    return dice, sides, keep, row.lowest


def sums_again(step: CompiledSum, names: Names) -> int:
    """The number of times that a sum may be thrown again. Raises TooMuch for too many."""
    again = step.again.number(names) if step.again_given else 0
    if again > MOST_AGAIN:
        raise TooMuch(say(_("the dice are thrown again more than %(most)s times"), most=MOST_AGAIN))
    return max(0, again)


@_remembered
def hand(step: CompiledHand, names: Names) -> Hand:
    """The dice of a hand, the number that may be thrown again, the cards that are added, the goal,
    and whether dice are thrown again one by one."""
    dice, _sides = check_dice(max(1, step.dice.number(names)), step.hand.sides)
    assert isinstance(step.declared, ThrowHand)
    singly = step.declared.singly
    again = max(0, min(MOST_AGAIN if singly else dice, step.again.number(names)))
    faces = (card.number(names) for card in step.cards)
    cards = tuple(sorted(face for face in faces if 0 < face <= step.hand.sides))
    goal = None
    if step.beats is not None:
        goal = Goal(beats=step.beats.number(names))
    elif step.reaches is not None:
        goal = Goal(reaches=step.reaches.number(names))
    return dice, again, cards, goal, singly


@_remembered
def cell(step: CompiledLookUp, names: Names) -> int:
    """The number in a cell of a grid; a row or column beyond an end is the one at that end."""
    row = step.declared
    assert isinstance(row, LookUp)
    cells = step.grid.cells
    line = cells[_within(step.row.number(names) - step.grid.first_row, cells)]
    value = line[_within(step.column.number(names) - step.grid.first_column, line)]
    return value if isinstance(value, int) else row.blank or 0


def _within(place: int, cells: tuple[object, ...]) -> int:
    return max(0, min(place, len(cells) - 1))


def times(step: CompiledAgain, names: Names) -> int:
    """The number of times that steps are repeated. Raises TooMuch for too many."""
    assert step.times is not None
    number = step.times.number(names)
    if number > MOST_TIMES:
        raise TooMuch(say(_("the loop repeats more than %(most)s times"), most=MOST_TIMES))
    return max(0, number)


def compare_pairs(mine: tuple[int, ...], theirs: tuple[int, ...]) -> tuple[int, int]:
    """Return the margin and the winner (1, 0 or -1) of two sides, compared pair by pair."""
    if mine[0] != theirs[0]:
        margin = mine[0] - theirs[0]
        return margin, 1 if margin > 0 else -1
    for one, other in zip(mine[1:], theirs[1:], strict=True):
        if one != other:
            return (1, 1) if one > other else (-1, -1)
    return 0, 0
