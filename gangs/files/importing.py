"""Importing gangs: their ledgers are copied unchanged from the file.

A long ledger takes several short transactions, so that other people's changes never wait long.
Nobody sees the gang before the last one, and the daily cleaning deletes a gang that never got
there.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import batched

from django.db import transaction
from django.db.models import Model, QuerySet
from django.utils import timezone

from accounts import quotas
from accounts.models import User
from accounts.quotas import QuotaFull
from gangs.files.format import LIMITS, BadFile, GangFile, read_file, roster_of
from gangs.ledger import timelines
from gangs.ledger.storage import columns, row_of, stored_book
from gangs.models import Gang, StoredEntry, Strike
from rules.library import book_of
from rules.models import BookVersion

# Rows written in one transaction. SQLite takes 20 ms for them; nobody else can write meanwhile.
ROWS_AT_ONCE = 500
# An import takes minutes at most.
LONGEST = timedelta(hours=1)


@dataclass(frozen=True)
class Company:
    """Facts about a gang that arrives with its campaign: its key, the campaign's, the people who
    wrote each entry and made each correction, and the occasions of those, in their order.
    ``token``: that of the form that makes the gang, if it is to make only one."""

    key: uuid.UUID
    campaign: str
    batches: Mapping[int, uuid.UUID]
    writers: Sequence[User | None]
    correctors: Sequence[User | None]
    occasions: Sequence[uuid.UUID | None]
    token: str | None = None


def import_file(text: bytes, owner: User, *, token: str | None = None) -> Gang:
    """Make a new gang of a file's bytes. ``token``: as for ``write_gang``. Take turns
    (``common.turns.importing``), since reading takes much memory.

    Raises BadFile and QuotaFull; then there is no gang.
    """
    if len(text) > LIMITS.size:
        raise BadFile("too_big")
    if twin := _find_twin(owner, token):
        return twin
    quotas.check(owner, "imports")
    file = read_file(text)
    versions = BookVersion.objects.filter(slug=file.book).defer("canonical", "overlay")
    by_digest = versions.in_bulk(file.digests)
    if set(by_digest) != file.digests:
        raise BadFile("unknown_book", file.book)
    quotas.check(owner, "gangs")
    return write_gang(by_digest[file.digest], file, owner=owner, token=token)


def write_gang(
    version: BookVersion, file: GangFile, *, owner: User | None, token: str | None = None
) -> Gang:
    """Make a new gang with the ledger of ``file``, and count it as one of the owner's imports.

    Campaigns of another site come along as history only. ``token``: that of the form; if it has
    made a gang before, that gang is returned. Raises BadFile if the entries contradict each other,
    and QuotaFull; then there is no gang.
    """
    company = Company(
        key=uuid.uuid4(),
        campaign="",
        batches=defaultdict(uuid.uuid4),
        writers=[owner] * len(file.records),
        correctors=[owner] * len(file.corrections),
        occasions=[None] * len(file.corrections),
        token=token,
    )
    gang = write_unseen(version, file, company, owner=owner, imported_at=timezone.now())
    try:
        with quotas.turn(owner):
            twin = _find_twin(owner, token)
            if twin is None:
                quotas.check(owner, "gangs")
                if owner is not None:
                    quotas.use(owner, "imports")
                Gang.everything.filter(pk=gang.pk).update(arriving_at=None)
    except QuotaFull:
        discard(gang)
        raise
    if twin is not None:
        discard(gang)
        return twin
    gang.arriving_at = None
    return gang


def _find_twin(owner: User | None, token: str | None) -> Gang | None:
    """The gang that was made with a token before."""
    return Gang.objects.filter(owner=owner, entries__token=token).first() if token else None


def write_unseen(
    version: BookVersion,
    file: GangFile,
    company: Company,
    *,
    owner: User | None,
    imported_at: datetime | None = None,
) -> Gang:
    """Write a gang with the ledger of ``file`` that nobody sees yet (``Gang.arriving_at``).

    Not for inside of a transaction. Raises BadFile, before anything is written.
    """
    roster = roster_of(book_of(version.digest), file, stored_book, company.campaign)
    gang = Gang(
        pk=company.key,
        owner=owner,
        book_version=version,
        founded_with=version,
        imported_at=imported_at,
        arriving_at=timezone.now(),
        version=1,
    )
    gang.save(force_insert=True)
    acts = _write_corrections(gang, file, company)
    write_rows(
        StoredEntry,
        (
            row_of(
                record.entry,
                gang=gang,
                seq=record.seq,
                place=record.place or record.seq,
                number=record.number or record.seq,
                batch=company.batches[record.batch],
                actor=writer,
                at=record.at,
                struck=acts.get(record.struck),
                added_by=acts.get(record.added_by),
                token=company.token if record.seq == 1 else None,
            )
            for record, writer in zip(file.records, company.writers, strict=True)
        ),
    )
    row = columns(gang, roster, len(file.records))._asdict()
    for name, value in row.items():
        setattr(gang, name, value)
    timeline = timelines.replay_timeline(gang)[1]
    with transaction.atomic():
        Gang.everything.filter(pk=gang.pk).update(**row)
        timelines.store(gang, timeline)
    return gang


def write_rows[M: Model](model: type[M], rows: Iterable[M]) -> None:
    """Write ``rows`` some at a time, each lot in a transaction; lists get their keys."""
    for some in batched(rows, ROWS_AT_ONCE):
        model._base_manager.bulk_create(some)


def _write_corrections(gang: Gang, file: GangFile, company: Company) -> dict[int | None, Strike]:
    """Write the corrections of a file; returns them by their numbers."""
    listed = zip(file.corrections, company.correctors, company.occasions, strict=True)
    acts: dict[int | None, Strike] = {
        number: Strike(
            gang=gang,
            actor=actor,
            at=correction.at,
            reason=correction.reason,
            by_organiser=correction.by_organiser,
            restored=list(correction.restored),
            replayed=list(correction.replayed),
            occasion=occasion,
        )
        for number, (correction, actor, occasion) in enumerate(listed)
    }
    # Older files only say which entries were struck together.
    for number in sorted({record.struck for record in file.records if record.struck is not None}):
        if number not in acts:
            acts[number] = Strike(gang=gang, actor=gang.owner)
    write_rows(Strike, list(acts.values()))
    undoing = []
    for number, correction in enumerate(file.corrections):
        if correction.undoes is not None:
            acts[number].undoes = acts[correction.undoes]
            undoing.append(acts[number])
    for some in batched(undoing, ROWS_AT_ONCE):
        Strike.objects.bulk_update(some, ["undoes"])
    return acts


def discard(gang: Gang) -> None:
    """Delete a gang that did not arrive, some rows at a time."""
    delete_rows(StoredEntry.objects.filter(gang=gang))
    delete_rows(Strike.objects.filter(gang=gang))
    gang.delete()


def delete_rows[M: Model](rows: QuerySet[M]) -> None:
    """Delete ``rows`` some at a time, each lot in a transaction."""
    while keys := list(rows.order_by().values_list("pk", flat=True)[:ROWS_AT_ONCE]):
        rows.model._base_manager.filter(pk__in=keys).delete()


def tidy() -> int:
    """Delete the gangs of imports that were killed; return their number."""
    gangs = list(Gang.everything.filter(arriving_at__lt=timezone.now() - LONGEST))
    for gang in gangs:
        discard(gang)
    return len(gangs)
