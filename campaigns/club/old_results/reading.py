"""A table of old results as text: its encoding, its cells, its dates and its results.

Spreadsheets write UTF-8 with a mark at the beginning, or the encoding of Western Europe; columns
end with a comma, a semicolon (where a comma is in numbers) or a tab.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from common.errors import Refusal
from common.text import clean_text, one_line
from rules.reference_pages.search import fold_letters

# Limits on a table.
MOST_BYTES = 400_000
MOST_CHARACTERS = 200_000
MOST_ROWS = 500
MOST_COLUMNS = 30
# The note of a game, of at most 2,000 characters, takes two of them.
LONGEST_CELL = 900
EARLIEST = date(1970, 1, 1)

Winner = Literal["a", "b", "draw"]
DateOrder = Literal["day", "month"]
# The use of a column.
Column = Literal["date", "a", "b", "result", "points_a", "points_b", "scenario", "note"]

# The beginnings of the names of months, folded, in English and in French; the longer ones first.
MONTHS = {
    "janv": 1, "jan": 1, "fev": 2, "feb": 2, "mars": 3, "mar": 3, "avr": 4, "apr": 4, "mai": 5,
    "may": 5, "juin": 6, "jun": 6, "juil": 7, "jul": 7, "aout": 8, "aug": 8, "sep": 9, "oct": 10,
    "nov": 11, "dec": 12,
}  # fmt: skip
TIME = re.compile(r"[ tT]\d{1,2}[:h]\d{0,2}(:\d{2})?(\.\d+)?( ?[ap]m)?$")
YEAR_FIRST = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")
NUMBERS = re.compile(r"(\d{1,2})[-/. ]+(\d{1,2})[-/. ]+(\d{4}|\d{2})")
DAY_MONTH = re.compile(r"(\d{1,2})(?:er|st|nd|rd|th)?[-. ]+([a-z]+)[-.,]*[-. ]+(\d{4}|\d{2})")
MONTH_DAY = re.compile(r"([a-z]+)[-. ]+(\d{1,2})(?:st|nd|rd|th)?,?[-. ]+(\d{4})")
WEEKDAY = re.compile(
    r"^(?:mon|tue|wed|thu|fri|sat|sun|lun|mar|mer|jeu|ven|sam|dim)[a-z]*[., ]+(?=\d|[a-z])"
)
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
# The order of columns in a table without headings.
USUAL_ORDER: Sequence[Column] = ("date", "a", "b", "result", "scenario", "note")


@dataclass(frozen=True)
class Grid:
    """The cells of a table, row by row; empty rows are left out. ``numbers``: the rows' numbers in
    the text, from 1."""

    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[int, ...]

    @property
    def width(self) -> int:
        """The number of columns."""
        return max(map(len, self.rows), default=0)


def decode(content: bytes) -> str:
    """The text of a file. Raises Refusal if it is too large."""
    if len(content) > MOST_BYTES:
        raise Refusal("results_too_large", characters=MOST_CHARACTERS)
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", errors="replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def read_grid(text: str) -> Grid:
    """The cells of a table. Raises Refusal if it is too large, broken or empty."""
    if len(text) > MOST_CHARACTERS:
        raise Refusal("results_too_large", characters=MOST_CHARACTERS)
    text = clean_text(text)
    rows, numbers = [], []
    reader = csv.reader(io.StringIO(text), delimiter=_delimiter(text))
    try:
        for number, cells in enumerate(reader, start=1):
            row = tuple(one_line(cell) for cell in cells)
            if any(row):
                rows.append(row)
                numbers.append(number)
            if len(rows) > MOST_ROWS + 1:
                raise Refusal("too_many_results", most=MOST_ROWS)
    except csv.Error:
        raise Refusal("results_unreadable", row=reader.line_num) from None
    if not rows:
        raise Refusal("no_results")
    if max(map(len, rows)) > MOST_COLUMNS:
        raise Refusal("too_many_columns", most=MOST_COLUMNS)
    return Grid(tuple(rows), tuple(numbers))


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
    return not any(read_date(cell) for cell in grid.rows[0])


def read_date(text: str, order: DateOrder = "day") -> date | None:
    """The day that a text names, in English or French; None if it names none. ``order``: whether
    the day or the month comes first among numbers."""
    plain = TIME.sub("", fold_letters(text).strip())
    return _date_in(plain, order) or _date_in(WEEKDAY.sub("", plain), order)


def _date_in(plain: str, order: DateOrder) -> date | None:
    if found := YEAR_FIRST.fullmatch(plain):
        return _date(*map(int, found.groups()))
    if found := NUMBERS.fullmatch(plain):
        first, second, year = map(int, found.groups())
        day, month = (second, first) if order == "month" else (first, second)
        return _date(_year(year), month, day)
    if found := DAY_MONTH.fullmatch(plain):
        return _date(_year(int(found[3])), _month(found[2]), int(found[1]))
    if found := MONTH_DAY.fullmatch(plain):
        return _date(int(found[3]), _month(found[1]), int(found[2]))
    return None


def _year(year: int) -> int:
    return year if year > 99 else year + (1900 if year >= 70 else 2000)


def _month(name: str) -> int:
    return next((month for start, month in MONTHS.items() if name.startswith(start)), 0)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def read_result(text: str, a: str, b: str) -> Winner | None:
    """The winner that a cell names: by a score, by a word, or by the name of a side; None if it is
    not understood. ``a``, ``b``: the names of the sides in this row."""
    if score := SCORE.fullmatch(text.strip()):
        return _compare(float(score[1]), float(score[2]))
    folded = fold_letters(text)
    if folded and folded == fold_letters(a):
        return "a"
    if folded and folded == fold_letters(b):
        return "b"
    return WORDS.get(folded)


def read_points(first: str, second: str) -> Winner | None:
    """The winner by the points of both sides; None if one has no number."""
    if not POINTS.fullmatch(first) or not POINTS.fullmatch(second):
        return None
    return _compare(float(first.replace(",", ".")), float(second.replace(",", ".")))


def _compare(a: float, b: float) -> Winner:
    return "draw" if a == b else "a" if a > b else "b"
