"""Reading a gang's ledger: what stands of it, rosters as of any moment, and all of it as a file."""

from __future__ import annotations

import uuid

from django.db.models import Q

from gangs.exchange import Correction, GangFile, Record, file_of, written
from gangs.fold import fold
from gangs.models import Gang, StoredEntry
from gangs.roster import Roster
from gangs.stored import numbered, read, stored_book


def entries_of(gang: Gang, batch: uuid.UUID) -> list[StoredEntry]:
    """What stands of what was done at once as ``batch``, in order."""
    return list(gang.entries.live().filter(batch=batch))


def replayed(gang: Gang) -> Roster:
    """The roster folded from the gang's first entry on, without looking at the snapshot."""
    return fold(gang.first_book, numbered(gang.entries.live()), books=stored_book)


def roster_before(gang: Gang, place: int) -> Roster:
    """The roster as it stood before the first entry at ``place``, as the ledger tells it now."""
    entries = gang.entries.live().filter(place__lt=place)
    return fold(gang.first_book, numbered(entries), books=stored_book)


def roster_when(gang: Gang, row: StoredEntry) -> Roster:
    """The roster as it stood before one entry of the gang, as the ledger tells it now."""
    earlier = Q(place__lt=row.place) | Q(place=row.place, seq__lt=row.seq)
    entries = gang.entries.live().filter(earlier)
    return fold(gang.first_book, numbered(entries), books=stored_book)


def roster_at(gang: Gang, place: int) -> Roster:
    """The roster as it stood after the last entry at ``place``, as the ledger tells it now."""
    return roster_before(gang, place + 1)


def exported(gang: Gang) -> str:
    """The gang's whole ledger as a file's text: struck entries too, people's names not."""
    return written(as_file(gang)[0])


def as_file(gang: Gang, here: str = "") -> tuple[GangFile, list[uuid.UUID]]:
    """The gang's whole ledger as a file, and the batches that it knows by their places.

    ``here``: the campaign that comes along with it.
    """
    batches: dict[uuid.UUID, int] = {}
    acts = list(gang.strikes.order_by("pk"))
    known: dict[int | None, int | None] = {None: None}
    known |= {act.pk: number for number, act in enumerate(acts)}
    records = [
        Record(
            seq=stored.seq,
            place=None if stored.place == stored.seq else stored.place,
            number=None if stored.number == stored.seq else stored.number,
            at=stored.at,
            batch=batches.setdefault(stored.batch, len(batches)),
            struck=known[stored.struck_id],
            added_by=known[stored.added_by_id],
            entry=read(stored),
        )
        for stored in gang.entries.order_by("seq")
    ]
    corrections = [
        Correction(
            at=act.at,
            reason=act.reason,
            by_organiser=act.by_organiser,
            undoes=known[act.undoes_id],
            restored=tuple(act.restored),
        )
        for act in acts
    ]
    return file_of(gang.first_book, records, corrections, here), list(batches)


def dumped(roster: Roster) -> str:
    """The roster as it is stored in a snapshot."""
    return roster.model_dump_json(exclude_defaults=True)
