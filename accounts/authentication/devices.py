"""Known devices, from which strangers' wrong passwords cannot lock their users out.

A signed cookie contains the device and the users who have signed in there, each with a hash of
their password at the time. Changing the password makes all other devices unknown.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from allauth.account import signals
from django.conf import settings
from django.contrib.auth import user_logged_in
from django.core import signing
from django.dispatch import Signal
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.crypto import constant_time_compare, get_random_string, salted_hmac
from django.utils.translation import gettext_lazy

from accounts.models import User
from common.cookies import declare

# Sent with ``request`` and ``user`` after the user was signed out everywhere except there.
signed_out_elsewhere = Signal()
# Sent with ``request`` and ``user`` after all sessions of the user except the request's have ended.
ENDED = (signed_out_elsewhere, signals.password_changed, signals.password_set)

COOKIE = "device"
SALT = "accounts.devices"
LASTS = 365 * 24 * 3600
declare(
    COOKIE,
    gettext_lazy(
        "Remembers that you have signed in here, so that other people’s guesses "
        "cannot lock you out."
    ),
    LASTS,
)
# The most users of a device; the one whose last sign-in is longest ago is forgotten first.
MOST_PEOPLE = 5


@dataclass
class Device:
    """A device. ``people``: the hash of each user's password, by their key, the latest last."""

    id: str
    people: dict[str, str] = field(default_factory=dict)

    def knows(self, user: User) -> bool:
        """Whether this user has signed in here with their present password."""
        return constant_time_compare(self.people.get(str(user.pk), ""), _mark(user))


def _mark(user: User) -> str:
    return salted_hmac(SALT, f"{user.pk}:{user.password}", algorithm="sha256").hexdigest()[:32]


def device_of(request: HttpRequest) -> Device | None:
    """The device of a request; None without a valid cookie."""
    try:
        data = signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=LASTS)
        return Device(data["id"], dict(data["people"]))
    except (signing.BadSignature, KeyError, TypeError, ValueError):
        return None


def remember(request: HttpRequest, user: User) -> None:
    """Let the response to this request mark the device as known to the user."""
    request._device_of = user  # type: ignore[attr-defined]


def set_cookie(request: HttpRequest, response: HttpResponseBase) -> None:
    """Give the device its cookie, if a user has just signed in or changed their password."""
    user = getattr(request, "_device_of", None)
    if user is None:
        return
    device = device_of(request) or Device(get_random_string(16))
    device.people.pop(str(user.pk), None)
    device.people[str(user.pk)] = _mark(user)
    latest = dict(list(device.people.items())[-MOST_PEOPLE:])
    response.set_cookie(
        COOKIE,
        signing.dumps({"id": device.id, "people": latest}, salt=SALT),
        max_age=LASTS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _signed_in(request: HttpRequest | None, user: User, **_signal: Any) -> None:
    if request is not None:
        remember(request, user)


def install() -> None:
    """Remember a device after a sign-in, and after a change or reset of a password."""
    user_logged_in.connect(_signed_in)
    for signal in (signals.password_changed, signals.password_set, signals.password_reset):
        signal.connect(_signed_in)
