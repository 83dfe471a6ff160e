"""Gangs that arrive in files: their ledgers are written as they stand there."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from gangs.files.format import GangFile, roster_of
from gangs.ledger.storage import row_of, stored_book
from gangs.ledger.writer import store
from gangs.models import Gang, StoredEntry, Strike
from rules.library import book_of
from rules.models import BookVersion


@dataclass(frozen=True)
class Company:
    """What a gang keeps that arrives together with its campaign: keys that others speak of, and
    who wrote each entry and made each correction, and on what occasion, in their order."""

    key: uuid.UUID
    campaign: str
    batches: Sequence[uuid.UUID]
    writers: Sequence[User | None]
    correctors: Sequence[User | None]
    occasions: Sequence[uuid.UUID | None]


def imported(
    version: BookVersion, file: GangFile, *, owner: User | None, company: Company | None = None
) -> Gang:
    """A new gang with the ledger of ``file``. Raises BadFile if the entries contradict each other.

    A campaign elsewhere is not one here: those entries come along as history.
    """
    here = company.campaign if company else ""
    roster = roster_of(book_of(version.digest), file, stored_book, here)
    if company is None:
        batches = {record.batch: uuid.uuid4() for record in file.records}
        writers: Sequence[User | None] = [owner] * len(file.records)
        correctors: Sequence[User | None] = [owner] * len(file.corrections)
        occasions: Sequence[uuid.UUID | None] = [None] * len(file.corrections)
    else:
        batches = dict(enumerate(company.batches))
        writers, correctors = company.writers, company.correctors
        occasions = company.occasions
    with transaction.atomic():
        gang = Gang.objects.create(
            pk=company.key if company else uuid.uuid4(),
            owner=owner,
            book_version=version,
            founded_with=version,
            imported_at=None if company else timezone.now(),
        )
        acts = _corrections(gang, file, correctors, owner, occasions)
        StoredEntry.objects.bulk_create(
            row_of(
                record.entry,
                gang=gang,
                seq=record.seq,
                place=record.place or record.seq,
                number=record.number or record.seq,
                batch=batches[record.batch],
                actor=writer,
                at=record.at,
                struck=acts.get(record.struck),
                added_by=acts.get(record.added_by),
            )
            for record, writer in zip(file.records, writers, strict=True)
        )
        store(gang, roster, last_seq=len(file.records))
    return gang


def _corrections(
    gang: Gang,
    file: GangFile,
    correctors: Sequence[User | None],
    owner: User | None,
    occasions: Sequence[uuid.UUID | None],
) -> dict[int | None, Strike]:
    """The corrections of a file, by their number."""
    acts: dict[int | None, Strike] = {}
    each = zip(file.corrections, correctors, occasions, strict=True)
    for number, (said, actor, occasion) in enumerate(each):
        acts[number] = Strike.objects.create(
            gang=gang,
            actor=actor,
            at=said.at,
            reason=said.reason,
            by_organiser=said.by_organiser,
            undoes=acts.get(said.undoes),
            restored=list(said.restored),
            occasion=occasion,
        )
    # Older files only say which entries were struck together.
    for number in sorted({each.struck for each in file.records if each.struck is not None}):
        if number not in acts:
            acts[number] = Strike.objects.create(gang=gang, actor=owner)
    return acts
