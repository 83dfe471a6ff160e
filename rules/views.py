"""The pages of rulebooks, which are public: they are the same for every reader."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from django_htmx.http import replace_url

from accounts.language import rules_language
from common.cache import Cache
from rules import hooks
from rules.access import check_readable
from rules.blank_forms import PART_NAMES
from rules.book.look import GROUNDS, Theme
from rules.book.model import Book
from rules.bounds.kept import keep_within
from rules.library import book_of, newest_books
from rules.models import BookVersion
from rules.reference_pages import chapters
from rules.reference_pages.chapters import anchors, concerning
from rules.reference_pages.pieces import RulebookPages
from rules.reference_pages.search import LONGEST_QUERY, entries, find
from rules.stylesheet import several, stylesheet


@dataclass(frozen=True)
class Place:
    """The version of a rulebook that a page is about. ``base``: the start of its addresses;
    ``newest``: it is the site's newest; ``earlier``: another has replaced it; ``now``: the address
    of the newest, "" if the game is not one of the site's rulebooks; ``by_players``: it is a
    published state of a variant or of a player's own game, by ``author`` (the key of an account, if
    that still exists)."""

    digest: str
    base: str
    newest: bool
    earlier: bool = False
    now: str = ""
    by_players: bool = False
    author: int | None = None

    @property
    def book(self) -> Book:
        """The rulebook."""
        return book_of(self.digest)


# Letters of bodies of pages that a process keeps. The longest of a large rulebook has a million,
# and takes a second to write.
MOST_LETTERS_DRAWN = 4_000_000
_drawn: Cache[RulebookPages] = Cache(16)


def _rules(digest: str, language: str) -> RulebookPages:
    """The pages of a rulebook in one language, drawn once, since a version never changes."""
    return _drawn.get(
        (digest, language), None, lambda _last: chapters.render(book_of(digest), language)
    )


@keep_within(MOST_LETTERS_DRAWN, len)
def _draw_body(digest: str, language: str, key: str, base: str) -> str:
    """The body of a page, which is the same for every reader of this language."""
    rules = _rules(digest, language)
    parts = {"rules": rules, "chapter": rules.chapter(key), "base": base}
    return render_to_string(f"rules/_{'chapter' if key else 'overview'}.html", parts)


@login_not_required
@require_safe
def page(request: HttpRequest, key: str = "", **where: str) -> HttpResponse:
    """The overview of a game, or one of its chapters; ``?gang=``: only the rows of that gang."""
    place = find_place(request, **where)
    context = {**page_context(place), **_search_context(request, place)}
    rules = _rules(place.digest, rules_language())
    chapter = rules.chapter(key)
    if key and chapter is None:
        raise Http404
    gang = request.GET.get("gang", "")
    belongings = hooks.gangs.belongings(request, place.book.slug, gang) if gang else None
    shown = (
        concerning(chapter, anchors(place.book, belongings)) if chapter and belongings else chapter
    )
    named = hooks.gangs.named(request, place.book.slug)
    context |= {"chapter": chapter, "named_gangs": named, "is_own_gang": gang in dict(named)}
    if belongings is None:
        context |= {"used_gang": "", "kept": ""}
    if belongings is None:
        context["body"] = _draw_body(place.digest, rules_language(), key, place.base)
    else:
        parts = {"rules": rules, "chapter": shown, "base": place.base}
        context["body"] = render_to_string("rules/_chapter.html", parts)
    return render(request, f"rules/{'chapter' if key else 'book'}.html", context)


@login_not_required
@require_safe
def search(request: HttpRequest, **where: str) -> HttpResponse:
    """The results of a search in a game's rules."""
    place = find_place(request, **where)
    found = _search_context(request, place)
    if getattr(request, "htmx", False):
        context = {"base": place.base, "is_swap": True, **found}
        answer = render(request, "rules/_head.html#found", context)
        return replace_url(answer, _with_search(request, place, str(found["wanted"])))
    return render(request, "rules/search.html", {**page_context(place), **found})


def _search_context(request: HttpRequest, place: Place) -> dict[str, object]:
    """The search of a page and its results, for its template; ``kept``: the part of this page's
    address that links to other chapters keep."""
    wanted = request.GET.get("q", "")[:LONGEST_QUERY].strip()
    drawn = entries(_rules(place.digest, rules_language())) if wanted else ()
    gang = request.GET.get("gang", "")
    kept = f"?{urlencode({'gang': gang})}" if gang else ""
    return {"wanted": wanted, "found": find(drawn, wanted), "used_gang": gang, "kept": kept}


def _with_search(request: HttpRequest, place: Place, wanted: str) -> str:
    """The address of the page with the search in it, so that the reader finds it there again."""
    try:
        page = urlsplit(request.headers.get("HX-Current-URL", "")).path
    except ValueError:
        # A client may send any text as its address.
        page = ""
    rules = _rules(place.digest, rules_language())
    if page not in {place.base, *(f"{place.base}{one.key}/" for one in rules.chapters)}:
        page = f"{place.base}search/"
    asked = {"q": wanted, "gang": request.GET.get("gang", "")}
    query = urlencode({key: value for key, value in asked.items() if value})
    return f"{page}?{query}" if query else page


@login_not_required
@require_safe
@cache_control(public=True, max_age=365 * 24 * 3600, immutable=True)
def look(request: HttpRequest, digest: str, theme: str) -> HttpResponse:
    """The colours of a game, by day or by night; browsers keep them, since no version changes."""
    # Also of a hidden variant: sheets of its gangs may be shared.
    text = stylesheet(_place(digest=digest).book.look, _theme(theme))
    return HttpResponse(text, content_type="text/css")


@login_not_required
@require_safe
@cache_control(public=True, max_age=365 * 24 * 3600, immutable=True)
def looks(request: HttpRequest, theme: str) -> HttpResponse:
    """The colours of all games, for pages that show several. The address changes with each new game
    or version."""
    games = {book.slug: book.look for _version, book in newest_books()}
    return HttpResponse(several(games, _theme(theme)), content_type="text/css")


def _theme(name: str) -> Theme:
    if name not in GROUNDS:
        raise Http404
    return name


def find_place(request: HttpRequest, slug: str = "", digest: str = "") -> Place:
    """The newest version of a game, or the version with this digest. Raises Http404 if there is
    none, or if the reader may not see it."""
    if digest:
        check_readable(request, digest)
    return _place(slug, digest)


def _place(slug: str = "", digest: str = "") -> Place:
    rows = BookVersion.objects.select_related("variant", "draft")
    versions = rows.only("number", "variant__owner", "draft__owner")
    if digest:
        try:
            slug = book_of(digest).slug
        except BookVersion.DoesNotExist:
            raise Http404 from None
        newest, version = BookVersion.objects.newest_digest(slug), versions.get(pk=digest)
        base, is_newest = reverse("rules:version", args=[digest]), digest == newest
        earlier = not is_newest and version.is_replaced(newest)
        now = reverse("rules:book", args=[slug]) if newest else ""
    else:
        found = versions.newest().filter(slug=slug).first()
        if found is None:
            raise Http404
        version, base = found, reverse("rules:book", args=[slug])
        is_newest, earlier, now = True, False, ""
    work = version.variant or version.draft
    author = None if work is None else work.owner_id
    return Place(version.pk, base, is_newest, earlier, now, version.number is not None, author)


def page_context(place: Place) -> dict[str, object]:
    """The context that all pages of a game share."""
    return {
        "place": place,
        "book": place.book,
        "rules": _rules(place.digest, rules_language()),
        "base": place.base,
        "longest": LONGEST_QUERY,
        "blank_forms": list(PART_NAMES.items()),
    }
