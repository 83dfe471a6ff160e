"""The games in a table of old results, row by row, with a sentence for each mistake."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date

from django.utils.translation import gettext as _

from campaigns.club.old_results.reading import (
    EARLIEST,
    LONGEST_CELL,
    Column,
    DateOrder,
    Grid,
    Winner,
    read_date,
    read_points,
    read_result,
)
from common.text import quote
from rules.book.model import Book
from rules.reference_pages.search import fold_letters

LONGEST_NAME = 80
MOST_NAMES = 100
# Choices for a name besides the key of a gang: a new gang, or only the name.
NEW, NAME = "new", "name"


@dataclass(frozen=True)
class Mapped:
    """An organiser's explanation of a table. ``columns``: their places; ``headed``: the first row
    has headings; ``names``: for each name the key of a gang, ``NEW`` or ``NAME``; ``results``: the
    meanings of words that the site does not know."""

    columns: Mapping[Column, int]
    headed: bool = True
    order: DateOrder = "day"
    names: Mapping[str, str] = field(default_factory=dict)
    results: Mapping[str, Winner] = field(default_factory=dict)


@dataclass(frozen=True)
class ResultLine:
    """A row of the table. ``number``: its number in the text; ``day`` and ``winner``: None if they
    are not understood; ``mistakes``: sentences; ``known``: the campaign has this game already."""

    number: int
    day: date | None
    a: str
    b: str
    winner: Winner | None
    scenario: str = ""
    note: str = ""
    mistakes: tuple[str, ...] = ()
    known: bool = False

    @property
    def is_good(self) -> bool:
        """Whether the row can be imported."""
        return not self.mistakes

    @property
    def result(self) -> str:
        """The result in words."""
        if self.winner is None:
            return ""
        if self.winner == "draw":
            return _("Draw")
        return _("%(name)s won") % {"name": self.a if self.winner == "a" else self.b}


def names_in(grid: Grid, mapped: Mapped) -> list[str]:
    """The names of the sides, each once, as they are first written."""
    found: dict[str, None] = {}
    for _number, row in _body(grid, mapped):
        for column in ("a", "b"):
            if name := _cell(row, mapped, column):
                found.setdefault(name)
    return list(found)


def unknown_results(grid: Grid, mapped: Mapped) -> list[str]:
    """The texts in the column of results that the site does not understand, each once."""
    found: dict[str, None] = {}
    for _number, row in _body(grid, mapped):
        text = _cell(row, mapped, "result")
        if text and read_result(text, _cell(row, mapped, "a"), _cell(row, mapped, "b")) is None:
            found.setdefault(text)
    return list(found)


def read_lines(
    grid: Grid,
    mapped: Mapped,
    book: Book,
    today: date,
    known: Container[tuple[date, frozenset[str]]],
) -> list[ResultLine]:
    """Every row as a game. ``known``: the days and gangs of the campaign's games."""
    scenarios = _scenarios(book)
    return [
        _line(number, row, mapped, scenarios, today, known) for number, row in _body(grid, mapped)
    ]


def digest_of(lines: Iterable[ResultLine]) -> str:
    """Identify the content of a table, however its file was written."""
    rows = [(str(one.day), one.a, one.b, one.winner, one.note) for one in lines]
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()


def _body(grid: Grid, mapped: Mapped) -> Iterator[tuple[int, tuple[str, ...]]]:
    rows = zip(grid.numbers, grid.rows, strict=True)
    if mapped.headed:
        next(rows, None)
    return rows


def _cell(row: tuple[str, ...], mapped: Mapped, column: Column) -> str:
    place = mapped.columns.get(column)
    return row[place] if place is not None and place < len(row) else ""


def _scenarios(book: Book) -> dict[str, str]:
    """The keys of the scenarios by their folded names, in every language."""
    found: dict[str, str] = {}
    for row in book.scenarios:
        for name in (row.name.en, row.name.fr, row.key):
            found.setdefault(fold_letters(name), row.key)
    return found


def _line(
    number: int,
    row: tuple[str, ...],
    mapped: Mapped,
    scenarios: Mapping[str, str],
    today: date,
    known: Container[tuple[date, frozenset[str]]],
) -> ResultLine:
    a, b = _cell(row, mapped, "a"), _cell(row, mapped, "b")
    day = read_date(_cell(row, mapped, "date"), mapped.order)
    winner = _winner(row, mapped, a, b)
    said = _cell(row, mapped, "scenario")
    scenario = scenarios.get(fold_letters(said), "") if said else ""
    parts = (said if not scenario else "", _cell(row, mapped, "note"))
    gangs = [mapped.names.get(name, "") for name in (a, b)]
    here = {gang for gang in gangs if gang not in ("", NEW, NAME)}
    mistakes = [
        *_mistakes_of_day(row, mapped, day, today),
        *_mistakes_of_names(mapped, a, b, gangs),
        *_mistakes_of_result(row, mapped, winner),
    ]
    if max(map(len, row)) > LONGEST_CELL:
        mistakes.append(_("A cell is longer than %(most)s characters.") % {"most": LONGEST_CELL})
    return ResultLine(
        number=number,
        day=day,
        a=a,
        b=b,
        winner=winner,
        scenario=scenario,
        note=" · ".join(filter(None, parts)),
        mistakes=tuple(mistakes),
        known=day is not None and len(here) == 2 and (day, frozenset(here)) in known,
    )


def _winner(row: tuple[str, ...], mapped: Mapped, a: str, b: str) -> Winner | None:
    if text := _cell(row, mapped, "result"):
        return read_result(text, a, b) or mapped.results.get(text)
    return read_points(_cell(row, mapped, "points_a"), _cell(row, mapped, "points_b"))


def _mistakes_of_day(
    row: tuple[str, ...], mapped: Mapped, day: date | None, today: date
) -> Iterator[str]:
    text = _cell(row, mapped, "date")
    if not text:
        yield _("The date is missing.")
    elif day is None:
        yield _("“%(text)s” is no date that the site understands.") % {"text": quote(text, 40)}
    elif day > today:
        yield _("This day is still to come.")
    elif day < EARLIEST:
        yield _("This day is too long ago.")


def _mistakes_of_names(mapped: Mapped, a: str, b: str, gangs: list[str]) -> Iterator[str]:
    if not a or not b:
        yield _("A side has no name.")
        return
    for name, gang in zip((a, b), gangs, strict=True):
        if len(name) > LONGEST_NAME:
            words = _("“%(name)s” is longer than %(most)s characters.")
            yield words % {"name": quote(name, 40), "most": LONGEST_NAME}
        elif not gang:
            yield _("Choose which gang “%(name)s” is.") % {"name": name}
    if a == b or (gangs[0] == gangs[1] and gangs[0] not in ("", NEW, NAME)):
        yield _("A gang cannot meet itself.")
    if gangs == [NAME, NAME]:
        yield _("Neither gang is here: such a game would count for nobody.")


def _mistakes_of_result(
    row: tuple[str, ...], mapped: Mapped, winner: Winner | None
) -> Iterator[str]:
    if winner is not None:
        return
    text = _cell(row, mapped, "result")
    if text:
        yield _("Choose what the result “%(text)s” means.") % {"text": quote(text, 40)}
    else:
        yield _("The result is missing.")
