"""Files of separated values (CSV) for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

# Spreadsheets run a text that begins with one of these signs as a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
# A spreadsheet recognises UTF-8 by this mark.
BYTE_ORDER_MARK = "\ufeff"

type Cell = str | int | float | date | None
type Rows = Iterable[Sequence[Cell]]


@dataclass(frozen=True)
class Style:
    """The signs of a file: ``separator`` between two columns, ``decimal`` in a number."""

    separator: str
    decimal: str


# Spreadsheets read the first where numbers have a decimal point, else the second.
STYLES: Mapping[str, Style] = {"comma": Style(",", "."), "semicolon": Style(";", ",")}


def write_csv(heading: Sequence[str], rows: Rows, style: Style = STYLES["comma"]) -> str:
    """Write a table that no spreadsheet executes: texts never begin a formula; numbers stay
    numbers."""
    written = io.StringIO()
    writer = csv.writer(written, delimiter=style.separator)
    writer.writerow([_written(cell, style) for cell in heading])
    for row in rows:
        writer.writerow([_written(cell, style) for cell in row])
    return BYTE_ORDER_MARK + written.getvalue()


def _written(cell: Cell, style: Style) -> Cell:
    """Put an apostrophe before a text that looks like a formula; spreadsheets do not show it."""
    if isinstance(cell, float):
        return str(cell).replace(".", style.decimal)
    if isinstance(cell, str) and _is_formula(cell):
        return f"'{cell}"
    return cell


def read_cell(cell: str) -> str:
    """Return the text of a cell that ``write_csv`` wrote."""
    return cell[1:] if cell.startswith("'") and _is_formula(cell[1:]) else cell


def _is_formula(text: str) -> bool:
    # A text that begins with such an apostrophe gets a second one, so that it is read unchanged.
    return text.lstrip(" \u00a0\u200b'").startswith(FORMULA)
