"""A table of old results as text: its encoding, its cells, its dates and its results.

Spreadsheets write UTF-8 with a mark at the beginning, or the encoding of Western Europe; columns
end with a comma, a semicolon (where a comma is in numbers) or a tab.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from typing import Literal

from django.conf import settings
from django.utils import timezone, translation
from django.utils.dates import MONTHS, WEEKDAYS

from common.errors import Refusal
from common.text import clean_text, fold_letters, one_line

# Limits on a table.
MOST_BYTES = 400_000
MOST_CHARACTERS = 200_000
MOST_ROWS = 500
MOST_COLUMNS = 30
# The note of a game, of at most 2,000 characters, takes two of them.
LONGEST_CELL = 900
EARLIEST = date(1970, 1, 1)
# The first bytes of files that spreadsheets keep: .xlsx and .ods are archives, .xls is older.
SPREADSHEET_FILES = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
# Spreadsheets may name the sign between columns in a line before the table.
SEPARATOR_LINE = re.compile(r'"?sep=(.)"?\n', re.IGNORECASE)

Winner = Literal["a", "b", "draw"]
# The points of the first and of the second side.
Score = tuple[float, float]
DateOrder = Literal["day", "month"]
ORDERS: Sequence[DateOrder] = ("day", "month")
# Why a row is left out: it is no game, or, for "several", a game of more than two sides.
NoGame = Literal["heading", "total", "bye", "unfought", "empty", "several"]
# The use of a column.
Column = Literal["date", "a", "b", "result", "points_a", "points_b", "scenario", "note"]

# A shorter beginning of a month's name names none.
SHORTEST_MONTH, SHORTEST_DAY = 3, 3
# A longer text is no date, and would take long to search.
LONGEST_DATE = 60
# A time of day after a date, with its time zone, folded: "20:30", "a 20 h 30", "8.30 pm CET".
CLOCK = (
    r"\d{1,2}(?: ?[:h] ?(?:\d{2})?(?: ?[:m] ?\d{2})?(?:[.,]\d+)?(?: ?[ap]\.?m\.?)?| ?[ap]\.?m\.?)"
)
ZONE = (
    r"(?: ?z| ?\(?(?:utc|gmt)?[+-]\d{1,2}(?::?\d{2})?\)?| \(?[a-z]{2,5}\)?"
    r"| ?[\[(]?[a-z]+/[a-z_]+[\])]?)"
)
TIME = re.compile(rf"(?:t|,? (?:- |(?:a|at|vers|@) ?)?|,){CLOCK}{ZONE}{{0,2}}$")
# An instant in a time zone as programs write it.
INSTANT = re.compile(
    r"\d{4}-?\d{2}-?\d{2}[tT ]\d{2}:?\d{2}.*?(?:[zZ]|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?"
)
YEAR_FIRST = re.compile(r"(\d{4})[-/. ](\d{1,2})[-/. ](\d{1,2})")
NUMBERS = re.compile(r"(\d{1,2})[-/. ]+(\d{1,2})[-/. ]+(\d{4}|\d{2})")
RUN_TOGETHER = re.compile(r"\d{8}")
DAY_MONTH = re.compile(
    r"(\d{1,2})(?:er|st|nd|rd|th)?[-. /]*(?:of )?([a-z]+)[-.,/]*[-. /]*(\d{4}|\d{2})"
)
MONTH_DAY = re.compile(r"([a-z]+)[-. /]*(\d{1,2})(?:st|nd|rd|th)?,?[-. /]+(\d{4})")
YEAR_MONTH_DAY = re.compile(r"(\d{4})[-. /]*([a-z]+)[-. /]*(\d{1,2})")
# A word before a date; it counts if it is a day of the week.
FIRST_WORD = re.compile(r"^([a-z]{2,})[., ]+(?=\d|[a-z])")
SCORE = re.compile(r"(\d{1,4})\s*(?:[-–—:/]|à|to)\s*(\d{1,4})")
POINTS = re.compile(r"-?\d{1,6}(?:[.,]\d{1,2})?")
# Words of results, folded.
WORDS: Mapping[str, Winner] = {
    **dict.fromkeys(("a", "1", "w", "win", "won", "victory", "v", "victoire", "gagne"), "a"),
    **dict.fromkeys(("b", "2", "l", "loss", "lost", "defeat", "defaite", "perdu"), "b"),
    **dict.fromkeys(("x", "n", "=", "draw", "tie", "tied", "nul", "egalite", "match nul"), "draw"),
}
# Words in the headings of columns, folded, in the order in which they are tried.
HEADINGS: Mapping[Column, str] = {
    "date": r"\b(date|day|jour|played|joue)",
    "points_a": r"\b(points?|score|pts)\b.*\b(a|1)\b",
    "points_b": r"\b(points?|score|pts)\b.*\b(b|2)\b",
    "result": r"\b(result|resultat|score|issue|outcome|winner|vainqueur|gagnant)",
    "scenario": r"\b(scenario|mission)",
    "note": r"\b(notes?|remarks?|remarques?|comment)",
    "a": r"\b(a|1|home|domicile)$|^(player|gang|joueur|bande|equipe|team)$",
    "b": r"\b(b|2|away|exterieur)$|\b(opponent|adversaire)",
}
# Texts of rows that are no games, folded.
HEADING = re.compile(r"dates?|days?|jours?|played( on)?|jouee?( le)?")
TOTAL = re.compile(r"(grand |sub-?|sous-?)?(totals?|totaux)\b.*|sum|sommes?|average|moyennes?")
BYE = re.compile(
    r"(byes?|free|exempt(e|s|es|ion)?|repos|libre|no opponent|sans adversaire"
    r"|aucun|none|n/a|-+|–|—|/|\?+)( ?\d+)?"
)
UNFOUGHT = re.compile(
    r"\b(walk(-? ?)overs?|w\.?/?o|forfaits?|forfeit(ed|s)?|no(-? ?)shows?|absent(e|s|es)?|byes?"
    r"|exempt(e|s|es|ion)?|not played|unplayed|non joue(e|s|es)?|cancell?ed|annule(e|s|es)?"
    r"|postponed|reporte(e|s|es)?|called off|void|conceded|abandon(ed|ne|nee|nes|nees)?)(?!\w)"
)
# The order of columns in a table without headings.
USUAL_ORDER: Sequence[Column] = ("date", "a", "b", "result", "scenario", "note")


@dataclass(frozen=True)
class Grid:
    """The cells of a table, row by row; empty rows are left out. ``numbers``: the rows' numbers in
    the text, from 1; ``empty``: the number of empty rows between others; ``several``: the numbers
    of the rows whose games had more than two sides."""

    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[int, ...]
    empty: int = 0
    several: frozenset[int] = frozenset()

    @property
    def width(self) -> int:
        """The number of columns."""
        return max(map(len, self.rows), default=0)


def decode(content: bytes) -> str:
    """The text of a file. Raises Refusal if it is too large, or a spreadsheet's own file."""
    if content.startswith(SPREADSHEET_FILES):
        raise Refusal("results_no_csv")
    if len(content) > MOST_BYTES:
        raise Refusal("results_too_large", characters=MOST_CHARACTERS)
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", errors="replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def read_grid(text: str, most: int = MOST_ROWS) -> Grid:
    """The cells of a table. Raises Refusal if it is broken, empty, or too large: it has more than
    ``most`` rows below its headings."""
    if len(text) > MOST_CHARACTERS:
        raise Refusal("results_too_large", characters=MOST_CHARACTERS)
    text = clean_text(text)
    named = SEPARATOR_LINE.match(text)
    # The rows keep their numbers.
    text = "\n" + text[named.end() :] if named else text
    rows, numbers = [], []
    reader = csv.reader(io.StringIO(text), delimiter=named[1] if named else _delimiter(text))
    try:
        for number, cells in enumerate(reader, start=1):
            row = tuple(one_line(cell) for cell in cells)
            if any(row):
                rows.append(row)
                numbers.append(number)
            if len(rows) > most + 1:
                raise Refusal("too_many_results", most=most)
    except csv.Error:
        raise Refusal("results_unreadable", row=reader.line_num) from None
    if not rows:
        raise Refusal("no_results")
    if max(map(len, rows)) > MOST_COLUMNS:
        raise Refusal("too_many_columns", most=MOST_COLUMNS)
    empty = numbers[-1] - numbers[0] + 1 - len(rows)
    return Grid(tuple(rows), tuple(numbers), empty)


def _delimiter(text: str) -> str:
    """The character that ends columns: the most frequent candidate in the first full line."""
    line = next((line for line in text.split("\n") if line.strip()), "")
    plain = re.sub(r'"[^"]*"', "", line)
    return max(("\t", ";", ","), key=plain.count)


def guess_columns(grid: Grid, *, headed: bool) -> dict[Column, int]:
    """The columns' uses as their headings say; in a table without headings, in the usual order."""
    if not headed:
        return dict(zip(USUAL_ORDER, range(grid.width), strict=False))
    found: dict[Column, int] = {}
    heads = [fold_letters(head) for head in grid.rows[0]]
    for column, words in HEADINGS.items():
        for place, head in enumerate(heads):
            if place not in found.values() and re.search(words, head):
                found[column] = place
                break
    if "a" not in found and "b" not in found:
        left = [place for place in range(grid.width) if place not in found.values()]
        found |= dict(zip(("a", "b"), left, strict=False))
    return found


def has_headings(grid: Grid) -> bool:
    """Whether the first row seems to have headings: no cell of it is a date."""
    return not any(read_date(cell, order) for cell in grid.rows[0] for order in ORDERS)


def guess_order(texts: Iterable[str]) -> DateOrder:
    """Whether the day or the month comes first in a column of dates: the first text that fits only
    one order decides. "day" if none does."""
    for text in texts:
        fits = [order for order in ORDERS if read_date(text, order)]
        if len(fits) == 1:
            return fits[0]
    return "day"


def read_date(text: str, order: DateOrder = "day") -> date | None:
    """The day that a text names, in any of the site's languages; None if it names none. ``order``:
    whether the day or the month comes first among numbers. An instant in a time zone is on the day
    that the site's clocks show."""
    text = " ".join(text.split())
    if len(text) > LONGEST_DATE:
        return None
    if INSTANT.fullmatch(text) and (day := _day_of_instant(text)):
        return day
    plain = TIME.sub("", fold_letters(text))
    return _date_in(plain, order) or _date_in(FIRST_WORD.sub(_without_weekday, plain), order)


def _without_weekday(found: re.Match[str]) -> str:
    """ "" for a word that begins like a day of the week, or the text found."""
    begins = found[1][:SHORTEST_DAY]
    is_day = any(name.startswith(begins) for names in _named("weekdays") for name in names)
    return "" if is_day else found[0]


@cache
def _named(kind: Literal["months", "weekdays"]) -> tuple[frozenset[str], ...]:
    """Django's names of months, or of days, in order: each folded, in all the site's languages."""
    words = [*(MONTHS if kind == "months" else WEEKDAYS).values()]
    found: list[set[str]] = [set() for _word in words]
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            for names, word in zip(found, words, strict=True):
                names.add(fold_letters(str(word)))
    return tuple(map(frozenset, found))


def _day_of_instant(text: str) -> date | None:
    written = re.sub(r" ?(?:UTC|GMT)$", "Z", text.upper())
    try:
        moment = datetime.fromisoformat(re.sub(r" (?=[Z+-])", "", written))
        return timezone.localdate(moment) if moment.tzinfo else moment.date()
    except (ValueError, OverflowError):
        return None


def _date_in(plain: str, order: DateOrder) -> date | None:
    if found := YEAR_FIRST.fullmatch(plain):
        return _date(*map(int, found.groups()))
    if RUN_TOGETHER.fullmatch(plain):
        day = _date(int(plain[:4]), int(plain[4:6]), int(plain[6:]))
        # A year at the end leaves no month in the middle.
        if day and day >= EARLIEST:
            return day
        return _in_order(int(plain[:2]), int(plain[2:4]), int(plain[4:]), order)
    if found := NUMBERS.fullmatch(plain):
        first, second, year = map(int, found.groups())
        return _in_order(first, second, _year(year), order)
    if found := DAY_MONTH.fullmatch(plain):
        return _date(_year(int(found[3])), _month(found[2]), int(found[1]))
    if found := MONTH_DAY.fullmatch(plain):
        return _date(int(found[3]), _month(found[1]), int(found[2]))
    if found := YEAR_MONTH_DAY.fullmatch(plain):
        return _date(int(found[1]), _month(found[2]), int(found[3]))
    return None


def _in_order(first: int, second: int, year: int, order: DateOrder) -> date | None:
    day, month = (second, first) if order == "month" else (first, second)
    return _date(year, month, day)


def _year(year: int) -> int:
    return year if year > 99 else year + (1900 if year >= 70 else 2000)


def _month(name: str) -> int:
    """The number of the month whose name begins like this; 0 if none or several do."""
    fits = [
        number
        for number, names in enumerate(_named("months"), start=1)
        if any(full.startswith(name) for full in names)
    ]
    return fits[0] if len(fits) == 1 and len(name) >= SHORTEST_MONTH else 0


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def fold_name(name: str) -> str:
    """A name without capitals, accents and spaces: names that differ only in them are the same."""
    return "".join(fold_letters(name).split())


def read_result(text: str, a: str, b: str) -> Winner | None:
    """The winner that a cell names: by a score, by a word, or by the name of a side; None if it is
    not understood. ``a``, ``b``: the names of the sides in this row."""
    if score := read_score(text):
        return compare(score)
    folded = fold_name(text)
    if folded and folded == fold_name(a):
        return "a"
    if folded and folded == fold_name(b):
        return "b"
    return WORDS.get(fold_letters(text))


def read_score(text: str) -> Score | None:
    """The score in a cell with a result; None if that is no score."""
    score = SCORE.fullmatch(text.strip())
    return (float(score[1]), float(score[2])) if score else None


def read_points(first: str, second: str) -> Score | None:
    """The points of both sides; None if one has no number."""
    if not POINTS.fullmatch(first) or not POINTS.fullmatch(second):
        return None
    return float(first.replace(",", ".")), float(second.replace(",", "."))


def compare(score: Score) -> Winner:
    """The winner by a score."""
    first, second = score
    return "draw" if first == second else "a" if first > second else "b"
