"""Founding a gang, once for each form: for users, and for visitors as long as there is room.

The founder's row is locked, so that two windows cannot found gangs at the same time.
"""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import Literal

from allauth.core.ratelimit import consume
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts import quotas
from accounts.http import actor
from common.forms import form_token
from gangs.access import adopt_session_gangs, own_gangs
from gangs.engine.entries import Entry
from gangs.ledger import writer
from gangs.models import Gang, Guest
from rules.models import BookVersion

MOST_GUEST_GANGS = 5
# For each reason of ``NoRoom`` but "guest": the status of the answer, and the sentence.
NO_ROOM: dict[str, tuple[int, Promise]] = {
    "address": (
        HTTPStatus.TOO_MANY_REQUESTS,
        gettext_lazy("Too many gangs were created from your connection: try again later."),
    ),
    "site": (
        HTTPStatus.SERVICE_UNAVAILABLE,
        gettext_lazy("There is no room for another visitor’s gang at the moment."),
    ),
}
# Seconds after which another try may succeed.
RETRY_AFTER = 3600


class NoRoom(Exception):
    """Raised when a visitor cannot found another gang now. ``why``: they have as many as a visitor
    may (``guest``), too many came from their address lately (``address``), or the site has as many
    gangs of visitors as it should (``site``)."""

    def __init__(self, why: Literal["guest", "address", "site"]) -> None:
        super().__init__(why)
        self.why = why


def found_once(
    request: HttpRequest, version: BookVersion, entries: Sequence[Entry], *, guest_key: str
) -> Gang:
    """Create a gang, or find the one that the same form founded before.

    ``guest_key``: the key of the visitor's guest row. Raises NoRoom for visitors, and QuotaFull for
    users.
    """
    token = token_of(request)
    founded = _founded(request, token)
    if founded is not None:
        return founded
    user = actor(request)
    if user is None:
        # Two visitors at the same moment may both get the last place: the limit is not exact.
        if Gang.objects.of_visitors().count() >= settings.MOST_GUEST_GANGS_OF_SITE:
            raise NoRoom("site")
        # Counted before the transaction, because a refusal would roll the count back.
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
    """The gang that the same form founded before, if it did."""
    return _founded(request, token_of(request))


def send_to_sign_up(request: HttpRequest, no_room: NoRoom) -> HttpResponse | None:
    """Send a visitor who has as many gangs as a visitor may to the page where they sign up; None
    for other reasons."""
    if no_room.why != "guest":
        return None
    messages.error(request, _("Sign up to keep more gangs: it takes a minute."))
    return redirect("account_signup")


def token_of(request: HttpRequest) -> str | None:
    """The token of the form that founds a gang; None if it has none. It is stored in the ledger
    itself, so that gang and token are always saved together."""
    return form_token(request.POST, request.path) if request.POST.get("token") else None


def _founded(request: HttpRequest, token: str | None) -> Gang | None:
    return own_gangs(request).filter(entries__token=token).first() if token else None


def _locked_guest(key: str) -> Guest:
    """The guest with this key, locked until the transaction ends."""
    guest, _created = Guest.objects.select_for_update().get_or_create(key=key)
    guest.seen_at = timezone.now()
    guest.save(update_fields=["seen_at"])
    return guest
