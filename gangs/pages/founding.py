"""Founding a gang, once for each form: a user's, or a visitor's as long as there is room for it.

Whoever founds waits for what they are founding in another window: their row is locked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from allauth.core.ratelimit import consume
from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone

from accounts import quotas
from accounts.http import actor
from common.forms import form_token
from gangs.access import adopt_session_gangs, own_gangs
from gangs.engine.entries import Entry
from gangs.ledger import writer
from gangs.models import Gang, Guest
from rules.models import BookVersion

MOST_GUEST_GANGS = 5


class NoRoom(Exception):
    """A visitor founds no other gang now. ``why``: this visitor has as many as a visitor may
    (``guest``), too many came from their address lately (``address``), or the site holds as many
    gangs of visitors as it should (``site``)."""

    def __init__(self, why: Literal["guest", "address", "site"]) -> None:
        super().__init__(why)
        self.why = why


def found_once(
    request: HttpRequest, version: BookVersion, entries: Sequence[Entry], *, guest_key: str
) -> Gang:
    """Create gang, or find the one that this very form founded before.

    ``guest_key``: the key of the guest that a visitor is. Raises NoRoom, to visitors only, and
    QuotaFull, to users.
    """
    token = _token(request)
    founded = _founded(request, token)
    if founded is not None:
        return founded
    user = actor(request)
    if user is None:
        _check_site()
        # Counted before the transaction, which a refusal would take back.
        if not consume(request, action="found"):
            raise NoRoom("address")
    with quotas.turn(user):
        guest = None
        if user is None:
            guest = _locked_guest(guest_key)
            adopt_session_gangs(request, guest)
        founded = _founded(request, token)
        if founded is not None:
            return founded
        if guest is not None and Gang.objects.filter(guest=guest).count() >= MOST_GUEST_GANGS:
            raise NoRoom("guest")
        quotas.check(user, "gangs")
        return writer.found(version, entries, owner=user, guest=guest, token=token)


def find_founded(request: HttpRequest) -> Gang | None:
    """The gang that this very form founded before, if it did."""
    return _founded(request, _token(request))


def _token(request: HttpRequest) -> str | None:
    # Remembered in the ledger itself, so that nothing can come between the two.
    return form_token(request.POST, request.path) if request.POST.get("token") else None


def _founded(request: HttpRequest, token: str | None) -> Gang | None:
    return own_gangs(request).filter(entries__token=token).first() if token else None


def _check_site() -> None:
    # Two at the same moment may both find the last place: it is no exact number that matters.
    if Gang.objects.of_visitors().count() >= settings.MOST_GUEST_GANGS_OF_SITE:
        raise NoRoom("site")


def _locked_guest(key: str) -> Guest:
    """The guest with this key, ours until the transaction ends."""
    guest, _created = Guest.objects.select_for_update().get_or_create(key=key)
    guest.seen_at = timezone.now()
    guest.save(update_fields=["seen_at"])
    return guest
