"""Who may sign up: everybody, whoever is invited, or nobody (``SIGNUP``).

An invitation is a link that whoever runs the site makes and hands over. Higher floors may know of
other links that invite (``register``), such as those into campaigns.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from django.conf import settings
from django.db.models import F
from django.http import HttpRequest
from django.utils import timezone

from accounts.models import SiteInvitation, User

OPEN, INVITED, CLOSED = settings.SIGNUP_MODES
# The field of the sign-up page, and of its address, that carries an invitation's key.
FIELD = "invitation"

Admits = Callable[[HttpRequest], bool]
_doors: list[Admits] = []


class UsedUp(Exception):
    """Somebody else has taken the last place of an invitation."""


def register(admits: Admits) -> None:
    """Let people sign up whom this invites, where others may not."""
    if admits not in _doors:
        _doors.append(admits)


def key_of(request: HttpRequest) -> str:
    """The key of the invitation that a sign-up page was opened with; "" if it was without."""
    key = request.POST.get(FIELD) or request.GET.get(FIELD) or ""
    # PostgreSQL cannot be asked for everything that an address can carry.
    return key if key.isprintable() else ""


def may_sign_up(request: HttpRequest) -> bool:
    """Whether the site takes whoever asks."""
    if settings.SIGNUP != INVITED:
        return bool(settings.SIGNUP == OPEN)
    return (
        _is_let_in(request) or SiteInvitation.objects.usable().filter(key=key_of(request)).exists()
    )


def take_place(request: HttpRequest) -> None:
    """Count somebody who signs up, in the transaction that makes their account.

    Raises UsedUp if the invitation they came with has no place left.
    """
    if settings.SIGNUP != INVITED or _is_let_in(request):
        return
    mine = SiteInvitation.objects.usable().filter(key=key_of(request))
    if not mine.update(used=F("used") + 1):
        raise UsedUp


def _is_let_in(request: HttpRequest) -> bool:
    return any(admits(request) for admits in _doors)


def invite(*, note: str, places: int, days: int, token: str, actor: User) -> SiteInvitation:
    """Make an invitation for so many people, good for so many days. ``token``: a form's own; the
    same form twice makes one."""
    values = {"note": note, "places": places, "made_by": actor}
    values["ends_at"] = timezone.now() + timedelta(days=days)
    return SiteInvitation.objects.get_or_create(token=token, defaults=values)[0]
