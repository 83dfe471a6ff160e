"""Files that programs send with a key of their own: each key counts once."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.data_export import File, as_json
from accounts.models import User
from api.models import SentFile
from api.problems import Problem
from gangs.files.importing import import_file
from gangs.models import Gang

# The most letters of a key, and the time for which it counts once.
LONGEST_KEY = 200
KEPT = timedelta(days=7)


def read_key(sent: str) -> str:
    """The key of a header Idempotency-Key. Raises Problem if it is too long."""
    if len(sent) > LONGEST_KEY:
        words = _("The header Idempotency-Key has at most %(most)s letters.")
        raise Problem(422, words % {"most": LONGEST_KEY}, "key_too_long")
    return sent


def import_once(text: bytes, user: User, key: str) -> Gang:
    """Make a gang of a file; the same file with the same ``key`` ("" for none) makes no second one.

    Take turns as for ``import_file``. Raises BadFile and QuotaFull as that does, and Problem if the
    key came with another file before, or if its gang is no longer the user's.
    """
    if not key:
        return import_file(text, user)
    SentFile.objects.filter(user=user, key=_digest(key), sent_at__lt=_oldest()).delete()
    body = hashlib.sha256(text).hexdigest()
    # The row is stored before the file is read, so of two files with one key only one is read.
    sent, _is_new = SentFile.objects.get_or_create(
        user=user, key=_digest(key), defaults={"body": body}
    )
    if sent.body != body:
        raise Problem(422, _("This Idempotency-Key came with another file before."), "key_used")
    if sent.gang is not None:
        made = Gang.objects.filter(pk=sent.gang, owner=user).first()
        if made is None:
            raise Problem(409, _("The gang that this file made is no longer yours."), "gang_gone")
        return made
    try:
        # A key from before the keys were stored finds its gang by this token.
        gang = import_file(text, user, token=str(uuid.uuid5(uuid.NAMESPACE_URL, key)))
    except Exception:
        # The file made no gang, so the key is free for a better one: also if an earlier request,
        # which was killed, had stored the row.
        SentFile.objects.filter(pk=sent.pk, gang=None).delete()
        raise
    # A request that failed meanwhile with the same file may have deleted the row.
    values = {"body": body, "gang": gang.pk}
    SentFile.objects.update_or_create(user=user, key=sent.key, defaults=values)
    return gang


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()


def _oldest() -> datetime:
    return timezone.now() - KEPT


def tidy() -> int:
    """Delete the keys that no longer count; returns their number."""
    return SentFile.objects.filter(sent_at__lt=_oldest()).delete()[0]


def files_of(user: User) -> Iterator[File]:
    """The files that a user's programs have sent in the last days, without their keys."""
    found = list(SentFile.objects.filter(user=user).order_by("sent_at").values("gang", "sent_at"))
    if found:
        yield File("api-files.json", as_json(found))
