"""What differs between two states of a rulebook, row by row and field by field."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from rules.book.model import Book
from rules.variants.places import (
    LISTS,
    SINGLES,
    Data,
    Written,
    changed_fields,
    is_apart,
    is_dice_rows,
    take_apart,
)

# What only follows from another change.
SILENT = {"house", "source"}


@dataclass(frozen=True)
class Difference:
    """One thing that differs.

    ``field``: its name, and the key inside it if it is a table of values; none for a whole row.
    ``data``: the row as it is now (as it was, if it is gone), for its name.
    """

    kind: Literal["added", "removed", "changed"]
    table: str
    row: str
    field: tuple[str, ...]
    old: Any
    new: Any
    data: Data


def between(old: Book, new: Book) -> list[Difference]:
    """What differs between two rulebooks of one game."""
    return differences(take_apart(old), take_apart(new))


def differences(old: Written, new: Written) -> list[Difference]:
    """What differs, in the order of the tables."""
    return [difference for table in _tables(old, new) for difference in _rows(table, old, new)]


def _tables(old: Written, new: Written) -> Iterator[str]:
    """Single values, then lists; behind the dice tables the rows of those that both have."""
    for table in (*SINGLES, *LISTS):
        yield table
        if table == "tables":
            yield from filter(is_dice_rows, (inner for inner in new.tables if inner in old.tables))


def _rows(table: str, old: Written, new: Written) -> Iterator[Difference]:
    before, after = old.rows(table), new.rows(table)
    for name, row in after.items():
        if name not in before:
            yield Difference("added", table, name, (), None, row, row)
            continue
        for field, was, now in changed_fields(before[name], row):
            if field[0] not in SILENT and not is_apart(table, field[0]):
                yield Difference("changed", table, name, field, was, now, row)
    for name, row in before.items():
        if name not in after:
            yield Difference("removed", table, name, (), row, None, row)
