"""A gang's ledger as a file."""

from __future__ import annotations

import uuid

from gangs.files.format import Correction, GangFile, Record, file_of, write_file
from gangs.ledger.storage import read_entry
from gangs.models import Gang


def export_gang(gang: Gang) -> str:
    """The gang's whole ledger as a file's text: struck entries too, people's names not."""
    return write_file(as_file(gang)[0])


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
            entry=read_entry(stored),
        )
        for stored in gang.entries.order_by("seq").iterator()
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
