"""Converting entries from and to rows, and rosters as of any moment."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.utils import timezone

from gangs.engine.entries import KINDS, Entry, Upgraded
from gangs.engine.errors import Misfit
from gangs.engine.fold import book_now, fold
from gangs.engine.roster import Roster
from gangs.engine.valuation import gang_rating
from gangs.models import Gang, StoredEntry
from rules.book.model import Book
from rules.book.vocabulary import Frozen
from rules.engine.costing import Points
from rules.library import book_of
from rules.models import BookVersion


def stored_book(digest: str) -> Book:
    """The rulebook of an upgrade. Raises Misfit if this site does not have it."""
    try:
        return book_of(digest)
    except BookVersion.DoesNotExist:
        raise Misfit("unknown_book") from None


def number_entries(entries: Iterable[StoredEntry]) -> list[tuple[int, Entry]]:
    """Stored entries as (number, entry), ready to be folded."""
    return [(entry.number, read_entry(entry)) for entry in entries]


def row_of(entry: Entry, **values: Any) -> StoredEntry:
    """A row for an entry, with other ``values``; not saved."""
    book = entry.digest if isinstance(entry, Upgraded) else None
    return StoredEntry(kind=entry.kind, data=entry.model_dump(mode="json"), book_id=book, **values)


def read_entry(entry: StoredEntry) -> Entry:
    """The entry in a row."""
    return KINDS[entry.kind].model_validate(entry.data)


def read_entries(entries: QuerySet[StoredEntry], *columns: str | Cast) -> Iterator[tuple[Any, ...]]:
    """Each entry with the values of these columns: faster than row by row. One query."""
    text = Cast("data", TextField())
    for kind, data, *values in entries.values_list("kind", text, *columns).iterator():
        yield KINDS[kind].model_validate_json(data), *values


def entries_of(gang: Gang, batch: uuid.UUID) -> list[StoredEntry]:
    """The entries of ``batch`` that are not struck, in order."""
    return list(gang.entries.live().filter(batch=batch))


def replay_roster(gang: Gang) -> Roster:
    """The roster folded from all of the gang's entries, without its snapshot."""
    return _folded(gang, gang.entries.live())


def roster_before(gang: Gang, place: int) -> Roster:
    """The roster before the first entry at ``place``, by the present ledger."""
    return _folded(gang, gang.entries.live().filter(place__lt=place))


def roster_when(gang: Gang, row: StoredEntry) -> Roster:
    """The roster before one entry of the gang, by the present ledger."""
    earlier = Q(place__lt=row.place) | Q(place=row.place, seq__lt=row.seq)
    return _folded(gang, gang.entries.live().filter(earlier))


def roster_at(gang: Gang, place: int) -> Roster:
    """The roster after the last entry at ``place``, by the present ledger."""
    return roster_before(gang, place + 1)


def _folded(gang: Gang, entries: QuerySet[StoredEntry]) -> Roster:
    numbered = ((number, entry) for entry, number in read_entries(entries, "number"))
    return fold(gang.first_book, numbered, books=stored_book)


def dump_stored(value: Frozen) -> str:
    """A roster or a timeline as it is stored."""
    return value.model_dump_json(exclude_defaults=True)


class GangColumns(NamedTuple):
    """The columns of a gang's row that repeat its roster."""

    book_version_id: str
    snapshot: str
    name: str
    size: int
    rating: Points
    last_seq: int
    changed_at: datetime.datetime


def columns(gang: Gang, roster: Roster, last_seq: int) -> GangColumns:
    """The columns of the gang's row for a new ``roster``."""
    book = book_now(gang.first_book, roster, stored_book)
    return GangColumns(
        book_version_id=roster.book or gang.founded_with_id,
        snapshot=dump_stored(roster),
        name=roster.name,
        size=len(roster.members),
        rating=gang_rating(book, roster).total,
        last_seq=last_seq,
        changed_at=time_of_writing(gang),
    )


def time_of_writing(gang: Gang) -> datetime.datetime:
    """The present time, but never before the gang's last change, even if the machine's clock was
    set back since."""
    now = timezone.now()
    return now if gang.changed_at is None else max(now, gang.changed_at)
