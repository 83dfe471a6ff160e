"""Entries as they are stored: out of a row, and into one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gangs.entries import ENTRY, Entry, Upgraded
from gangs.misfit import Misfit
from gangs.models import StoredEntry
from rules.book import Book
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


def columns(entry: Entry) -> dict[str, Any]:
    """What a row holds of an entry."""
    return {
        "kind": entry.kind,
        "data": entry.model_dump(mode="json", exclude={"kind"}),
        "book_id": entry.digest if isinstance(entry, Upgraded) else None,
    }


def read(entry: StoredEntry) -> Entry:
    """The entry itself, out of what is stored."""
    return ENTRY.validate_python({"kind": entry.kind, **entry.data})
