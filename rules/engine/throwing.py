"""What a step throws right now: its numbers worked out, as odds and play both need them.

Numbers depend on nothing but the names that they read, and are remembered by the values of these:
most attacks meet the same ones again and again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
from rules.engine.distributions import MOST_AGAIN, Counting, Goal, check_dice
from rules.engine.expressions import Names, Value, clamp

# How much of one step is remembered; how often steps are repeated at most.
MOST_REMEMBERED = 1024
MOST_TIMES = 60

Hand = tuple[int, int, tuple[int, ...], Goal | None, bool]


# Values that steps remember, if any, and how much that has been.
_filled: list[dict[tuple[Value | None, ...], Any]] = []
_number = 0


def _count(known: dict[tuple[Value | None, ...], Any]) -> None:
    """One more result is remembered; all steps forget theirs once they are too many together."""
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
    """``work_out``, which is asked only for values that it has not met."""

    def found(step: S, names: Names) -> V:
        values = tuple([names.get(name) for name in step.numbers_read])
        known = step.worked_out
        # Another thread may be forgetting it just now.
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
    """The dice that a count throws, which faces succeed, and what is thrown again.

    Raises TooMuch for more dice than anybody throws.
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
    # No more can be thrown again than there are.
    succeeded = max(0, min(dice, step.again_succeeded.number(names)))
    failed = max(0, min(dice, step.again_failed.number(names)))
    highest = max(0, min(dice, step.again_for_highest.number(names)))
    return Counting(dice, sides, frozenset(good), again, succeeded, failed, highest)


@_remembered
def summing(step: CompiledSum, names: Names) -> tuple[int, int, int | None, bool]:
    """How many dice of how many sides a sum throws, and how many of the best or lowest it keeps.

    Raises TooMuch for more dice than anybody throws.
    """
    row = step.declared
    assert isinstance(row, Sum)
    dice, sides = check_dice(step.dice.number(names), step.sides.number(names))
    keep = None if step.keep is None else max(0, min(dice, step.keep.number(names)))
    return dice, sides, keep, row.lowest


def sums_again(step: CompiledSum, names: Names) -> int:
    """How often a sum may be thrown again. Raises TooMuch for more than anybody does."""
    again = step.again.number(names) if step.again_given else 0
    if again > MOST_AGAIN:
        raise TooMuch(f"is thrown again more than {MOST_AGAIN} times")
    return max(0, again)


@_remembered
def hand(step: CompiledHand, names: Names) -> Hand:
    """The dice of a hand, how many may be thrown again, cards that are added, what for, and
    whether they are thrown again one by one."""
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
    """What stands in the cell of a grid; a row or column beyond its ends is that at the end."""
    row = step.declared
    assert isinstance(row, LookUp)
    cells = step.grid.cells
    line = cells[_within(step.row.number(names) - step.grid.first_row, cells)]
    value = line[_within(step.column.number(names) - step.grid.first_column, line)]
    return value if isinstance(value, int) else row.blank


def _within(place: int, cells: tuple[object, ...]) -> int:
    return max(0, min(place, len(cells) - 1))


def times(step: CompiledAgain, names: Names) -> int:
    """How often steps are repeated. Raises TooMuch for more than anybody does."""
    assert step.times is not None
    number = step.times.number(names)
    if number > MOST_TIMES:
        raise TooMuch(f"is repeated more than {MOST_TIMES} times")
    return max(0, number)


def compare_pairs(mine: tuple[int, ...], theirs: tuple[int, ...]) -> tuple[int, int]:
    """The margin and the winner of two sides, compared pair by pair until one differs."""
    if mine[0] != theirs[0]:
        margin = mine[0] - theirs[0]
        return margin, 1 if margin > 0 else -1
    for one, other in zip(mine[1:], theirs[1:], strict=True):
        if one != other:
            return (1, 1) if one > other else (-1, -1)
    return 0, 0
