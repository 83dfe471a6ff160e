"""The front page, founding, archiving and deleting."""

from __future__ import annotations

import re
import secrets
import uuid
from collections.abc import Iterable, Sequence
from datetime import datetime

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts import quotas
from accounts.http import actor
from accounts.models import User
from accounts.quotas import QuotaFull
from common.errors import Stale
from common.forms import CONFLICT, INVALID, OK, require_safe_or_post
from gangs import hooks
from gangs.access import (
    GUEST,
    may_have_gangs,
    own_gang_or_404,
    own_gangs,
)
from gangs.builder.forms import FoundForm, SampleForm
from gangs.engine import actions
from gangs.engine.entries import Entry
from gangs.engine.first_gangs import MADE, find_first_gang
from gangs.models import Gang
from gangs.pages import deleting, founding
from gangs.pages.copying import templates_of
from gangs.pages.founding import NoRoom
from rules.book.model import Book
from rules.editor.store import find_offered
from rules.library import book_of, newest_books, offered_books
from rules.models import BookVersion


@login_not_required
@require_safe
def front(request: HttpRequest) -> HttpResponse:
    """Introduce the site and its games to visitors; redirect users to their own pages."""
    if request.user.is_authenticated:
        return redirect(settings.LOGIN_REDIRECT_URL)
    guest_gangs = own_gangs(request).order_by("-changed_at")
    context = {
        "books": offered_books(),
        "guest_gangs": guest_gangs,
        "demo_campaign": settings.DEMO_CAMPAIGN,
    }
    return render(request, "gangs/pages/front.html", context)


@login_not_required
@require_safe
def choose_book(request: HttpRequest) -> HttpResponse:
    """Choose the game for a new gang."""
    user = actor(request)
    context = {"books": offered_books(), "own": find_offered(user) if user else []}
    return render(request, "gangs/pages/choose_book.html", context)


@login_not_required
@require_safe_or_post
def new(request: HttpRequest, slug: str) -> HttpResponse:
    """Found a gang: a new one, or a copy of a ready-made one."""
    version, book = _version_or_404(slug, request.GET.get("version", ""))
    founded = founding.find_founded(request) if request.method == "POST" else None
    if founded is not None:
        return redirect(founded)
    form = FoundForm(book, request.POST if "name" in request.POST else None)
    samples = _samples(request, book)
    entries = _founding(request, book, form, samples)
    # Chosen before the first founding, so that forms sent together from one page share one guest.
    guest_key = GUEST.read(request) or secrets.token_urlsafe(16)
    if entries is None:
        status = INVALID if request.method == "POST" else OK
        response = _founding_page(request, book, form, status, samples=samples)
    else:
        try:
            response = redirect(founding.found_once(request, version, entries, guest_key=guest_key))
        except NoRoom as no_room:
            response = _refused(request, book, form, no_room)
        except QuotaFull as full:
            response = _founding_page(request, book, form, INVALID, quotas.describe(full))
    if not request.user.is_authenticated:
        GUEST.write(request, response, guest_key)
    return response


def _founding_page(
    request: HttpRequest,
    book: Book,
    form: FoundForm,
    status: int,
    no_room: str | Promise = "",
    samples: Sequence[SampleForm] = (),
) -> HttpResponse:
    context = {
        "book": book,
        "form": form,
        "token": uuid.uuid4().hex,
        "no_room": no_room,
        "samples": samples or _samples(request, book),
        "templates": list(templates_of(request, book.slug)),
        "version": request.GET.get("version", ""),
    }
    return render(request, "gangs/pages/new.html", context, status=status)


def _refused(request: HttpRequest, book: Book, form: FoundForm, no_room: NoRoom) -> HttpResponse:
    """The answer to a visitor who cannot found another gang without an account."""
    if sign_up := founding.send_to_sign_up(request, no_room):
        return sign_up
    status, sentence = founding.NO_ROOM[no_room.why]
    response = _founding_page(request, book, form, status, sentence)
    response["Retry-After"] = str(founding.RETRY_AFTER)
    return response


def _version_or_404(slug: str, digest: str) -> tuple[BookVersion, Book]:
    """The newest version of a game, or the one that the inviting campaign is pinned to."""
    if digest:
        if not re.fullmatch(r"[0-9a-f]{64}", digest):
            raise Http404
        versions = BookVersion.objects.defer("canonical")
        version = get_object_or_404(versions, slug=slug, digest=digest)
        return version, book_of(version.digest)
    for version, book in newest_books():
        if book.slug == slug:
            return version, book
    raise Http404


def _samples(request: HttpRequest, book: Book) -> list[SampleForm]:
    """The forms of the ready-made gangs, the submitted one with the user's input; also of the gang
    that the game's introduction shows, if it is submitted."""
    asked = request.POST.get("sample", "")
    offered = [*book.samples]
    if asked == MADE and (made := find_first_gang(book)) and made not in offered:
        offered.append(made)
    if not offered:
        return []
    mine = own_gangs(request).active() if may_have_gangs(request) else Gang.objects.none()
    names = (*mine.values_list("name", flat=True), *hooks.oversight.names_near(request))
    taken = {name.casefold() for name in names}
    return [
        SampleForm(sample, taken, request.POST if asked == sample.key else None)
        for sample in offered
    ]


def _founding(
    request: HttpRequest, book: Book, form: FoundForm, samples: Iterable[SampleForm]
) -> list[Entry] | None:
    """The founding entries; None if the form is not valid."""
    for asked in samples:
        if asked.is_bound:
            if not asked.is_valid():
                return None
            name = asked.cleaned_data["gang_name"] if asked.asks else ""
            return actions.found_from_sample(book, asked.sample, name)
    if form.is_valid():
        return actions.found(book, form.cleaned_data["name"], form.chosen_settings())
    return None


@require_POST
def archive(request: HttpRequest, gang: uuid.UUID) -> HttpResponse:
    """Archive a gang, or take it out of the archive. Archiving a gang that plays in a campaign
    retires it there, after a page that says so."""
    found, is_back = own_gang_or_404(request, gang), "back" in request.POST
    retires = request.user if "sure" in request.POST and request.user.is_authenticated else None
    playing = () if is_back else hooks.oversight.plays_in(found)
    if not playing or retires is not None:
        playing = _set_archived(found, None if is_back else timezone.now(), retires)
    if playing:
        context = {"gang": found, "playing": playing}
        return render(request, "gangs/pages/archive.html", context, status=INVALID)
    if found.archived_at:
        messages.success(request, _("%(name)s archived.") % {"name": found.name})
    else:
        messages.success(request, _("%(name)s is out of the archive.") % {"name": found.name})
    return redirect("gangs:list")


def _set_archived(
    gang: Gang, moment: datetime | None, retires: User | None
) -> tuple[hooks.Playing, ...]:
    """Archive the gang, or take it out of the archive if ``moment`` is None. Changes nothing if it
    still plays in campaigns, which are returned. ``retires``: the owner who lets it retire there.
    Raises Http404 if the gang is deleted."""
    with transaction.atomic():
        if moment is not None and retires is not None:
            hooks.oversight.retire(gang, retires)
        # A gang joins under the same lock: it has either joined by now, or finds itself archived.
        rows = Gang.objects.select_for_update(of=("self",), no_key=True)
        if rows.filter(pk=gang.pk).first() is None:
            raise Http404
        if moment is not None and (playing := hooks.oversight.plays_in(gang)):
            transaction.set_rollback(True)
            return playing
        Gang.objects.filter(pk=gang.pk).update(archived_at=moment)
    gang.archived_at = moment
    return ()


@login_not_required
@require_safe_or_post
def delete(request: HttpRequest, gang: uuid.UUID) -> HttpResponse:
    """Delete a gang for good, after a page that explains the effects."""
    if request.method == "POST" and str(gang) in request.session.get("deleted", []):
        return redirect(_home(request))
    found = own_gang_or_404(request, gang)
    stays, status = hooks.oversight.must_stay(found, owner_goes=False), OK
    if request.method == "POST":
        status = INVALID
        if "told" in request.POST:
            kept = request.POST["told"] == "kept"
            try:
                deleting.delete(found, actor=actor(request), expected=kept)
            except Stale:
                status = CONFLICT
            else:
                # A form is submitted twice within moments, so the last few are enough.
                deleted = request.session.get("deleted", [])
                request.session["deleted"] = [*deleted[-4:], str(gang)]
                text = _("%(name)s stays with its campaign.") if kept else _("%(name)s is deleted.")
                messages.success(request, text % {"name": found.name})
                return redirect(_home(request))
    context = {"gang": found, "stays": stays, "is_stale": status == CONFLICT}
    return render(request, "gangs/pages/delete.html", context, status=status)


def _home(request: HttpRequest) -> str:
    """The name of the page with the reader's own gangs."""
    return "gangs:list" if request.user.is_authenticated else "gangs:front"
