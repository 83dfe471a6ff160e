"""Reading a gang's ledger: what stands of it, and rosters as of any moment."""

from __future__ import annotations

import uuid

from django.db.models import Q, QuerySet

from gangs.engine.fold import fold
from gangs.engine.roster import Roster
from gangs.ledger.storage import read_all, stored_book
from gangs.models import Gang, StoredEntry


def entries_of(gang: Gang, batch: uuid.UUID) -> list[StoredEntry]:
    """What stands of what was done at once as ``batch``, in order."""
    return list(gang.entries.live().filter(batch=batch))


def replayed(gang: Gang) -> Roster:
    """The roster folded from the gang's first entry on, without looking at the snapshot."""
    return _folded(gang, gang.entries.live())


def roster_before(gang: Gang, place: int) -> Roster:
    """The roster as it stood before the first entry at ``place``, as the ledger tells it now."""
    return _folded(gang, gang.entries.live().filter(place__lt=place))


def roster_when(gang: Gang, row: StoredEntry) -> Roster:
    """The roster as it stood before one entry of the gang, as the ledger tells it now."""
    earlier = Q(place__lt=row.place) | Q(place=row.place, seq__lt=row.seq)
    return _folded(gang, gang.entries.live().filter(earlier))


def roster_at(gang: Gang, place: int) -> Roster:
    """The roster as it stood after the last entry at ``place``, as the ledger tells it now."""
    return roster_before(gang, place + 1)


def _folded(gang: Gang, entries: QuerySet[StoredEntry]) -> Roster:
    numbered = ((number, entry) for entry, number in read_all(entries, "number"))
    return fold(gang.first_book, numbered, books=stored_book)


def dumped(roster: Roster) -> str:
    """The roster as it is stored in a snapshot."""
    return roster.model_dump_json(exclude_defaults=True)
