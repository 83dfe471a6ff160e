"""Gangs that arrive in files: their ledgers are written as they stand there."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import batched

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from gangs.files.format import GangFile, roster_of
from gangs.ledger.storage import row_of, stored_book
from gangs.ledger.writer import store
from gangs.models import Gang, StoredEntry, Strike
from rules.library import book_of
from rules.models import BookVersion

ROWS_AT_ONCE = 500


@dataclass(frozen=True)
class Company:
    """What a gang keeps that arrives together with its campaign: keys that others speak of, and
    who wrote each entry and made each correction, and on what occasion, in their order."""

    key: uuid.UUID
    campaign: str
    batches: Mapping[int, uuid.UUID]
    writers: Sequence[User | None]
    correctors: Sequence[User | None]
    occasions: Sequence[uuid.UUID | None]


def write_gang(
    version: BookVersion, file: GangFile, *, owner: User | None, company: Company | None = None
) -> Gang:
    """A new gang with the ledger of ``file``. Raises BadFile if the entries contradict each other.

    A campaign elsewhere is not one here: those entries come along as history.
    """
    given = company or Company(
        key=uuid.uuid4(),
        campaign="",
        batches=defaultdict(uuid.uuid4),
        writers=[owner] * len(file.records),
        correctors=[owner] * len(file.corrections),
        occasions=[None] * len(file.corrections),
    )
    roster = roster_of(book_of(version.digest), file, stored_book, given.campaign)
    with transaction.atomic():
        gang = Gang.objects.create(
            pk=given.key,
            owner=owner,
            book_version=version,
            founded_with=version,
            imported_at=None if company else timezone.now(),
        )
        acts = _corrections(gang, file, given)
        rows = (
            row_of(
                record.entry,
                gang=gang,
                seq=record.seq,
                place=record.place or record.seq,
                number=record.number or record.seq,
                batch=given.batches[record.batch],
                actor=writer,
                at=record.at,
                struck=acts.get(record.struck),
                added_by=acts.get(record.added_by),
            )
            for record, writer in zip(file.records, given.writers, strict=True)
        )
        # Never all of them in memory.
        for some in batched(rows, ROWS_AT_ONCE):
            StoredEntry.objects.bulk_create(some)
        store(gang, roster, last_seq=len(file.records))
    return gang


def _corrections(gang: Gang, file: GangFile, company: Company) -> dict[int | None, Strike]:
    """The corrections of a file, by their number."""
    acts: dict[int | None, Strike] = {}
    listed = zip(file.corrections, company.correctors, company.occasions, strict=True)
    for number, (correction, actor, occasion) in enumerate(listed):
        acts[number] = Strike.objects.create(
            gang=gang,
            actor=actor,
            at=correction.at,
            reason=correction.reason,
            by_organiser=correction.by_organiser,
            undoes=acts.get(correction.undoes),
            restored=list(correction.restored),
            occasion=occasion,
        )
    # Older files only say which entries were struck together.
    for number in sorted({record.struck for record in file.records if record.struck is not None}):
        if number not in acts:
            acts[number] = Strike.objects.create(gang=gang, actor=gang.owner)
    return acts
