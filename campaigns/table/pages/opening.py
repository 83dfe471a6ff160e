"""Tables without a campaign: opened once for each form, kept for a while, thrown away."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Literal

from allauth.core.ratelimit import consume
from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from accounts import quotas
from accounts.http import actor
from accounts.models import User
from campaigns.models import Table
from campaigns.table import storage
from gangs.access import GUEST
from gangs.models import Gang, Guest

MOST_GUEST_TABLES = 3
# What nobody has tapped at for so long is thrown away; visitors' tables go with their gangs.
KEPT = timedelta(days=90)
# So many go at once, so that nobody waits for long.
BATCH = 20


class NoRoom(Exception):
    """A visitor opens no other table now. ``why``: this visitor has as many as a visitor may
    (``guest``), or too many came from their address lately (``address``)."""

    def __init__(self, why: Literal["guest", "address"]) -> None:
        super().__init__(why)
        self.why = why


def open_once(request: HttpRequest, gangs: list[Gang], scenario: str, token: str) -> Table:
    """Open a table for these gangs, or find the one that this very form opened before.

    Raises NoRoom, to visitors only, and QuotaFull, to users.
    """
    found = Table.objects.filter(token=token).first()
    if found is not None:
        return found
    user = actor(request)
    # Counted before the transaction, which a refusal would take back.
    if user is None and not consume(request, action="open_table"):
        raise NoRoom("address")
    with quotas.turn(user):
        guest = None
        if user is None:
            guest = Guest.objects.select_for_update().filter(key=GUEST.read(request)).first()
            if guest is None:
                raise NoRoom("guest")
        found = Table.objects.filter(token=token).first()
        if found is not None:
            return found
        if guest is not None and guest.tables.count() >= MOST_GUEST_TABLES:
            raise NoRoom("guest")
        quotas.check(user, "tables")
        return storage.open_alone(gangs, owner=user, guest=guest, token=token, scenario=scenario)


def claim(user: User, guest: str) -> None:
    """The tables of a visitor become those of the user that they have become."""
    if guest:
        Table.objects.filter(guest=guest).update(owner=user, guest=None)


def tidy() -> int:
    """Throw away tables without a campaign that nobody plays at any more; returns how many. In
    batches, while the site runs."""
    now = timezone.now()
    old = Q(changed_at__lt=now - KEPT)
    of_visitors = Q(owner=None, changed_at__lt=now - timedelta(days=settings.GUEST_DAYS))
    rows = Table.objects.filter(old | of_visitors, game=None)
    gone = 0
    while keys := _some(rows):
        gone += len(keys)
    return gone


def _some(rows: QuerySet[Table]) -> list[uuid.UUID]:
    with transaction.atomic():
        locked = rows.select_for_update(skip_locked=True)
        keys = list(locked.order_by("pk").values_list("pk", flat=True)[:BATCH])
        Table.objects.filter(pk__in=keys).delete()
    return keys
