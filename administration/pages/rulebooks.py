"""The administrators' pages of rulebooks: the list, one rulebook, and the upload of a package."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.db import transaction
from django.db.models import Count, Max
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from accounts.http import Request
from administration.access import administrators_only
from administration.acts.kinds import ReasonForm
from administration.acts.rulebook_acts import PUBLISH, RULEBOOK_ACTS, UPLOADS
from administration.acts.views import history_of
from administration.models import Act
from administration.usage import Usage, find_usage, find_users
from campaigns.models import Campaign
from common.forms import CONFLICT, INVALID, OK, NameField, PlainField, require_safe_or_post
from common.measuring import BadData, parse
from gangs.models import Gang
from gangs.text.formats import localize
from rules.book.model import Book
from rules.bounds.limits import BIGGEST_TEXT
from rules.editor.places import between, take_apart
from rules.editor.text import group_differences
from rules.library import book_of
from rules.loading.apart import TooLarge, read_apart
from rules.loading.reader import BadBook
from rules.models import BookDraft, BookVersion, RemovedVersion, Rulebook
from rules.packages.forms import RESERVED, PackageForm, mistake_text
from rules.untrusted import LIMITS

# A longer list of differences would not help; nor would one of mistakes.
MOST_TOLD = 200
GAMES_ON_A_PAGE = 20


@administrators_only
@require_safe
def rulebooks(request: Request) -> HttpResponse:
    """List the rulebooks of the site, each with the numbers of its gangs and campaigns, and the
    published games of players."""
    newest = {version.slug: version for version in BookVersion.objects.newest().defer("canonical")}
    gangs, campaigns = (
        dict(
            model._default_manager.order_by()
            .values_list("book_version__slug")
            .annotate(Count("pk"))
        )
        for model in (Gang, Campaign)
    )
    lines = [
        {
            "rulebook": row,
            "version": newest[row.slug],
            "book": book_of(newest[row.slug].digest),
            "gangs": gangs.get(row.slug, 0),
            "campaigns": campaigns.get(row.slug, 0),
        }
        for row in Rulebook.objects.all()
        if row.slug in newest
    ]
    published = (
        BookDraft.objects.annotate(at=Max("states__loaded_at"))
        .exclude(at=None)
        .select_related("owner")
        .defer("data")
        .order_by("-at", "pk")
    )
    page = Paginator(published, GAMES_ON_A_PAGE).get_page(request.GET.get("page"))
    games = [_describe_game(draft, newest.get(draft.slug)) for draft in page.object_list]
    context = {"lines": lines, "page": page, "games": games}
    return render(request, "administration/pages/rulebooks.html", context)


@dataclass(frozen=True)
class GameLine:
    """A player's own game. ``number``: its version published last; ``listed``: the number of its
    version on the front page, None if it is not there."""

    draft: BookDraft
    book: Book
    number: int
    listed: int | None


def _describe_game(draft: BookDraft, newest: BookVersion | None) -> GameLine:
    last = draft.states.defer("canonical").order_by("-number")[0]
    own = newest is not None and newest.draft_id == draft.pk
    listed = newest.number if newest is not None and own else None
    return GameLine(draft, book_of(last.digest), last.number or 0, listed)


@dataclass(frozen=True)
class VersionLine:
    """A version of a rulebook and its use."""

    version: BookVersion
    book: Book
    usage: Usage
    is_newest: bool
    is_pinned: bool

    @property
    def name(self) -> str:
        """Its edition, and its number in a player's own game."""
        edition = self.book.edition
        if self.version.number is None:
            return edition
        return f"{_('Version %(number)s') % {'number': self.version.number}} · {edition}"


@administrators_only
@require_safe
def rulebook(request: Request, rulebook: str) -> HttpResponse:
    """Show a rulebook: its versions, who uses it, and the acts on it."""
    found = get_object_or_404(Rulebook, pk=rulebook)
    versions = [*found.versions()]
    if not versions:
        # Its author has deleted the game before anybody used it.
        raise Http404
    usage = find_usage(version.digest for version in versions)
    newest = BookVersion.objects.newest_digest(found.slug)
    lines = [
        VersionLine(
            version,
            book_of(version.digest),
            usage[version.digest],
            version.digest == newest,
            version.digest == found.pinned_id,
        )
        for version in versions
    ]
    context = {
        "rulebook": found,
        # Under the name “book”, the page would wear the game’s look.
        "current": book_of(newest or versions[0].digest),
        "draft": BookDraft.objects.filter(slug=found.slug).select_related("owner").first(),
        "is_listed": bool(newest),
        "lines": lines,
        "users": find_users(found.slug),
        "acts": RULEBOOK_ACTS.offered(found, request.user),
        "history": history_of(RULEBOOK_ACTS.subject, found.pk),
    }
    return render(request, "administration/pages/rulebook.html", context)


class PublishForm(ReasonForm):
    """The reason for publishing an uploaded rulebook, which the page sends back as ``content``.

    ``seen``: the digest of the newest version that the page compared it with, or "".
    """

    pinned = forms.BooleanField(
        label=gettext_lazy("Pin it: it stays the newest when a release brings another version"),
        required=False,
    )
    content = PlainField(widget=forms.HiddenInput, strip=False, max_length=BIGGEST_TEXT)
    digest = NameField(widget=forms.HiddenInput, max_length=64)
    seen = NameField(widget=forms.HiddenInput, required=False, max_length=64)

    def book(self) -> Book | None:
        """The uploaded rulebook, if it is still the one that was checked."""
        try:
            data = parse(self.data.get("content", "").encode(errors="replace"), LIMITS)
            book = read_apart(data, "") if isinstance(data, dict) else None
        except (BadData, BadBook, TooLarge):
            return None
        if book is None or book.slug in RESERVED or book.variant is not None:
            return None
        return book if book.digest == self.data.get("digest") else None


@administrators_only
@require_safe_or_post
def upload(request: Request) -> HttpResponse:
    """Upload a package: show the checker's list and the differences first, and publish it then."""
    if request.method == "POST" and "content" in request.POST:
        return _publish(request)
    form = PackageForm(*((request.POST, request.FILES) if request.method == "POST" else ()))
    if form.is_bound and form.is_valid() and form.book is not None:
        book = form.book
        fields = {
            "content": book.canonical(),
            "digest": book.digest,
            "seen": BookVersion.objects.newest_digest(book.slug),
            "token": uuid.uuid4(),
        }
        told: dict[str, Any] = {
            "notes": [*map(mistake_text, form.notes[:MOST_TOLD])],
            "is_changed": form.is_changed,
        }
        return _review(request, book, PublishForm(None, initial=fields), **told)
    context = {"form": form, "mistakes": [*map(mistake_text, form.mistakes[:MOST_TOLD])]}
    context["more"] = len(form.mistakes) - len(form.mistakes[:MOST_TOLD])
    status = INVALID if form.is_bound else OK
    return render(request, "administration/pages/upload.html", context, status=status)


def _publish(request: Request) -> HttpResponse:
    form = PublishForm(None, request.POST)
    book = form.book()
    if book is None:
        context = {"form": PackageForm(), "is_lost": True}
        return render(request, "administration/pages/upload.html", context, status=INVALID)
    if not form.is_valid():
        return _review(request, book, form, status=INVALID)
    data = form.cleaned_data
    is_repeated = Act.objects.filter(token=data["token"]).exists()
    newest = BookVersion.objects.newest_digest(book.slug)
    if newest != data["seen"] and not is_repeated:
        form = PublishForm(None, initial={**data, "seen": newest, "token": uuid.uuid4()})
        return _review(request, book, form, status=CONFLICT, is_stale=True)
    with transaction.atomic():
        row = Rulebook.objects.get_or_create(slug=book.slug)[0]
        UPLOADS.perform(
            PUBLISH,
            row,
            request.user,
            reason=data["reason"],
            token=data["token"],
            data={"book": book, "pinned": data["pinned"]},
        )
    messages.success(request, _("%(name)s is published.") % {"name": localize(book.name)})
    return redirect("administration:rulebook", book.slug)


def _review(
    request: Request, book: Book, form: PublishForm, status: int = OK, **told: Any
) -> HttpResponse:
    """Show an uploaded rulebook: what it is, the checker's notes, and what would change."""
    newest = BookVersion.objects.newest_digest(book.slug)
    before = book_of(newest) if newest else None
    lines = between(before, book) if before else []
    context = {
        # Under the name “book”, the page would ask for the look of a version that is not stored.
        "uploaded": book,
        "form": form,
        "before": before,
        "is_newest": newest == book.digest,
        "is_stored": BookVersion.objects.rulebooks().filter(digest=book.digest).exists(),
        "is_removed": RemovedVersion.objects.filter(digest=book.digest).exists(),
        "is_pinned": Rulebook.objects.filter(slug=book.slug).exclude(pinned=None).exists(),
        "groups": group_differences(take_apart(book), lines[:MOST_TOLD]),
        "count": len(lines),
        "more": len(lines) - len(lines[:MOST_TOLD]),
        **told,
    }
    return render(request, "administration/pages/review.html", context, status=status)
