"""Many items at once: lines of a list or a spreadsheet, one item each, its cells in a known order.

This is how a printed table comes in: cells stand behind each other, parted by tabs (as a
spreadsheet copies them) or by semicolons.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from rules.variants.places import Data, Written

MOST_LINES = 150
MOST_NUMBER = 100_000
Kind = Literal["name", "number", "column", "text"]


@dataclass(frozen=True)
class Cell:
    """One cell of a line: what it fills in, and the name of a column if it is one."""

    key: str
    kind: Kind
    name: Any = None


@dataclass(frozen=True)
class Problem:
    """A line that cannot be read. ``why``: too_many_lines, too_many_cells, no_name, no_number or
    too_long; ``cell``: the one that it is about."""

    line: int
    why: str
    cell: Cell | None = None


def cells(written: Written, group: str) -> list[Cell]:
    """The cells that an item of this kind has, in order."""
    row = written.row("groups", group) or {}
    found = [Cell("name", "name"), Cell("price", "number")]
    if row.get("level_against") is not None:
        found.append(Cell("level", "number"))
    if row.get("slots"):
        found.append(Cell("hands", "number"))
    for column in row.get("columns", []):
        found.append(Cell(column["key"], "column", column["name"]))
    return [*found, Cell("text", "text")]


def read(text: str, group: str, wanted: list[Cell]) -> tuple[list[tuple[int, Data]], list[Problem]]:
    """The items that the lines tell, each with the number of its line, and what is wrong."""
    items: list[tuple[int, Data]] = []
    problems: list[Problem] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        if len(items) >= MOST_LINES:
            return items, [*problems, Problem(number, "too_many_lines")]
        parts = [part.strip() for part in line.split("\t" if "\t" in line else ";")]
        while parts and not parts[-1]:
            parts.pop()
        if len(parts) > len(wanted):
            problems.append(Problem(number, "too_many_cells"))
            continue
        data, wrong = _item(number, parts, wanted)
        problems.extend(wrong)
        items.append((number, {"group": group, **data}))
    return items, problems


def _item(number: int, parts: list[str], wanted: list[Cell]) -> tuple[Data, list[Problem]]:
    data: Data = {"columns": {}}
    problems = []
    for cell, part in zip(wanted, [*parts, *[""] * (len(wanted) - len(parts))], strict=True):
        if cell.kind == "name" and not part:
            problems.append(Problem(number, "no_name", cell))
        elif not part or part in ("–", "-"):
            continue
        elif len(part) > (2000 if cell.kind == "text" else 80):
            problems.append(Problem(number, "too_long", cell))
        elif cell.kind == "number":
            if part.isascii() and part.isdigit() and int(part[:9]) <= MOST_NUMBER:
                data[cell.key] = int(part)
            else:
                problems.append(Problem(number, "no_number", cell))
        elif cell.kind == "column":
            data["columns"][cell.key] = part
        else:
            data[cell.key] = {"en": part, "fr": part}
    if "level" in {cell.key for cell in wanted} and "price" in data:
        data.setdefault("level", data["price"])
    return data, problems
