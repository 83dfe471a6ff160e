"""Quotas: limits for each account, so that nobody uses up the space of all others.

This app does not know games. Other apps register kinds of things with a function that counts them,
and call ``check`` before they create one, inside ``turn``, which lets only one request of an
account create things at a time. ``settings.QUOTAS`` has the usual limits; an administrator may
grant an account another one.
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

# Daily counts are kept for this long, only for administrators to look at.
KEPT_DAYS = 30


class QuotaFull(Refusal):
    """Raised when an account has reached its limit. ``values``: the kind, and the limit (most)."""

    def __init__(self, kind: str, most: int) -> None:
        super().__init__("quota_full", kind=kind, most=most)


@dataclass(frozen=True)
class Kind:
    """A kind of things with a limit for each account.

    ``full``: the sentence for users who have reached it, with ``%(most)s``; ``count``: counts an
    account's things; None for a daily limit.
    """

    key: str
    name: Promise
    full: Promise
    count: Callable[[User], int] | None


_kinds: dict[str, Kind] = {}


def register(
    key: str, name: Promise, full: Promise, count: Callable[[User], int] | None = None
) -> None:
    """Register a kind; its usual limit is in ``settings.QUOTAS``."""
    assert key in settings.QUOTAS
    _kinds[key] = Kind(key, name, full, count)


def kinds() -> list[Kind]:
    """Every kind, in the order in which they were registered."""
    return list(_kinds.values())


def usual(key: str) -> int:
    """The usual limit of a kind."""
    return int(settings.QUOTAS[key])


def most(user: User, key: str) -> int:
    """The account's limit of a kind. One query."""
    granted = Quota.objects.filter(user=user, kind=key).values_list("most", flat=True).first()
    return usual(key) if granted is None else granted


def count_used(user: User, key: str) -> int:
    """The number of a kind that the account has, or has used today."""
    count = _kinds[key].count
    if count is not None:
        return count(user)
    today = DailyUse.objects.filter(user=user, kind=key, day=timezone.localdate())
    return today.values_list("count", flat=True).first() or 0


@contextmanager
def turn(user: User | None) -> Iterator[None]:
    """A transaction that excludes all others that create things for this account. Enter it before
    taking any other lock. For a visitor (None) it is an ordinary transaction."""
    with transaction.atomic():
        if user is not None:
            # This has no effect in SQLite, where only one transaction can write at a time.
            list(User.objects.select_for_update(no_key=True).filter(pk=user.pk).values_list("pk"))
        yield


def check(user: User | None, key: str, more: int = 1) -> None:
    """Raise QuotaFull if the account cannot have this many ``more``. Visitors (None) have other
    limits. Outside ``turn`` the result may be out of date a moment later."""
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
    """Give the account its own limit of a kind; None: the usual one."""
    if limit is None:
        Quota.objects.filter(user=user, kind=key).delete()
    else:
        Quota.objects.update_or_create(user=user, kind=key, defaults={"most": limit})


def describe(refusal: Refusal) -> str:
    """A QuotaFull as a sentence."""
    return str(_kinds[str(refusal.values["kind"])].full) % refusal.values


def clear_old_uses() -> int:
    """Delete old daily counts; returns the number of rows."""
    limit: datetime.date = timezone.localdate() - timedelta(days=KEPT_DAYS)
    return DailyUse.objects.filter(day__lt=limit).delete()[0]
