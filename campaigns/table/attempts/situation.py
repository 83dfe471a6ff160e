"""An act's situation as the table knows it: who stands how, what was lost, what was done.

What is worked out here nobody is asked about.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from campaigns.table.attempts.effects import Act, Who, side_of
from campaigns.table.expression_names import figure_names, holds, side_names
from campaigns.table.state import FigureNow, FigureStart, Start, TableNow
from rules.book.model import Book
from rules.engine.expressions import BadExpression, Unknown, Value, read
from rules.engine.figure import Figure
from rules.engine.situations import Side, Situation, names_in
from rules.odds.chances import Question

# What was worked out since somebody began to ask much about one table; None while nobody does.
_worked_out: ContextVar[dict[Hashable, Any] | None] = ContextVar("worked_out", default=None)


@contextmanager
def asking_much() -> Iterator[None]:
    """Whatever is asked of one table within this is worked out once. Its start and how it stands
    must be the same all the while."""
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
    """The figure of this key. Raises KeyError where there is none at this table."""
    found = next((one for one in start.figures if one.key == key), None)
    if found is None:
        raise KeyError(key)
    return found


def book_for(start: Start, by: Who) -> Book:
    """The rulebook with the own items of the gang of whoever throws."""
    return figure_of(start, by).book if isinstance(by, str) else start.book


def figure_now(start: FigureStart, now: FigureNow) -> Figure:
    """A figure without the weapons that it has lost."""
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
    """A figure as one side of a roll, with this weapon in use."""
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
        of.book,
    )


def question(
    start: Start, now: TableNow, roll: str, act: Act, said: Mapping[str, Value] | None = None
) -> Question:
    """An act as a question about odds: what the table knows, and ``said`` by whoever looks at it.

    Raises KeyError for a roll or figure that this table does not have.
    """
    key = (roll, act, frozenset((said or {}).items()))
    return _once(key, lambda: _question(start, now, roll, act, said or {}))


def _question(
    start: Start, now: TableNow, roll: str, act: Act, said: Mapping[str, Value]
) -> Question:
    book = book_for(start, act.by)
    by = side(start, now, act.by, act.item, act.mode) if isinstance(act.by, str) else None
    at = side(start, now, act.at, act.at_item, act.at_mode) if isinstance(act.at, str) else None
    enemy = None if act.at is None else side_of(act.at)
    known = sides_known(start, now, side_of(act.by), enemy)
    known |= tapped(start, now, book, Situation(by, at, known), act)
    known |= said
    return Question(book.under(start.settings), book.roll[roll], by, at, known)


def sides_known(
    start: Start, now: TableNow, own: int, enemy: int | None = None
) -> dict[str, Value]:
    """What expressions read of the evening: how many stand, the turn, states of sides."""
    found = side_names(now.sides, own, now.turn, start.settings)
    for number in _against(now, own, enemy):
        found |= {f"enemy.in_state:{key}": 1 for key in now.sides[number].states}
    return found


def tapped(
    start: Start, now: TableNow, book: Book, situation: Situation, act: Act
) -> dict[str, Value]:
    """The circumstances that taps tell, by their keys."""
    rows = [row for row in book.under(start.settings).circumstances if row.tapped]
    if not rows:
        return {}
    names = {**names_in(book.under(start.settings), situation)}
    found: dict[str, Value] = {}
    for row in rows:
        assert row.tapped is not None
        expression = read(row.tapped)
        asked = dict(_answers(start, now, act, expression.names))
        try:
            value = expression.work_out({**names, **asked})
        except (BadExpression, Unknown):
            # It is about somebody who does not take part in this roll.
            continue
        if row.kind == "choice":
            if any(one.key == value for one in row.choices):
                found[row.key] = value
        elif not isinstance(value, str):
            found[row.key] = max(row.minimum, min(int(value), row.maximum))
    return found


def _answers(
    start: Start, now: TableNow, act: Act, names: Iterable[str]
) -> Iterator[tuple[str, Value]]:
    """What a table answers of what is asked of it."""
    for name in names:
        subject, _dot, rest = name.partition(".")
        asked, _colon, key = rest.partition(":")
        whom: Who | None = act.by if subject == "by" else act.at
        figure = now.figures.get(whom) if isinstance(whom, str) else None
        match asked:
            case "acted" if subject in ("by", "at") and figure is not None:
                yield name, max(figure.acted, bool(figure.did))
            case "did" if figure is not None:
                doing = subject == "by" and act.doing == key and figure.did[-1:] != (key,)
                yield name, figure.did.count(key) + doing
            case "did_before" if figure is not None:
                yield name, figure.did_before.count(key)
            case "left" if subject in ("by", "at"):
                yield name, figure.tracks.get(key, 0) if figure is not None else 0
            case "left":
                numbers = _sides(now, act, subject)
                yield name, sum(now.sides[number].tracks.get(key, 0) for number in numbers)
            case "members" | "lost_members":
                sides = _sides(now, act, subject)
                yield name, _members(start, now, sides, key, out=asked == "lost_members")


def _sides(now: TableNow, act: Act, subject: str) -> list[int]:
    own = side_of(act.by)
    if subject == "gang":
        return [own]
    return _against(now, own, None if act.at is None else side_of(act.at))


def _against(now: TableNow, own: int, enemy: int | None) -> list[int]:
    """The enemy's side, or all others where nobody of another side is meant."""
    return [number for number in now.sides if number != own and enemy in (None, own, number)]


def _members(start: Start, now: TableNow, sides: list[int], given: str, *, out: bool) -> int:
    """How many figures of some sides, in play or ``out``, something holds for."""
    return sum(
        holds(given, figure_names(start.book, one, now.figures[one.key]))
        for one in start.figures
        if one.side in sides and (now.figures[one.key].out is not None) == out
    )
