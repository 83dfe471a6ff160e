"""Lines and cells of a table that was copied from a spreadsheet or a printed list.

Tabs separate cells, as a spreadsheet copies them, or else semicolons, or else commas. Nothing is
evaluated: a cell that begins with "=" is a text.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass

# The longest paste, in letters, and the most lines with something in them.
LONGEST_PASTE = 60_000
MOST_LINES = 300
MOST_CELLS = 60
# Signs for an empty cell.
EMPTY = frozenset({"", "-", "–", "—"})


@dataclass(frozen=True)
class Line:
    """The cells of a line; empty ones at the end are left out. ``number``: its place in the
    text, from 1, where it begins."""

    number: int
    cells: tuple[str, ...]


def split_lines(text: str) -> list[Line]:
    """Split a text into lines of cells, without empty lines; at most ``MOST_LINES``, one with
    headings and one too many."""
    sign = _find_sign(text)
    try:
        # Spreadsheets put quotes around a cell with a line break or a quote in it.
        lines = list(_read_quoted(text, sign))
    except csv.Error:
        # A quote that nothing closes is an inch, or a word in quotes.
        lines = [
            (number, content.split(sign)) for number, content in enumerate(text.splitlines(), 1)
        ]
    found = []
    for number, cells in lines:
        if len(cells) == 1:
            # A line that was typed among pasted ones.
            cells = cells[0].split(";")
        parts = [" ".join(cell.split()) for cell in cells]
        while parts and not parts[-1]:
            parts.pop()
        if parts:
            found.append(Line(number, tuple(parts)))
        if len(found) > MOST_LINES + 1:
            break
    return found


def _read_quoted(text: str, sign: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each line's number and cells. Raises csv.Error for quotes that do not fit."""
    reader = csv.reader(text.splitlines(keepends=True), delimiter=sign, strict=True)
    before = 0
    for cells in reader:
        yield before + 1, cells
        before = reader.line_num


def _find_sign(text: str) -> str:
    """Return the sign between cells. Commas separate cells only if every line has as many."""
    for sign in "\t;":
        if sign in text:
            return sign
    counts = {line.count(",") for line in text.splitlines() if line.strip()}
    return "," if len(counts) == 1 and counts != {0} else ";"
