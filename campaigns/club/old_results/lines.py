"""The games in a table of old results, row by row, with a sentence for each mistake and for each
row that is left out."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from django.utils.translation import gettext as _

from campaigns.club.old_results.reading import (
    BYE,
    EARLIEST,
    HEADING,
    LONGEST_CELL,
    TOTAL,
    UNFOUGHT,
    Column,
    DateOrder,
    Grid,
    NoGame,
    Score,
    Winner,
    compare,
    fold_name,
    read_date,
    read_points,
    read_result,
    read_score,
)
from common.text import fold_letters, quote
from rules.book.model import Book

LONGEST_NAME = 80
MOST_NAMES = 100
# Choices for a name besides the key of a gang: a new gang, or only the name.
NEW, NAME = "new", "name"


@dataclass(frozen=True)
class Mapped:
    """An organiser's explanation of a table. ``columns``: their places; ``headed``: the first row
    has headings; ``names``: for each name of ``names_in`` the key of a gang, ``NEW`` or ``NAME``;
    ``results``: the meanings of words that the site does not know; ``counted``: the keys of rows
    that count although the site would leave them out."""

    columns: Mapping[Column, int]
    headed: bool = True
    order: DateOrder = "day"
    names: Mapping[str, str] = field(default_factory=dict)
    results: Mapping[str, Winner] = field(default_factory=dict)
    counted: frozenset[str] = frozenset()


@dataclass(frozen=True)
class KnownSide:
    """A side of a stored game. ``gang``: its key, "" if only a name is left; ``names``: the folded
    names that it had in the game and has now."""

    gang: str
    names: frozenset[str]


# The sides of the campaign's games between two, by day.
type KnownGames = Mapping[date, Sequence[tuple[KnownSide, KnownSide]]]


@dataclass(frozen=True)
class Row:
    """A row of the table below its headings. ``key``: names it, whatever its number; ``no_game``:
    why it is no game."""

    number: int
    key: str
    cells: tuple[str, ...]
    no_game: NoGame | None


@dataclass(frozen=True)
class ResultLine:
    """A row of the table. ``number``: its number in the text; ``key``: as in ``Row``; ``day`` and
    ``winner``: None if they are not understood; ``mistakes``: sentences; ``known``: the campaign
    has this game already. ``reason``: why the site proposes to leave it out, "" if it does not;
    ``is_left``: whether it is; ``may_count``: whether an organiser can count it all the same;
    ``warning``: something to look at; ``text``: its cells, if it is no game."""

    number: int
    key: str
    day: date | None
    a: str
    b: str
    winner: Winner | None
    scenario: str = ""
    note: str = ""
    mistakes: tuple[str, ...] = ()
    known: bool = False
    score: Score | None = None
    reason: str = ""
    is_left: bool = False
    may_count: bool = True
    warning: str = ""
    text: str = ""

    @property
    def is_good(self) -> bool:
        """Whether the row can be imported."""
        return not self.mistakes and not self.is_left

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
    found: dict[str, str] = {}
    for row in _games(grid, mapped):
        for column in ("a", "b"):
            if name := _cell(row, mapped, column):
                found.setdefault(fold_name(name), name)
    return list(found.values())


def unknown_results(grid: Grid, mapped: Mapped) -> list[str]:
    """The texts in the column of results that the site does not understand, each once."""
    found: dict[str, None] = {}
    for row in _games(grid, mapped):
        text = _cell(row, mapped, "result")
        if text and read_result(text, _cell(row, mapped, "a"), _cell(row, mapped, "b")) is None:
            found.setdefault(text)
    return list(found)


def read_lines(
    grid: Grid, mapped: Mapped, book: Book, today: date, known: KnownGames
) -> list[ResultLine]:
    """Every row: as a game, or with the reason why it is left out."""
    scenarios = _scenarios(book)
    spelled = {fold_name(name): name for name in names_in(grid, mapped)}

    def name_of(row: Row, column: Column) -> str:
        name = _cell(row, mapped, column)
        return spelled.get(fold_name(name), name)

    lines = []
    for row in _rows(grid, mapped):
        if row.no_game and not _is_counted(row, mapped):
            lines.append(_left_out(row))
        else:
            line = _line(row, mapped, scenarios, today, known, name_of)
            lines.append(replace(line, reason=_reason(row.no_game)) if row.no_game else line)
    return list(_without_twins(lines, mapped))


def _left_out(row: Row) -> ResultLine:
    """The line of a row that is no game."""
    assert row.no_game is not None
    return ResultLine(
        number=row.number,
        key=row.key,
        day=None,
        a="",
        b="",
        winner=None,
        reason=_reason(row.no_game),
        is_left=True,
        may_count=row.no_game != "several",
        text=quote(" · ".join(filter(None, row.cells)), 120),
    )


def _reason(no_game: NoGame) -> str:
    match no_game:
        case "heading":
            return _("This row repeats the headings.")
        case "total":
            return _("This row adds up others.")
        case "bye":
            return _("One side had a bye.")
        case "unfought":
            return _("Nobody fought this game.")
        case "empty":
            return _("This row does not name two sides.")
        case "several":
            return _("More than two sides met: only games between two can come in.")


def _without_twins(lines: Iterable[ResultLine], mapped: Mapped) -> Iterator[ResultLine]:
    """The lines, of which each game counts once: a later row about the same game is left out, and
    another result of the same two on the same day has a warning."""
    told: dict[tuple[date, frozenset[str]], list[ResultLine]] = {}
    for line in lines:
        if not line.is_good or line.day is None:
            yield line
            continue
        pair = frozenset(_who(name, mapped) for name in (line.a, line.b))
        earlier = told.setdefault((line.day, pair), [])
        twin = next((one for one in earlier if _is_same_game(one, line, mapped)), None)
        if twin is not None:
            values = {"number": twin.number}
            is_left = line.key not in mapped.counted
            reason = _("Row %(number)s already has this game.") % values
            yield replace(line, reason=reason, is_left=is_left)
            continue
        if earlier:
            words = _("Row %(number)s has another game of these two on this day: both count.")
            line = replace(line, warning=words % {"number": earlier[0].number})
        earlier.append(line)
        yield line


def _who(name: str, mapped: Mapped) -> str:
    """Identify the side with this name: by its gang, or by the name if no gang was chosen."""
    gang = _gang(name, mapped)
    return gang or f"name:{fold_name(name)}"


def _gang(name: str, mapped: Mapped) -> str:
    """The key of the gang that was chosen for a name; "" if none was."""
    gang = mapped.names.get(name, "")
    return "" if gang in (NEW, NAME) else gang


def _is_same_game(one: ResultLine, other: ResultLine, mapped: Mapped) -> bool:
    """Whether two rows about the same two sides and the same day tell the same game: nothing that
    both rows have differs, whichever side comes first."""
    mirrored = _who(one.a, mapped) != _who(other.a, mapped)
    turned: Mapping[Winner | None, Winner] = {"a": "b", "b": "a"}
    winner = turned.get(other.winner, other.winner) if mirrored else other.winner
    score = other.score[::-1] if other.score and mirrored else other.score
    return (
        one.winner == winner
        and (not one.score or not score or one.score == score)
        and (not one.scenario or not other.scenario or one.scenario == other.scenario)
    )


def digest_of(lines: Iterable[ResultLine]) -> str:
    """Identify the content of a table, however its file was written."""
    rows = [(str(one.day), one.a, one.b, one.winner, one.note) for one in lines]
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()


def _rows(grid: Grid, mapped: Mapped) -> Iterator[Row]:
    """The rows below the headings."""
    heads = _folded(grid.rows[0]) if mapped.headed else None
    seen: Counter[tuple[str, ...]] = Counter()
    for number, cells in list(zip(grid.numbers, grid.rows, strict=True))[mapped.headed :]:
        text = json.dumps([*cells, seen[cells]])
        seen[cells] += 1
        row = Row(number, hashlib.sha256(text.encode()).hexdigest()[:12], cells, None)
        several = number in grid.several
        no_game = "several" if several else _no_game(row, mapped, heads)
        yield replace(row, no_game=no_game)


def _games(grid: Grid, mapped: Mapped) -> Iterator[Row]:
    """The rows that are not left out for themselves."""
    return (row for row in _rows(grid, mapped) if not row.no_game or _is_counted(row, mapped))


def _is_counted(row: Row, mapped: Mapped) -> bool:
    """Whether an organiser counts a row that is no game."""
    return row.key in mapped.counted and row.no_game != "several"


def _folded(cells: Iterable[str]) -> list[str]:
    """The folded cells, without empty ones at the end."""
    folded = [fold_name(cell) for cell in cells]
    while folded and not folded[-1]:
        folded.pop()
    return folded


def _no_game(row: Row, mapped: Mapped, heads: Sequence[str] | None) -> NoGame | None:
    """Why a row is no game, as far as its words say so; None if it may be one."""
    day, a, b, result, note = (
        fold_letters(_cell(row, mapped, column)) for column in ("date", "a", "b", "result", "note")
    )
    filled = [fold_letters(cell) for cell in row.cells if cell]
    has_result = result or _cell(row, mapped, "points_a") or _cell(row, mapped, "points_b")
    if _folded(row.cells) == heads:
        return "heading"
    if read_date(day, mapped.order) is None:
        if HEADING.fullmatch(day):
            return "heading"
        if TOTAL.fullmatch(filled[0]):
            return "total"
        if not (a or b) or len(filled) == 1:
            return "empty"
    if BYE.fullmatch(a) or BYE.fullmatch(b):
        return "bye"
    is_name = fold_name(result) in (fold_name(a), fold_name(b))
    if (result and not is_name and UNFOUGHT.search(result)) or UNFOUGHT.fullmatch(note):
        return "unfought"
    return None if a or b or has_result else "empty"


def _cell(row: Row, mapped: Mapped, column: Column) -> str:
    place = mapped.columns.get(column)
    return row.cells[place] if place is not None and place < len(row.cells) else ""


def _scenarios(book: Book) -> dict[str, str]:
    """The keys of the scenarios by their folded names, in every language."""
    found: dict[str, str] = {}
    for row in book.scenarios:
        for name in (*row.name.root.values(), row.key):
            found.setdefault(fold_letters(name), row.key)
    return found


def _line(
    row: Row,
    mapped: Mapped,
    scenarios: Mapping[str, str],
    today: date,
    known: KnownGames,
    name_of: Callable[[Row, Column], str],
) -> ResultLine:
    a, b = name_of(row, "a"), name_of(row, "b")
    day = read_date(_cell(row, mapped, "date"), mapped.order)
    winner, score = _winner(row, mapped, a, b)
    said = _cell(row, mapped, "scenario")
    scenario = scenarios.get(fold_letters(said), "") if said else ""
    parts = (said if not scenario else "", _cell(row, mapped, "note"))
    mistakes = [
        *_mistakes_of_day(row, mapped, day, today),
        *_mistakes_of_names(mapped, a, b),
        *_mistakes_of_result(row, mapped, winner),
    ]
    if max(map(len, row.cells)) > LONGEST_CELL:
        mistakes.append(_("A cell is longer than %(most)s characters.") % {"most": LONGEST_CELL})
    return ResultLine(
        number=row.number,
        key=row.key,
        day=day,
        a=a,
        b=b,
        winner=winner,
        scenario=scenario,
        note=" · ".join(filter(None, parts)),
        mistakes=tuple(mistakes),
        known=day is not None and _is_known(known.get(day, ()), mapped, a, b),
        score=score,
    )


def _is_known(games: Iterable[tuple[KnownSide, KnownSide]], mapped: Mapped, a: str, b: str) -> bool:
    """Whether these two met in one of the games, whichever came first. Two gangs are compared by
    their keys, others by their names."""

    def fits(name: str, side: KnownSide) -> bool:
        gang = _gang(name, mapped)
        return gang == side.gang if gang and side.gang else fold_name(name) in side.names

    return any(
        (fits(a, first) and fits(b, second)) or (fits(a, second) and fits(b, first))
        for first, second in games
    )


def _winner(row: Row, mapped: Mapped, a: str, b: str) -> tuple[Winner | None, Score | None]:
    """The winner, and the score if there is one."""
    points = read_points(_cell(row, mapped, "points_a"), _cell(row, mapped, "points_b"))
    if text := _cell(row, mapped, "result"):
        winner = read_result(text, a, b) or mapped.results.get(text)
        return winner, read_score(text) or points
    return compare(points) if points else None, points


def _mistakes_of_day(row: Row, mapped: Mapped, day: date | None, today: date) -> Iterator[str]:
    text = _cell(row, mapped, "date")
    if not text:
        yield _("The date is missing.")
    elif day is None:
        yield _("“%(text)s” is no date that the site understands.") % {"text": quote(text, 40)}
    elif day > today:
        yield _("This day is still to come.")
    elif day < EARLIEST:
        yield _("This day is too long ago.")


def _mistakes_of_names(mapped: Mapped, a: str, b: str) -> Iterator[str]:
    gangs = [mapped.names.get(name, "") for name in (a, b)]
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


def _mistakes_of_result(row: Row, mapped: Mapped, winner: Winner | None) -> Iterator[str]:
    if winner is not None:
        return
    text = _cell(row, mapped, "result")
    if text:
        yield _("Choose what the result “%(text)s” means.") % {"text": quote(text, 40)}
    else:
        yield _("The result is missing.")
