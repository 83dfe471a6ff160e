"""Rulebooks, to be read: public, since they are the same for everybody."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.safestring import SafeString
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from django_htmx.http import replace_url

from accounts.language import plain, rules_language
from common.cache import Cache
from rules import hooks
from rules.book.look import GROUNDS
from rules.book.model import Book
from rules.library import book_of, newest_books
from rules.models import BookVersion
from rules.prints.forms import PART_NAMES
from rules.reference_pages.chapters import anchors, concerning
from rules.reference_pages.chapters import render as render_rules
from rules.reference_pages.pieces import RulebookPages
from rules.reference_pages.search import LONGEST_QUERY, entries, find
from rules.stylesheet import several, stylesheet


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


_drawn: Cache[RulebookPages] = Cache(16)


def _rules(digest: str, language: str) -> RulebookPages:
    """The rulebook drawn in one language. A version never changes, so each is drawn once."""
    return _drawn.get(
        (digest, language), None, lambda _last: render_rules(book_of(digest), language)
    )


def _body(
    digest: str, language: str, key: str, base: str, used: frozenset[str] | None = None
) -> SafeString:
    """A chapter as HTML; an empty ``key`` is the overview's. The same for every reader.

    ``used``: the anchors of what a gang has, if only that is wanted."""
    rules = _rules(digest, language)
    chapter = rules.chapter(key)
    if chapter and used is not None:
        chapter = concerning(chapter, used)
    context = {"rules": rules, "chapter": chapter, "base": base}
    with translation.override(plain(language)):
        return render_to_string(f"rules/_{'chapter' if key else 'overview'}.html", context)


@login_not_required
@require_safe
def books(request: HttpRequest) -> HttpResponse:
    """All games."""
    return render(request, "rules/books.html", {"books": newest_books()})


@login_not_required
@require_safe
def page(request: HttpRequest, key: str = "", **where: str) -> HttpResponse:
    """One game (what it is, its settings, the way to its chapters), or one of its chapters."""
    place = find_place(**where)
    context = {**page_context(place), **_looked_for(request, place)}
    if key:
        context["chapter"] = _rules(place.digest, rules_language()).chapter(key)
        if context["chapter"] is None:
            raise Http404
    used = None
    if gang := request.GET.get("gang", ""):
        belongings = hooks.gangs.belongings(request, place.book.slug, gang)
        used = anchors(place.book, belongings) if belongings else None
    named = hooks.gangs.named(request, place.book.slug)
    context |= {"named_gangs": named, "used_own": gang in dict(named)}
    if used is None:
        context |= {"used_gang": "", "kept": ""}
    context["body"] = _body(place.digest, rules_language(), key, place.base, used)
    return render(request, f"rules/{'chapter' if key else 'book'}.html", context)


@login_not_required
@require_safe
def search(request: HttpRequest, **where: str) -> HttpResponse:
    """Something looked for in a game's rules."""
    place = find_place(**where)
    found = _looked_for(request, place)
    if getattr(request, "htmx", False):
        answer = render(
            request, "rules/_head.html#found", {"base": place.base, "swapped": True, **found}
        )
        return replace_url(answer, _with_search(request, place, str(found["wanted"])))
    return render(request, "rules/search.html", {**page_context(place), **found})


def _looked_for(request: HttpRequest, place: Place) -> dict[str, object]:
    """What the search of a page is for, and what it finds; ``kept``: what the addresses of other
    chapters keep of this page's."""
    wanted = request.GET.get("q", "")[:LONGEST_QUERY].strip()
    drawn = entries(_rules(place.digest, rules_language())) if wanted else ()
    gang = request.GET.get("gang", "")
    kept = f"?{urlencode({'gang': gang})}" if gang else ""
    return {"wanted": wanted, "found": find(drawn, wanted), "used_gang": gang, "kept": kept}


def _with_search(request: HttpRequest, place: Place, wanted: str) -> str:
    """The address of the page that something was looked for on, with what it was: so it is there
    again when the reader comes back."""
    try:
        page = urlsplit(request.headers.get("HX-Current-URL", "")).path
    except ValueError:
        # Anybody may send what is no address.
        page = ""
    chapters = _rules(place.digest, rules_language()).chapters
    if page not in {place.base, *(f"{place.base}{chapter.key}/" for chapter in chapters)}:
        page = f"{place.base}search/"
    asked = {"q": wanted, "gang": request.GET.get("gang", "")}
    query = urlencode({key: value for key, value in asked.items() if value})
    return f"{page}?{query}" if query else page


@login_not_required
@require_safe
@cache_control(public=True, max_age=365 * 24 * 3600, immutable=True)
def look(request: HttpRequest, digest: str, theme: str) -> HttpResponse:
    """The colours of a game, by day or by night: a version never changes, so they are kept."""
    known = next((ground for ground in GROUNDS if ground == theme), None)
    if known is None:
        raise Http404
    return HttpResponse(
        stylesheet(find_place(digest=digest).book.look, known), content_type="text/css"
    )


@login_not_required
@require_safe
@cache_control(public=True, max_age=365 * 24 * 3600, immutable=True)
def looks(request: HttpRequest, theme: str) -> HttpResponse:
    """The colours of all games, for pages that show them beside each other. Another game, or
    another state of one, makes another address."""
    known = next((ground for ground in GROUNDS if ground == theme), None)
    if known is None:
        raise Http404
    games = {book.slug: book.look for _version, book in newest_books()}
    return HttpResponse(several(games, known), content_type="text/css")


def find_place(slug: str = "", digest: str = "") -> Place:
    """The newest version of a game, or the rules as a gang or campaign holds on to them."""
    try:
        newest = BookVersion.objects.newest_digest(slug or book_of(digest).slug)
    except BookVersion.DoesNotExist:
        raise Http404 from None
    if digest:
        return Place(digest, reverse("rules:version", args=[digest]), digest == newest)
    if not newest:
        raise Http404
    return Place(newest, reverse("rules:book", args=[slug]), newest=True)


def page_context(place: Place) -> dict[str, object]:
    """What the pages of a game have in common, for their templates."""
    return {
        "place": place,
        "book": place.book,
        "rules": _rules(place.digest, rules_language()),
        "base": place.base,
        "longest": LONGEST_QUERY,
        "blank_forms": list(PART_NAMES.items()),
    }
