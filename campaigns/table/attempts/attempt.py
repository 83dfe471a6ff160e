"""Attempts, and their situations as the table knows them: states, losses, actions of this turn.

The form does not ask for anything that is found here.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from campaigns.table.state import (
    FigureNow,
    FigureStart,
    Start,
    TableNow,
    are_friends,
    figure_names,
    holds,
    side_names,
)
from campaigns.table.taps import NONPLAYERS, Rolled
from rules.book.model import Rules
from rules.engine.expressions import BadExpression, Unknown, Value, parse
from rules.engine.figure import Figure
from rules.engine.situations import Side, Situation, names_in
from rules.odds.chances import Question

Who = str | int


def side_of(who: Who) -> int:
    """Return the side of a figure, or the side itself."""
    return who if isinstance(who, int) else int(who.partition(".")[0])


@dataclass(frozen=True)
class Attempt:
    """An attempt: the figure or side, its target, and the weapons of both.

    ``roll``: "" if it needs none; ``said``: the circumstances that the player entered; ``action``:
    the action that it is part of; ``free``: the action is already paid; ``alarm``: the due alarm
    that asks for the roll; ``cause``: the act that it follows from, where several may be.
    """

    by: Who
    roll: str = ""
    at: Who | None = None
    item: str | None = None
    mode: str | None = None
    at_item: str | None = None
    at_mode: str | None = None
    said: Mapping[str, Value] = field(default_factory=dict, hash=False)
    action: str | None = None
    free: bool = False
    alarm: str | None = None
    cause: UUID | None = None

    @classmethod
    def of(cls, tap: Rolled) -> Attempt:
        """Return the attempt of a roll in the log."""
        said = dict(tap.facts)
        weapons = (tap.item, tap.mode, tap.at_item, tap.at_mode)
        return cls(tap.by, tap.roll, tap.at, *weapons, said=said, alarm=tap.alarm)

    def question(self, start: Start, now: TableNow) -> Question:
        """Return the attempt as a question about odds, with everything that the table knows and the
        player entered. Raises KeyError for a roll or figure that this table does not have."""
        return _once(self, lambda: _question(start, now, self))

    def names(self, start: Start, now: TableNow) -> Mapping[str, Value]:
        """Return the values that expressions read, independent of the roll."""
        rolls = rules_for(start, self.by).book.rolls
        return replace(self, roll=rolls[0].key).question(start, now).names if rolls else {}


# The results within ``asking_much``; None outside.
_worked_out: ContextVar[dict[Hashable, Any] | None] = ContextVar("worked_out", default=None)


@contextmanager
def asking_much() -> Iterator[None]:
    """Compute each question and each side only once inside, for the many attempts of one figure at
    one state of one table."""
    token = _worked_out.set({})
    try:
        yield
    finally:
        _worked_out.reset(token)


def _once[T](key: Hashable, work_out: Callable[[], T]) -> T:
    known = _worked_out.get()
    if known is None:
        return work_out()
    if key not in known:
        known[key] = work_out()
    found: T = known[key]
    return found


def figure_of(start: Start, key: str) -> FigureStart:
    """Return the figure with this key. Raises KeyError."""
    found = next((one for one in start.figures if one.key == key), None)
    if found is None:
        raise KeyError(key)
    return found


def rules_for(start: Start, by: Who) -> Rules:
    """The rules for a figure or side, with the custom items of the figure's gang."""
    return figure_of(start, by).rules if isinstance(by, str) else start.rules


def figure_now(start: FigureStart, now: FigureNow) -> Figure:
    """Return a figure without the weapons that it has lost."""
    left = dict(now.lost)
    items = []
    for item in start.figure.items:
        if left.get(item, 0):
            left[item] -= 1
        else:
            items.append(item)
    return replace(start.figure, items=tuple(items))


def side(
    start: Start, now: TableNow, key: str, item: str | None = None, mode: str | None = None
) -> Side:
    """Return a figure as one side of a roll, with this weapon in use."""
    return _once((key, item, mode), lambda: _side(start, now, key, item, mode))


def _side(start: Start, now: TableNow, key: str, item: str | None, mode: str | None) -> Side:
    of, there = figure_of(start, key), now.figures[key]
    return Side(
        figure_now(of, there),
        item,
        mode,
        tuple(there.states),
        there.tracks.get(start.book.life or ""),
        tuple(there.item_states.get(item or "", ())),
        of.rules.book,
    )


def _question(start: Start, now: TableNow, attempt: Attempt) -> Question:
    rules, on = rules_for(start, attempt.by), attempt
    by = side(start, now, on.by, on.item, on.mode) if isinstance(on.by, str) else None
    at = side(start, now, on.at, on.at_item, on.at_mode) if isinstance(on.at, str) else None
    enemy = None if on.at is None else side_of(on.at)
    known = evening_names(start, now, side_of(on.by), enemy)
    known |= read_tapped(start, now, rules, Situation(by, at, known), on)
    known |= on.said
    return Question(rules, rules.book.roll[on.roll], by, at, known)


def evening_names(
    start: Start, now: TableNow, own: int, enemy: int | None = None
) -> dict[str, Value]:
    """Return the values of the evening that expressions read: figures in play, turn, sides'
    states."""
    found = side_names(start.rules, now.sides, own, now.turn)
    for number in _against(start, now, own, enemy):
        found |= {f"enemy.in_state:{key}": 1 for key in now.sides[number].states}
    return found


def read_tapped(
    start: Start, now: TableNow, rules: Rules, situation: Situation, attempt: Attempt
) -> dict[str, Value]:
    """Return the circumstances that follow from taps, by key."""
    rows = [row for row in rules.circumstances if row.tapped]
    if not rows:
        return {}
    names = {**names_in(rules, situation)}
    found: dict[str, Value] = {}
    for row in rows:
        assert row.tapped is not None
        expression = parse(row.tapped)
        asked = dict(_answers(start, now, attempt, expression.names))
        try:
            value = expression.work_out({**names, **asked})
        except (BadExpression, Unknown):
            # It is about somebody who takes no part in this roll.
            continue
        if row.kind == "choice":
            if any(one.key == value for one in row.choices):
                found[row.key] = value
        elif not isinstance(value, str):
            found[row.key] = max(row.minimum, min(int(value), row.maximum))
    return found


def _answers(
    start: Start, now: TableNow, attempt: Attempt, names: Iterable[str]
) -> Iterator[tuple[str, Value]]:
    """Yield the values that the table knows, by name."""
    for name in names:
        subject, _dot, rest = name.partition(".")
        asked, _colon, key = rest.partition(":")
        whom: Who | None = attempt.by if subject == "by" else attempt.at
        figure = now.figures.get(whom) if isinstance(whom, str) else None
        match asked:
            case "acted" if subject in ("by", "at") and figure is not None:
                yield name, max(figure.acted, bool(figure.did))
            case "did" if figure is not None:
                doing = subject == "by" and attempt.action == key and figure.did[-1:] != (key,)
                yield name, figure.did.count(key) + doing
            case "asked" if subject == "by":
                yield name, int(attempt.alarm == key)
            case "did_before" if figure is not None:
                yield name, figure.did_before.count(key)
            case "left" if subject in ("by", "at"):
                yield name, figure.tracks.get(key, 0) if figure is not None else 0
            case "left":
                numbers = _sides(start, now, attempt, subject)
                yield name, sum(now.sides[number].tracks.get(key, 0) for number in numbers)
            case "members" | "lost_members":
                sides = _sides(start, now, attempt, subject)
                yield name, _members(start, now, sides, key, out=asked == "lost_members")


def _sides(start: Start, now: TableNow, attempt: Attempt, subject: str) -> list[int]:
    own = side_of(attempt.by)
    if subject == "gang":
        return [own]
    return _against(start, now, own, None if attempt.at is None else side_of(attempt.at))


def _against(start: Start, now: TableNow, own: int, enemy: int | None) -> list[int]:
    """Return the enemy's side, or all other gangs' sides if no other side is the target. For gangs
    that play together, the enemies are the non-players."""
    others = [
        number
        for number in now.sides
        if not are_friends(start.book, number, own) and enemy in (None, own, number)
    ]
    if start.book.who_plays.is_together:
        return others
    return [number for number in others if number in (enemy, *_gangs(now))]


def _gangs(now: TableNow) -> list[int]:
    return [number for number in now.sides if number != NONPLAYERS]


def _members(start: Start, now: TableNow, sides: list[int], given: str, *, out: bool) -> int:
    """Count the figures of these sides, in play or ``out``, for which an expression is true."""
    return sum(
        holds(given, figure_names(start.book, one, now.figures[one.key]))
        for one in start.figures
        if one.side in sides and (now.figures[one.key].out is not None) == out
    )
