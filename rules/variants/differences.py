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
    reached,
    spread,
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
    return differences(spread(old), spread(new))


def differences(old: Written, new: Written) -> list[Difference]:
    """What differs, in the order of the tables."""
    found: list[Difference] = []
    for table in SINGLES:
        found.extend(_single(table, old, new))
    for table in LISTS:
        found.extend(_list(table, old, new))
        if table == "tables":
            for key in new.names["tables"]:
                inner = f"tables.{key}.rows"
                if inner in old.names and inner in new.names:
                    found.extend(_list(inner, old, new))
    return found


def _single(table: str, old: Written, new: Written) -> Iterator[Difference]:
    before, after = reached(old.data, table), reached(new.data, table)
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _fields(table, "", before, after)
    elif before != after:
        yield Difference("changed", table, "", (), before, after, after or before or {})


def _list(table: str, old: Written, new: Written) -> Iterator[Difference]:
    before, after = dict(old.named_rows(table)), dict(new.named_rows(table))
    for name, row in after.items():
        if name not in before:
            yield Difference("added", table, name, (), None, row, row)
        else:
            yield from _fields(table, name, before[name], row)
    for name, row in before.items():
        if name not in after:
            yield Difference("removed", table, name, (), row, None, row)


def _fields(table: str, row: str, before: Data, after: Data) -> Iterator[Difference]:
    for field, old, new in changed_fields(before, after):
        if field[0] not in SILENT and not is_apart(table, field[0]):
            yield Difference("changed", table, row, field, old, new, after)
