"""Permissions on gangs. For strangers, a gang does not exist."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.core.internal import ratelimit
from django.contrib.auth.decorators import login_not_required
from django.core.cache import cache
from django.db import transaction
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext_lazy

from accounts.models import User
from common.cookies import DAY, SignedCookie
from gangs import hooks, short_codes
from gangs.models import Gang, GangQuerySet, Guest

# The key of a visitor's guest, kept for as long as they may come back to go on building.
GUEST = SignedCookie(
    "guest",
    gettext_lazy("Remembers the gangs you built here without an account."),
    365 * DAY,
)
# The address of an invitation, for readers who must first build a gang to join with.
INVITATION = SignedCookie(
    "invitation",
    gettext_lazy("Leads you back to the campaign you were invited to, once you have a gang."),
    14 * DAY,
)
# Sessions from before the introduction of guests list a visitor's gangs under this key. They end
# after two weeks (SESSION_COOKIE_AGE), and such gangs are deleted a week after their last change,
# so a site has none left some weeks after its update.
SESSION_GANGS = "guest_gangs"

# The limit for wrong short codes, see ACCOUNT_RATE_LIMITS.
GUESSES, COUNTED_BY = "share_code", "allauth.account"

type View = Callable[..., HttpResponseBase]


def own_gangs(request: HttpRequest) -> GangQuerySet:
    """The gangs that the reader may change: a user's own, or a visitor's guest gangs."""
    if request.user.is_authenticated:
        return Gang.objects.filter(owner=request.user.pk)
    return _guest_gangs(request)


def may_have_gangs(request: HttpRequest) -> bool:
    """Whether the reader may have gangs. Saves the query for visitors who have built none."""
    known = request.user.is_authenticated or GUEST.read(request)
    return bool(known or request.session.get(SESSION_GANGS))


def _guest_gangs(request: HttpRequest) -> GangQuerySet:
    mine = Q(guest=None, pk__in=request.session.get(SESSION_GANGS, []))
    if key := GUEST.read(request):
        mine |= Q(guest=key)
    return Gang.objects.of_visitors().filter(mine)


def is_own(request: HttpRequest, gang: Gang) -> bool:
    """Whether a loaded gang is the reader's, as ``own_gangs`` finds them. No query."""
    if request.user.is_authenticated:
        return gang.is_owned_by(request.user)
    key = GUEST.read(request)
    return bool(key) and gang.owner_id is None and gang.guest_id == key


def own_gang_or_404(request: HttpRequest, gang: uuid.UUID, *, whole_page: bool = False) -> Gang:
    """The gang, if the reader may change it; otherwise 404.

    ``whole_page``: annotated for ``Gang.newer``, and with ``undone``.
    """
    gangs = own_gangs(request)
    if whole_page:
        gangs = gangs.with_newest().with_undone()
    return get_object_or_404(gangs, pk=gang)


def own_gang(methods: Callable[[View], View]) -> Callable[[View], View]:
    """Decorate a view of a gang for users and visitors who may change it; 404 for others.

    The address contains the key (``gang``), and ``view(request, gang, ...)`` gets the gang itself.
    ``methods``: one of Django's decorators that restrict the HTTP methods.
    """
    return _gang_view(methods, lambda request, key: (own_gang_or_404(request, key),))


def correctable_gang(methods: Callable[[View], View]) -> Callable[[View], View]:
    """As ``own_gang``, also for organisers who correct somebody else's gang. The view is
    ``view(request, gang, organiser, ...)``; ``organiser``: the reader is not the owner."""

    def find(request: HttpRequest, key: uuid.UUID) -> tuple[Gang, bool]:
        gang, own = _gang_or_404(request, key, _for_users(hooks.oversight.may_correct))
        return gang, not own

    return _gang_view(methods, find)


def readable_gang(methods: Callable[[View], View]) -> Callable[[View], View]:
    """As ``own_gang``, also for users who may only read the gang. The view is
    ``view(request, gang, mine, ...)``; ``mine``: the reader may change it."""
    return _gang_view(
        methods,
        lambda request, key: _gang_or_404(request, key, _for_users(hooks.oversight.may_read)),
    )


def _gang_view(
    methods: Callable[[View], View], find: Callable[[HttpRequest, uuid.UUID], tuple[object, ...]]
) -> Callable[[View], View]:
    def decorate(view: View) -> View:
        @login_not_required
        @methods
        @wraps(view)
        def with_gang(request: HttpRequest, gang: uuid.UUID, **named: Any) -> HttpResponseBase:
            return view(request, *find(request, gang), **named)

        return with_gang

    return decorate


def readable_gang_or_404(request: HttpRequest, gang: uuid.UUID) -> Gang:
    """The gang, if the reader may change or at least read it; otherwise 404."""
    return _gang_or_404(request, gang, _for_users(hooks.oversight.may_read))[0]


def visible_gang_or_404(request: HttpRequest, gang: uuid.UUID) -> Gang:
    """The gang, if the reader may change it or see it in lists; otherwise 404."""
    return _gang_or_404(request, gang, hooks.oversight.may_see)[0]


def _gang_or_404(
    request: HttpRequest, gang: uuid.UUID, may: Callable[[HttpRequest, Gang], bool]
) -> tuple[Gang, bool]:
    """The gang, and whether the reader may change it; 404 if neither that nor ``may`` allows it."""
    own = own_gangs(request).filter(pk=gang).first()
    if own is not None:
        return own, True
    found = get_object_or_404(Gang.objects.select_related("owner"), pk=gang)
    if not may(request, found):
        raise Http404
    return found, False


def _for_users(may: Callable[[User, Gang], bool]) -> Callable[[HttpRequest, Gang], bool]:
    """A permission that visitors never have."""
    return lambda request, gang: request.user.is_authenticated and may(request.user, gang)


def shared_gang_or_404(key: str) -> Gang:
    """The gang shared under ``key``; 404 if there is none."""
    return get_object_or_404(Gang.objects.shared(), share_key=key)


class TooManyGuesses(Exception):
    """Raised when the reader must wait, after too many wrong codes from their connection."""


def gang_of_code(request: HttpRequest, typed: str) -> Gang | None:
    """The gang of a short code, as in ``find_by_code``; None if there is none."""
    found = find_by_code(request, typed)
    return found if isinstance(found, Gang) else None


def find_by_code(request: HttpRequest, typed: str) -> Gang | str | None:
    """The gang whose sheet is shared under a short code, as typed in, or the address of something
    else that has the code; None if there is none.

    Raises TooManyGuesses, even for a right code, after too many wrong ones. Only wrong codes count,
    so a club behind one connection may look at any number of gangs.
    """
    if _guessed_too_often(request):
        raise TooManyGuesses
    code = short_codes.read_code(typed)
    # Malformed codes do not count, since they help nobody to guess one.
    if not code:
        return None
    gang = Gang.objects.shared().filter(share_code=code).first()
    found = gang or hooks.oversight.page_of_code(code) or None
    if found is None:
        ratelimit.consume(request, app=COUNTED_BY, action=GUESSES, limit_get=True)
    return found


def _guessed_too_often(request: HttpRequest) -> bool:
    """Whether the limit is reached. Takes no lock, since it writes nothing."""
    for rate in ratelimit.get_rates(app=COUNTED_BY, action=GUESSES):
        key = ratelimit.get_cache_key(request, app=COUNTED_BY, action=GUESSES, rate=rate)
        guesses = cache.get(key, [])
        if not ratelimit.apply_rate(guesses, time.time(), rate, dry_run=True)[0]:
            return True
    return False


def adopt_session_gangs(request: HttpRequest, guest: Guest) -> None:
    """Give the guest the gangs listed in a session from before the introduction of guests."""
    if SESSION_GANGS in request.session:
        keys = request.session.pop(SESSION_GANGS)
        Gang.objects.of_visitors().filter(guest=None, pk__in=keys).update(guest=guest)


def adopt_guest_gangs(request: HttpRequest) -> list[Gang]:
    """Give the guest's gangs to the user who has just signed in; returns them, the latest changed
    first.

    The guest stays, so that a gang founded in another window is handed over the next time.
    """
    if not request.user.is_authenticated:
        return []
    with transaction.atomic():
        # This waits for a founding in another window, which locks the guest.
        Guest.objects.filter(key=GUEST.read(request)).update(seen_at=timezone.now())
        guest_gangs = _guest_gangs(request)
        adopted = list(guest_gangs.defer("snapshot").order_by("-changed_at"))
        guest_gangs.filter(pk__in=[gang.pk for gang in adopted]).update(
            owner=request.user, guest=None
        )
        hooks.oversight.adopt(request.user, GUEST.read(request))
    request.session.pop(SESSION_GANGS, None)
    return adopted
