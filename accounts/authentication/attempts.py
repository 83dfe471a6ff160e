"""Attempts to sign in: after wrong passwords a user must wait, longer each time.

Failures are counted by name and address together, by name, and by address. Nobody is locked out for
more than a few minutes. A device on which the user has signed in before has a separate count, so
that strangers' attempts do not affect it. Names that nobody has are counted in the same way.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from math import ceil

from allauth.account.internal.userkit import filter_users_by_email, get_user_by_username
from allauth.account.models import EmailAddress
from allauth.core.internal.ratelimit import truncate_ip
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import ngettext_lazy

from accounts.authentication.addresses import client_address
from accounts.authentication.devices import device_of
from accounts.models import FailedSignIns, User
from common.background import every

# Counts that have not increased for this long are deleted.
FORGOTTEN_AFTER = timedelta(hours=1)
TOO_EARLY = "too_many_login_attempts"


@dataclass(frozen=True)
class Counter:
    """One count of failures: after ``free`` of them the user must wait for one second, then for
    two, four and so on, up to ``longest``."""

    kind: str
    of: tuple[str, ...]
    free: int
    longest: int

    @property
    def key(self) -> str:
        """The key of its row, hashed so that it does not reveal the name."""
        return hashlib.sha256("\x1f".join((self.kind, *self.of)).encode()).hexdigest()

    def wait(self, failures: int) -> timedelta:
        """The time to wait after the last of this number of ``failures``."""
        over = failures - self.free
        return timedelta(seconds=min(2 ** min(over, 20), self.longest) if over >= 0 else 0)


def begin(request: HttpRequest, login: str) -> Sequence[Counter]:
    """Count an attempt as failed before the password is checked, so that parallel attempts count.

    ``login``: the name or address as typed. If the attempt comes too early, it is not counted;
    raises ValidationError with the seconds to wait (``params["seconds"]``).
    """
    counters = _counters(request, login.strip().lower())
    now = timezone.now()
    with transaction.atomic():
        keys = sorted(counter.key for counter in counters)
        blank = [FailedSignIns(key=key, count=0, last_at=now) for key in keys]
        FailedSignIns.objects.bulk_create(blank, ignore_conflicts=True)
        known = {row.key: row for row in _locked(counters)}
        for counter in counters:
            row = known[counter.key]
            if now - row.last_at > FORGOTTEN_AFTER:
                row.count = 0
        seconds = max(ceil(_left(counter, known[counter.key])) for counter in counters)
        if seconds <= 0:
            for row in known.values():
                FailedSignIns.objects.filter(key=row.key).update(count=row.count + 1, last_at=now)
    if seconds > 0:
        raise too_early(seconds)
    return counters


def forgive(counters: Sequence[Counter]) -> None:
    """Take back the failure that ``begin`` counted, since the password was right."""
    with transaction.atomic():
        keys = [row.key for row in _locked(counters)]
        rows = FailedSignIns.objects.filter(key__in=keys, count__gt=0)
        rows.update(count=F("count") - 1)


def _locked(counters: Sequence[Counter]) -> list[FailedSignIns]:
    """Lock the rows of these counters, always in the same order to avoid deadlocks."""
    rows = FailedSignIns.objects.filter(key__in=[counter.key for counter in counters])
    return list(rows.select_for_update().order_by("key"))


def too_early(seconds: int) -> ValidationError:
    """The error for a user who must wait."""
    sentence = ngettext_lazy(
        "Too many wrong passwords. Wait %(seconds)s second, then try again.",
        "Too many wrong passwords. Wait %(seconds)s seconds, then try again.",
        "seconds",
    )
    return ValidationError(sentence, code=TOO_EARLY, params={"seconds": seconds})


@every(seconds=3600, name="failed sign-ins")
def forget_old() -> int:
    """Delete expired counts; returns their number."""
    old = FailedSignIns.objects.filter(last_at__lt=timezone.now() - FORGOTTEN_AFTER)
    with transaction.atomic():
        # A count locked by an attempt in progress is still needed.
        keys = list(old.select_for_update(skip_locked=True).values_list("key", flat=True))
        return FailedSignIns.objects.filter(key__in=keys).delete()[0]


def _counters(request: HttpRequest, login: str) -> Sequence[Counter]:
    device = device_of(request)
    if device is not None and any(device.knows(user) for user in users_named(login)):
        return (Counter("device", (device.id, login), free=5, longest=300),)
    address = truncate_ip(client_address(request))
    return (
        Counter("pair", (login, address), free=5, longest=300),
        Counter("name", (login,), free=20, longest=60),
        Counter("address", (address,), free=30, longest=60),
    )


def users_named(login: str) -> list[User]:
    """Return the accounts with this name or address.

    If the site sends mails, only a confirmed address counts: users may enter an address that
    belongs to another account, and signing in with it must not reveal that.
    """
    if settings.MAIL_SERVER:
        confirmed = EmailAddress.objects.filter(email=login.lower(), verified=True)
        users = [address.user for address in confirmed.select_related("user")]
    else:
        users = filter_users_by_email(login, prefer_verified=True, for_login=True)
    named = get_user_by_username(login)
    return [*users, named] if named is not None and named not in users else users


def _left(counter: Counter, row: FailedSignIns) -> float:
    """Seconds until the next attempt is allowed."""
    return (row.last_at + counter.wait(row.count) - timezone.now()).total_seconds()
