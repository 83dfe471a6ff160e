"""A user's devices: adding, choosing topics, and the end when somebody signs out."""

from __future__ import annotations

import hashlib
from typing import Any

from django.contrib.auth import user_logged_out
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import get_language

from accounts.authentication.devices import ENDED
from accounts.data_export import File, as_json
from accounts.models import User
from accounts.notices import default_push_topics
from outbound.push.models import PushDevice

# The most devices of an account.
MOST_DEVICES = 10
# The device of a session, by primary key.
SESSION_KEY = "push_device"
# Words of a browser's own description, in the order in which they decide.
BROWSERS = {
    "Firefox": "Firefox",
    "FxiOS": "Firefox",
    "Edg": "Edge",
    "OPR": "Opera",
    "SamsungBrowser": "Samsung Internet",
    "Chrome": "Chrome",
    "Safari": "Safari",
}
SYSTEMS = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "Windows": "Windows",
    "Mac OS": "macOS",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}


def mark_of(user: User) -> str:
    """A mark of the user's valid sessions: it changes when these end."""
    session = user.get_session_auth_hash()
    return salted_hmac("outbound.push", session, algorithm="sha256").hexdigest()


def devices_of(user: User) -> list[PushDevice]:
    """The devices on which the user is still signed in. One query."""
    return list(PushDevice.objects.filter(user=user, session_mark=mark_of(user)))


def is_signed_in(device: PushDevice) -> bool:
    """Whether the user of a device is still signed in there. Reads the user."""
    return device.user.is_active and device.session_mark == mark_of(device.user)


def describe_browser(agent: str) -> str:
    """A browser and its system in a few words, from the description that it sends."""
    browser = next((name for word, name in BROWSERS.items() if word in agent), "")
    system = next((name for word, name in SYSTEMS.items() if word in agent), "")
    return " · ".join(filter(None, (browser, system)))


def digest_of(endpoint: str) -> str:
    """The sum under which an endpoint is found."""
    return hashlib.sha256(endpoint.encode()).hexdigest()


class OthersBrowser(Exception):
    """Raised for the address of somebody else's browser without this browser's keys."""


def add(request: HttpRequest, user: User, *, endpoint: str, p256dh: str, auth: str) -> bool:
    """Let the browser of a request show the user's notices. A browser that is known keeps its
    topics; one of another user becomes this user's. Returns False if the user has too many. Raises
    OthersBrowser."""
    with transaction.atomic():
        own = _hold(user)
        own.exclude(session_mark=mark_of(user)).delete()
        known = _find(user, endpoint, p256dh, auth)
        if known is None or known.user_id != user.pk:
            if own.count() >= MOST_DEVICES:
                return False
            known = known or PushDevice(digest=digest_of(endpoint))
            known.user, known.topics = user, default_push_topics()
        known.endpoint, known.p256dh, known.auth = endpoint, p256dh, auth
        known.label = describe_browser(request.headers.get("User-Agent", ""))
        known.language, known.session_mark = get_language() or "", mark_of(user)
        known.failing_since, known.failures, known.not_before = None, 0, timezone.now()
        known.save()
    request.session[SESSION_KEY] = known.pk
    return True


def renew(
    request: HttpRequest, user: User, *, old: str, endpoint: str, p256dh: str, auth: str
) -> bool:
    """Give the device of a request's browser the address and keys that the browser has now; the
    device keeps its settings.

    It is the device of the session or, after the browser has signed in a second time, the user's
    device with the ``old`` address. Nobody but its user changes a device. Returns False if there is
    none. Raises OthersBrowser.
    """
    with transaction.atomic():
        own = _hold(user).filter(session_mark=mark_of(user))
        device = (
            own.filter(pk=request.session.get(SESSION_KEY) or 0).first()
            or own.filter(digest=digest_of(old)).first()
        )
        if device is None:
            return False
        known = _find(user, endpoint, p256dh, auth)
        if known is not None and known != device:
            known.delete()
        device.digest, device.endpoint = digest_of(endpoint), endpoint
        device.p256dh, device.auth = p256dh, auth
        device.failing_since, device.failures, device.not_before = None, 0, timezone.now()
        device.save()
    if request.session.get(SESSION_KEY) != device.pk:
        request.session[SESSION_KEY] = device.pk
    return True


def device_here(request: HttpRequest, user: User) -> PushDevice | None:
    """The device that this session has added or renewed, while it shows the user's notices."""
    rows = PushDevice.objects.filter(user=user, session_mark=mark_of(user))
    return rows.filter(pk=request.session.get(SESSION_KEY) or 0).first()


def _hold(user: User) -> QuerySet[PushDevice]:
    """The user's devices. The user's row is the lock, so that two tabs together stay below the
    limit."""
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    return PushDevice.objects.filter(user=user)


def _find(user: User, endpoint: str, p256dh: str, auth: str) -> PushDevice | None:
    """The device with an address. If it is another user's, only the browser itself, which knows its
    keys, may take it. Raises OthersBrowser."""
    known = PushDevice.objects.filter(digest=digest_of(endpoint)).first()
    if known is not None and known.user_id != user.pk:
        is_same = constant_time_compare(known.p256dh, p256dh)
        if not constant_time_compare(known.auth, auth) or not is_same:
            raise OthersBrowser
    return known


def _sign_out(request: HttpRequest | None, **_signal: Any) -> None:
    """End the messages to a browser in which somebody signs out."""
    number = request.session.get(SESSION_KEY) if request is not None else None
    if number is not None:
        PushDevice.objects.filter(pk=number).delete()


def _sign_out_elsewhere(request: HttpRequest, user: User, **_signal: Any) -> None:
    """End the messages to all other browsers; this one has a new session."""
    devices = PushDevice.objects.filter(user=user)
    devices.exclude(pk=request.session.get(SESSION_KEY) or 0).delete()
    devices.update(session_mark=mark_of(user))


def install() -> None:
    """Follow sign-outs, and changes of passwords, which end all other sessions."""
    user_logged_out.connect(_sign_out)
    for signal in ENDED:
        signal.connect(_sign_out_elsewhere)


def files_of(user: User) -> list[File]:
    """The user's devices for their download, without addresses and keys."""
    names = ("label", "language", "topics", "added_at", "sent_at", "failing_since")
    rows = list(PushDevice.objects.filter(user=user).values(*names))
    return [File("devices.json", as_json(rows))] if rows else []
