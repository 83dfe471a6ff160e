"""Entries as they are stored: out of rows, and into one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast

from gangs.engine.entries import KINDS, Entry, Upgraded
from gangs.engine.errors import Misfit
from gangs.models import StoredEntry
from rules.book.model import Book
from rules.library import book_of
from rules.models import BookVersion


def stored_book(digest: str) -> Book:
    """The rulebook of an upgrade. Raises Misfit if this site does not have it."""
    try:
        return book_of(digest)
    except BookVersion.DoesNotExist:
        raise Misfit("unknown_book") from None


def numbered(entries: Iterable[StoredEntry]) -> list[tuple[int, Entry]]:
    """Stored entries as (number, entry), ready to be folded."""
    return [(entry.number, read(entry)) for entry in entries]


def row_of(entry: Entry, **values: Any) -> StoredEntry:
    """A row for an entry, with other ``values``; not saved."""
    book = entry.digest if isinstance(entry, Upgraded) else None
    return StoredEntry(kind=entry.kind, data=entry.model_dump(mode="json"), book_id=book, **values)


def read(entry: StoredEntry) -> Entry:
    """The entry itself, out of what is stored."""
    return KINDS[entry.kind].model_validate(entry.data)


def read_all(entries: QuerySet[StoredEntry], *columns: str) -> Iterator[tuple[Any, ...]]:
    """Each entry with the values of these columns. Many entries are read faster so than row by
    row. One query."""
    text = Cast("data", TextField())
    for kind, data, *values in entries.values_list("kind", text, *columns):
        yield KINDS[kind].model_validate_json(data), *values
