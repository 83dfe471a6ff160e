"""Rulebooks, to be read: public, since they are the same for everybody."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.safestring import SafeString
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from rules.book import Book
from rules.library import book_of, newest_books
from rules.look import GROUNDS
from rules.looks import stylesheet
from rules.models import BookVersion
from rules.reading_room.chapters import room
from rules.reading_room.pieces import Room
from rules.reading_room.search import LONGEST_QUERY, Entry, entries, search


@dataclass(frozen=True)
class Place:
    """Where a rulebook is read: the newest state of a game, or the one with this digest.

    ``base``: the address that all its pages begin with.
    """

    digest: str
    base: str
    newest: bool

    @property
    def book(self) -> Book:
        """The rulebook."""
        return book_of(self.digest)


@lru_cache(maxsize=32)
def _room(digest: str, language: str) -> Room:
    """The rulebook drawn in one language. A version never changes, so each is drawn once."""
    return room(book_of(digest), language)


@lru_cache(maxsize=32)
def _entries(digest: str, language: str) -> tuple[Entry, ...]:
    """What can be found in it."""
    return entries(_room(digest, language))


@lru_cache(maxsize=256)
def _body(digest: str, language: str, key: str, base: str) -> SafeString:
    """A chapter as HTML; an empty ``key`` is the overview's. The same for every reader."""
    drawn = _room(digest, language)
    context = {"room": drawn, "chapter": drawn.chapter(key), "base": base}
    with translation.override(language):
        return render_to_string(f"rules/_{'chapter' if key else 'overview'}.html", context)


@login_not_required
@require_safe
def books(request: HttpRequest) -> HttpResponse:
    """All games."""
    return render(request, "rules/books.html", {"books": newest_books()})


@login_not_required
@require_safe
def book(request: HttpRequest, slug: str) -> HttpResponse:
    """One game: what it is, its settings, and the way to its chapters."""
    return _page(request, _newest(slug))


@login_not_required
@require_safe
def chapter(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """One chapter of a game's rules."""
    return _page(request, _newest(slug), key)


@login_not_required
@require_safe
def book_search(request: HttpRequest, slug: str) -> HttpResponse:
    """Something looked for in a game's rules."""
    return _search(request, _newest(slug))


@login_not_required
@require_safe
def version(request: HttpRequest, digest: str) -> HttpResponse:
    """The rules as a gang or campaign holds on to them."""
    return _page(request, _stored(digest))


@login_not_required
@require_safe
def version_chapter(request: HttpRequest, digest: str, key: str) -> HttpResponse:
    """One chapter of these."""
    return _page(request, _stored(digest), key)


@login_not_required
@require_safe
def version_search(request: HttpRequest, digest: str) -> HttpResponse:
    """Something looked for in these."""
    return _search(request, _stored(digest))


@login_not_required
@require_safe
@cache_control(public=True, max_age=365 * 24 * 3600, immutable=True)
def look(request: HttpRequest, digest: str, theme: str) -> HttpResponse:
    """The colours of a game, by day or by night: a version never changes, so they are kept."""
    known = next((one for one in GROUNDS if one == theme), None)
    if known is None:
        raise Http404
    return HttpResponse(stylesheet(_stored(digest).book.look, known), content_type="text/css")


def _newest(slug: str) -> Place:
    digest = BookVersion.objects.newest().filter(slug=slug).values_list("digest", flat=True).first()
    if digest is None:
        raise Http404
    return Place(digest, reverse("rules:book", args=[slug]), newest=True)


def _stored(digest: str) -> Place:
    try:
        slug = book_of(digest).slug
    except BookVersion.DoesNotExist:
        raise Http404 from None
    newest = BookVersion.objects.newest().filter(slug=slug, digest=digest).exists()
    return Place(digest, reverse("rules:version", args=[digest]), newest)


def _language() -> str:
    return translation.get_language() or "en"


def _context(place: Place) -> dict[str, object]:
    return {
        "place": place,
        "book": place.book,
        "room": _room(place.digest, _language()),
        "base": place.base,
        "longest": LONGEST_QUERY,
    }


def _page(request: HttpRequest, place: Place, key: str = "") -> HttpResponse:
    context = _context(place)
    drawn = _room(place.digest, _language())
    if key:
        context["chapter"] = drawn.chapter(key)
        if context["chapter"] is None:
            raise Http404
    context["body"] = _body(place.digest, _language(), key, place.base)
    return render(request, f"rules/{'chapter' if key else 'book'}.html", context)


def _search(request: HttpRequest, place: Place) -> HttpResponse:
    wanted = request.GET.get("q", "")[:LONGEST_QUERY].strip()
    found = search(_entries(place.digest, _language()), wanted)
    part = "#found" if getattr(request, "htmx", False) else ""
    context = {**_context(place), "wanted": wanted, "found": found}
    return render(request, f"rules/search.html{part}", context)
