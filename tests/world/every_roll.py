"""Attempts at every roll of a shipped game, in situations in which its outcomes differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice, product
from typing import Any

from campaigns.table.attempts.attempt import Attempt, Who, rules_for, side
from campaigns.table.fold import fold
from campaigns.table.state import Start, TableFighter, TableNow, begin
from rules.book.model import Book
from rules.book.rolls import Roll
from rules.engine.expressions import Value, parse
from rules.odds.chances import find_carried, ways
from tests.gangs import rosters

# The figures of a side, and the attempts at a roll in the same situation.
MOST_FIGURES, MOST_ALIKE = 3, 2


def make_start(book: Book, traits: Iterable[str] = ()) -> Start:
    """Return a table with the first figures of two ready-made gangs: the first one of each with
    everything that its game sells, and with these ``traits``, the second one with every
    condition."""
    fighters = []
    for number, sample in enumerate(book.samples[:2], start=1):
        roster = rosters.ready_made(book, sample)
        figures = [roster.figure(book, member) for member in roster.members[:MOST_FIGURES]]
        everything = tuple(item.key for item in book.items)
        figures[0] = replace(
            figures[0],
            items=(*figures[0].items, *everything),
            traits=(*figures[0].traits, *traits),
        )
        conditions = tuple(condition.key for condition in book.conditions)
        figures[1] = replace(figures[1], conditions=conditions)
        fighters += [
            TableFighter(book, number, str(place), sample.key, place, figure)
            for place, figure in enumerate(figures, start=1)
        ]
    return begin(book.under(book.default_settings()), (1, 2), fighters)


def situations(start: Start, roll: Roll) -> Iterator[tuple[TableNow, Attempt]]:
    """Yield attempts at a roll: as usual, in each state that the roll reads, with a life of 0 to 2,
    and with each other answer to a circumstance."""
    fresh = fold(start, ())
    for now in (fresh, *_changed(start, fresh, roll)):
        yield from ((now, made) for made in islice(_attempts(start, now, roll), MOST_ALIKE))
    for made in islice(_attempts(start, fresh, roll), MOST_ALIKE):
        for row in made.question(start, fresh).ready.asked:
            values: list[Value] = [row.minimum, row.maximum]
            if row.kind == "choice":
                values = [one.key for one in row.choices]
            others = (replace(made, said={row.key: value}) for value in values)
            yield from ((fresh, one) for one in others if one.question(start, fresh).usable)


def _changed(start: Start, now: TableNow, roll: Roll) -> Iterator[TableNow]:
    reads = Attempt(1, roll.key).question(start, now).ready.reads
    reads |= parse(roll.usable).names if roll.usable else frozenset()
    for state in start.rules.states:
        if state.of == "figure" and any(name.endswith(f".in_state:{state.key}") for name in reads):
            yield _change_all(now, states={state.key: "game"})
    life = start.book.life
    for left in (0, 1, 2) if life is not None else ():
        figures = {
            key: replace(one, tracks={**one.tracks, life: min(left, one.tracks[life])})
            for key, one in now.figures.items()
        }
        yield replace(now, figures=figures)


def _change_all(now: TableNow, **changes: Any) -> TableNow:
    return replace(now, figures={key: replace(one, **changes) for key, one in now.figures.items()})


def _attempts(start: Start, now: TableNow, roll: Roll) -> Iterator[Attempt]:
    """Yield the attempts at a roll that its figures may make, each with another weapon."""
    seen = set()
    for made in _all_attempts(start, now, roll):
        if (made.item, made.mode) not in seen and made.question(start, now).usable:
            seen.add((made.item, made.mode))
            yield made


def _all_attempts(start: Start, now: TableNow, roll: Roll) -> Iterator[Attempt]:
    mine, theirs = ([one.key for one in start.figures if one.side == side] for side in (1, 2))
    targets: list[Who | None] = [None]
    if roll.at == "member":
        targets = [theirs[0], theirs[1], mine[1]]
    elif roll.at == "side":
        targets = [2]
    for by, at in product([1] if roll.by == "side" else mine, targets):
        weapons: list[tuple[str | None, str | None]] = [(None, None)]
        if roll.using == "item":
            weapons = [(use.item.key, use.mode) for use in _weapons(start, now, by)]
        for item, mode in weapons if by != at else ():
            use = next(_weapons(start, now, at), None)
            yield Attempt(by, roll.key, at, item, mode, use.item.key if use else None)


def _weapons(start: Start, now: TableNow, who: Who | None) -> Iterator[Any]:
    if isinstance(who, str):
        rules = rules_for(start, who)
        yield from ways(rules.book, find_carried(rules, side(start, now, who).figure))
