"""What differs between two states of a rulebook, row by row and field by field."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from rules.book import Book
from rules.variants.places import LISTS, SINGLES, Data, Written, reached, spread

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
    before = dict(zip(old.names[table], old.rows(table) or [], strict=True))
    after = dict(zip(new.names[table], new.rows(table) or [], strict=True))
    for name, row in after.items():
        if name not in before:
            yield Difference("added", table, name, (), None, row, row)
        else:
            yield from _fields(table, name, before[name], row)
    for name, row in before.items():
        if name not in after:
            yield Difference("removed", table, name, (), row, None, row)


def _fields(table: str, row: str, before: Data, after: Data) -> Iterator[Difference]:
    for name in [*before, *(name for name in after if name not in before)]:
        old, new = before.get(name), after.get(name)
        if old == new or name in SILENT or _apart(table, name):
            continue
        if name in ("values", "columns") and isinstance(old, dict) and isinstance(new, dict):
            for key in [*old, *(key for key in new if key not in old)]:
                if old.get(key) != new.get(key):
                    yield Difference(
                        "changed", table, row, (name, key), old.get(key), new.get(key), after
                    )
        else:
            yield Difference("changed", table, row, (name,), old, new, after)


def _apart(table: str, name: str) -> bool:
    """Whether this field is a table of its own, told row by row."""
    return (table, name) == ("tables", "rows") or f"{table}.{name}" in (*LISTS, *SINGLES)
