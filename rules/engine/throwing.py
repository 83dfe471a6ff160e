"""What a step throws right now: its numbers worked out, as odds and play both need them."""

from __future__ import annotations

from rules.book.rolls import Count as DeclaredCount
from rules.engine.compiling import Count, Sum, ThrowHand, clamped
from rules.engine.distributions import Counting, Goal, bounded
from rules.engine.expressions import Names


def counting(step: Count, names: Names) -> Counting:
    """The dice that a count throws, which faces succeed, and what is thrown again.

    Raises TooMuch for more dice than anybody throws.
    """
    row = step.declared
    assert isinstance(row, DeclaredCount)
    dice, sides = bounded(step.dice.number(names), step.sides.number(names))
    if step.target is not None:
        target = clamped(step.target.number(names), step.clamp, names)
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


def summing(step: Sum, names: Names) -> tuple[int, int, int | None, bool]:
    """How many dice of how many sides a sum throws, and how many of the best or lowest it keeps.

    Raises TooMuch for more dice than anybody throws.
    """
    dice, sides = bounded(step.dice.number(names), step.sides.number(names))
    keep = None if step.keep is None else max(0, min(dice, step.keep.number(names)))
    return dice, sides, keep, bool(getattr(step.declared, "lowest", False))


def hand(step: ThrowHand, names: Names) -> tuple[int, int, tuple[int, ...], Goal | None]:
    """The dice of a hand, how many may be thrown again, cards that are added, and what for."""
    dice, _sides = bounded(max(1, step.dice.number(names)), step.hand.sides)
    again = max(0, min(dice, step.again.number(names)))
    faces = (card.number(names) for card in step.cards)
    cards = tuple(sorted(face for face in faces if 0 < face <= step.hand.sides))
    goal = None
    if step.beats is not None:
        goal = Goal(beats=step.beats.number(names))
    elif step.reaches is not None:
        goal = Goal(reaches=step.reaches.number(names))
    return dice, again, cards, goal


def compared(step_sides: tuple[tuple[int, ...], tuple[int, ...]]) -> tuple[int, int]:
    """The margin and the winner of two sides, compared pair by pair until one differs."""
    mine, theirs = step_sides
    if mine[0] != theirs[0]:
        margin = mine[0] - theirs[0]
        return margin, 1 if margin > 0 else -1
    for one, other in zip(mine[1:], theirs[1:], strict=True):
        if one != other:
            return (1, 1) if one > other else (-1, -1)
    return 0, 0


def cell(cells: tuple[tuple[int | str, ...], ...], row: int, column: int) -> int | None:
    """A cell of a grid counted from 0, brought back to its ends; None if it is blank."""
    found = cells[max(0, min(row, len(cells) - 1))]
    value = found[max(0, min(column, len(found) - 1))]
    return value if isinstance(value, int) else None
