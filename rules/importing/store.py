"""Stored imports of catalogues: each function is one transaction.

A job reads the files (``rules.catalogues.apart``), so each request for it counts the import's
``version``, and a job of an older version writes nothing.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import timedelta
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from django.db import transaction
from django.utils import timezone

from accounts import quotas
from accounts.models import User
from common.background import Lane, TryLater, add_jobs, carries_out, make_job
from common.errors import Stale
from common.locking import update_if
from common.models import Job
from rules.catalogues import apart
from rules.catalogues.examining import EXAMINED
from rules.catalogues.refusals import BadCatalogue
from rules.catalogues.results import Answers
from rules.editor.data import languages_of, name_game
from rules.editor.places import Data
from rules.editor.store import save_data, start_game
from rules.importing.comparing import Compared
from rules.importing.refusals import NotNow, store_error
from rules.loading.apart import Busy
from rules.models import BookDraft, CatalogueImport

State = CatalogueImport.State
# A lane of its own: reading takes seconds, and delays no other job.
LANE = Lane("catalogues", first_pause=timedelta(seconds=10), given_up_after=timedelta(hours=1))
KIND = "catalogues"
# If the machine is busy, a job is tried so often, and again after this pause.
MOST_TRIES, AGAIN = 6, timedelta(seconds=20)
# Unfinished imports are kept for this long.
KEPT = timedelta(days=14)


def start(
    owner: User,
    files: Sequence[tuple[str, bytes]],
    *,
    token: uuid.UUID,
    draft: BookDraft | None = None,
) -> CatalogueImport:
    """Store uploaded files as (name, content), and request to read them; a form that arrives twice
    does it once. ``draft``: the game that they are newer catalogues of.

    Raises QuotaFull.
    """
    with quotas.turn(owner):
        found = CatalogueImport.objects.filter(token=token, owner=owner).first()
        if found is not None:
            return found
        quotas.check(owner, "catalogues")
        answers = ""
        if draft is not None and (last := CatalogueImport.objects.taken_by(draft).first()):
            answers = EXAMINED.validate_json(last.examined).answers.model_dump_json()
        row = CatalogueImport.objects.create(
            owner=owner, token=token, files=pack(files), draft=draft, answers=answers
        )
        _request(row, 0)
    return row


def answer(row: CatalogueImport, answers: Answers, *, expected_version: int) -> None:
    """Read the files once more, with the author's answers. Raises Stale, or Refused if the game is
    already made."""
    if row.taken_at is not None:
        raise NotNow("already_made")
    with transaction.atomic():
        update_if(
            CatalogueImport.objects.filter(taken_at=None),
            row.pk,
            expected_version,
            answers=answers.model_dump_json(),
            state=State.READING,
            error="",
            changed_at=timezone.now(),
        )
        _request(row, expected_version + 1)


def _request(row: CatalogueImport, version: int) -> None:
    add_jobs([make_job(KIND, row=str(row.pk), version=version)])


def give_up(job: Job) -> None:
    """Store that the files of an import could not be read, unless a newer request reads them."""
    reading = CatalogueImport.objects.filter(pk=job.body["row"], state=State.READING)
    with suppress(Stale):
        error = store_error(NotNow("given_up"))
        update_if(reading, job.body["row"], job.body["version"], state=State.FAILED, error=error)


@carries_out(KIND, LANE, given_up=give_up)
def read(job: Job) -> None:
    """Read the files of an import, and store the result or the reason of the failure."""
    row = CatalogueImport.objects.filter(pk=job.body["row"], state=State.READING).first()
    if row is None or row.version != job.body["version"]:
        return
    answers = Answers.model_validate_json(row.answers) if row.answers else None
    try:
        examined = apart.examine(unpack(row.files), answers)
    except BadCatalogue as bad:
        found: dict[str, Any] = {"state": State.FAILED, "error": store_error(bad)}
    except Busy as busy:
        if job.tries < MOST_TRIES:
            raise TryLater(blocked=False, after=AGAIN) from busy
        found = {"state": State.FAILED, "error": store_error(NotNow("busy"))}
    else:
        found = {
            "state": State.READY,
            "examined": EXAMINED.dump_json(examined).decode(),
            "note_count": len(examined.imported.notes),
            "error": "",
        }
    # A newer request has a job of its own.
    with suppress(Stale):
        update_if(CatalogueImport, row.pk, row.version, **found)


def make_game(
    row: CatalogueImport, *, name: str, slug: str, author: str, expected_version: int
) -> BookDraft:
    """Make the game that the preview shows; a form that arrives twice makes it once.

    Raises QuotaFull, Stale, or Refused if the slug is taken or the game exceeds the limits.
    """
    with quotas.turn(row.owner):
        # The lock of the import's row: only one request makes the game.
        found = CatalogueImport.objects.select_for_update().filter(pk=row.pk).first()
        if found is None:
            raise Stale
        row = found
        if row.draft is not None and row.taken_at is not None:
            return row.draft
        if row.draft is not None:
            # It is a newer catalogue for a game.
            raise NotNow("already_made")
        if row.version != expected_version or row.state != State.READY:
            raise Stale
        data = EXAMINED.validate_json(row.examined).imported.data
        named = name_game(data, slug, name, languages_of(data), author)
        row.draft = start_game(row.owner, named, token=row.token)
        row.taken_at = timezone.now()
        row.files = b""
        row.save(update_fields=["draft", "taken_at", "files", "changed_at"])
    return row.draft


def take(
    row: CatalogueImport,
    game: BookDraft,
    data: Data,
    compared: Compared,
    *,
    expected_version: int,
    seen: int,
) -> None:
    """Give the game the ``data`` that was merged with a newer import; undoing takes it back.

    ``compared``: what the import becomes. It belongs to the game's owner from then on. Older ones
    stay while undo or redo leads to a state of the game that comes from them; others are deleted.
    ``expected_version``: of the import; ``seen``: of the game. Raises Stale, or
    Refused if the game exceeds its limits.
    """
    with transaction.atomic():
        update_if(
            CatalogueImport.objects.filter(taken_at=None, state=State.READY, draft=game),
            row.pk,
            expected_version,
            owner=game.owner_id,
            examined=EXAMINED.dump_json(compared.examined).decode(),
            done=json.dumps(sorted(compared.done)),
            files=b"",
            changed_at=timezone.now(),
        )
        # The state before is kept with the import that it comes from, so this one counts later.
        save_data(game, data, expected_version=seen)
        CatalogueImport.objects.filter(pk=row.pk).update(taken_at=timezone.now())
        older = CatalogueImport.objects.taken_by(game).exclude(pk=row.pk)
        older.filter(past_states=None).delete()


def tick(row: CatalogueImport, done: Collection[int], *, shown: Collection[int]) -> None:
    """Store which of the notes ``shown`` on a page are ``done``; others stay as they are. Raises
    Stale if the import is deleted, since a newer one has come in."""
    with transaction.atomic():
        rows = CatalogueImport.objects.select_for_update().only("done", "note_count")
        found = rows.filter(pk=row.pk).first()
        if found is None:
            raise Stale
        row = found
        known = {*shown} & {*range(row.note_count)}
        row.done = json.dumps(sorted((row.done_notes - known) | (known & {*done})))
        row.save(update_fields=["done"])


def forget_unfinished() -> int:
    """Delete imports that nobody finished; return their number."""
    old = timezone.now() - KEPT
    return CatalogueImport.objects.filter(taken_at=None, changed_at__lt=old).delete()[0]


def pack(files: Sequence[tuple[str, bytes]]) -> bytes:
    """Return a zip of files, each (name, content), in their order."""
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for number, (name, content) in enumerate(files):
            # Names may repeat, and are not paths: the number makes them distinct.
            archive.writestr(f"{number:02}/{name}", content)
    return packed.getvalue()


def unpack(packed: bytes | memoryview) -> list[tuple[str, bytes]]:
    """Return the files that ``pack`` packed."""
    with ZipFile(BytesIO(bytes(packed))) as archive:
        return [(one.filename.partition("/")[2], archive.read(one)) for one in archive.infolist()]
