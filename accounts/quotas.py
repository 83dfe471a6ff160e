"""Quotas: how much one account may have, so that nobody fills the site for all others.

This app knows no game. Whoever lets people make something registers a kind of it with a count, and
asks ``check`` before another one is made, inside ``turn``: the things of one account are then made
one after the other, so that two tabs together get no more than one.
``settings.QUOTAS`` says what everybody may have; an administrator may grant an account something
else.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.functional import Promise

from accounts.models import DailyUse, Quota, User
from common.errors import Refusal

# Uses are counted a day at a time; older counts are only kept for whoever wonders about them.
KEPT_DAYS = 30


class QuotaFull(Refusal):
    """The account has as many of a kind as it may. ``values``: the kind, and how many (most)."""

    def __init__(self, kind: str, most: int) -> None:
        super().__init__("quota_full", kind=kind, most=most)


@dataclass(frozen=True)
class Kind:
    """Something that accounts have only so many of.

    ``full``: the sentence for whoever has no room left, with ``%(most)s``; ``count``: how many an
    account has; None for what is counted by the day.
    """

    key: str
    name: Promise
    full: Promise
    count: Callable[[User], int] | None


_kinds: dict[str, Kind] = {}


def register(
    key: str, name: Promise, full: Promise, count: Callable[[User], int] | None = None
) -> None:
    """Let accounts have only so many of a kind, of which ``settings.QUOTAS`` says how many."""
    assert key in settings.QUOTAS
    _kinds[key] = Kind(key, name, full, count)


def kinds() -> list[Kind]:
    """Every kind, in the order in which they were registered."""
    return list(_kinds.values())


def usual(key: str) -> int:
    """How many of a kind an account may have that was granted nothing else."""
    return int(settings.QUOTAS[key])


def most(user: User, key: str) -> int:
    """How many of a kind the account may have. One query."""
    granted = Quota.objects.filter(user=user, kind=key).values_list("most", flat=True).first()
    return usual(key) if granted is None else granted


def count_used(user: User, key: str) -> int:
    """How many of a kind the account has, or has used up today."""
    count = _kinds[key].count
    if count is not None:
        return count(user)
    today = DailyUse.objects.filter(user=user, kind=key, day=timezone.localdate())
    return today.values_list("count", flat=True).first() or 0


@contextmanager
def turn(user: User | None) -> Iterator[None]:
    """A transaction in which nobody else makes anything for this account. Comes before any other
    lock. For a visitor (None) it is any transaction."""
    with transaction.atomic():
        if user is not None:
            # Django's own lock of a row; SQLite lets one transaction write at a time anyway.
            list(User.objects.select_for_update(no_key=True).filter(pk=user.pk).values_list("pk"))
        yield


def check(user: User | None, key: str, more: int = 1) -> None:
    """Raise QuotaFull if the account has no room for so many more. Visitors (None) have other
    limits. Outside ``turn`` this only saves work: the room may be taken a moment later."""
    if user is not None and more and count_used(user, key) + more > (limit := most(user, key)):
        raise QuotaFull(key, limit)


def use(user: User, key: str) -> None:
    """Count something that may be done only so often a day. Raises QuotaFull, counting nothing.

    Inside the ``turn`` in which it is done, it is not counted if that fails.
    """
    with turn(user):
        check(user, key)
        row, _created = DailyUse.objects.get_or_create(
            user=user, kind=key, day=timezone.localdate()
        )
        row.count += 1
        row.save(update_fields=["count"])


def grant(user: User, key: str, limit: int | None) -> None:
    """Let the account have another number of a kind than everybody else; None: the same again."""
    if limit is None:
        Quota.objects.filter(user=user, kind=key).delete()
    else:
        Quota.objects.update_or_create(user=user, kind=key, defaults={"most": limit})


def describe(refusal: Refusal) -> str:
    """A QuotaFull in words, for whoever has no room left."""
    return str(_kinds[str(refusal.values["kind"])].full) % refusal.values


def clear_old_uses() -> int:
    """Forget how much was used long ago; returns how many rows."""
    limit: datetime.date = timezone.localdate() - timedelta(days=KEPT_DAYS)
    return DailyUse.objects.filter(day__lt=limit).delete()[0]
