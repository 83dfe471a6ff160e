"""Pages about games from other sites: their shelves, a game that came, and taking it in."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import wraps

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.http import Request
from common.errors import Refusal
from common.forms import INVALID, OK, require_safe_or_post
from outbound.shelves import store
from outbound.shelves.forms import AddressForm
from outbound.shelves.refusals import describe, describe_code
from rules.book.model import Book
from rules.editor.places import between, take_apart
from rules.editor.text import group_differences
from rules.library import book_of
from rules.models import BookVersion, ForeignGame, ForeignShelf
from rules.shelf.index import ShelfGame

# A longer list of differences would not help.
MOST_TOLD = 200


def switched_on[**P](view: Callable[P, HttpResponse]) -> Callable[P, HttpResponse]:
    """Make a view answer 404 where administrators have switched games from other sites off."""

    @wraps(view)
    def checked(*args: P.args, **options: P.kwargs) -> HttpResponse:
        if not settings.FOREIGN_GAMES:
            raise Http404
        return view(*args, **options)

    return checked


@require_safe_or_post
@switched_on
def shelves(request: Request) -> HttpResponse:
    """List the user's shelves and games of other sites, and look at another shelf."""
    form = AddressForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        pasted = form.cleaned_data["address"]
        try:
            shelf = store.look_at(request.user, pasted.url)
        except Refusal as refused:
            form.add_error("address", describe(refused))
        else:
            return redirect(_address_of(shelf, pasted.wanted))
    context = {
        "form": form,
        "shelves": ForeignShelf.objects.filter(owner=request.user),
        "taken": [
            (game, book_of(game.digest))
            for game in ForeignGame.objects.taken()
            .filter(owner=request.user)
            .select_related("shelf")
        ],
    }
    status = INVALID if form.is_bound else OK
    return render(request, "outbound/shelves/list.html", context, status=status)


def _address_of(shelf: ForeignShelf, wanted: str) -> str:
    """The address of a shelf's page, at the game with this slug or digest if it has it."""
    found = (one.slug for one in store.listed_games(shelf) if wanted in (one.slug, one.digest))
    slug = next(found, "")
    return f"{shelf.get_absolute_url()}#game-{slug}" if slug else shelf.get_absolute_url()


def _find_shelf(request: Request, key: uuid.UUID) -> ForeignShelf:
    return get_object_or_404(
        ForeignShelf.objects.select_related("owner"), pk=key, owner=request.user
    )


@require_safe_or_post
@switched_on
def shelf(request: Request, shelf: uuid.UUID) -> HttpResponse:
    """Show the games of a shelf; fetch its list once more, or forget it."""
    found, error = _find_shelf(request, shelf), ""
    if "forget" in request.POST and not found.games.taken().exists():
        found.delete()
        return redirect("shelves:list")
    if "again" in request.POST:
        try:
            return redirect(store.look_at(request.user, found.url))
        except Refusal as refused:
            error = describe(refused)
    return _show_shelf(request, found, error)


def _show_shelf(request: Request, found: ForeignShelf, error: str = "") -> HttpResponse:
    mine = {one.digest: one for one in found.games.taken()}
    listed, newer = store.listed_games(found), store.find_newer(found)
    stored = BookVersion.objects.filter(pk__in=[one.digest for one in listed])
    here = {*stored.values_list("pk", flat=True)}

    def line(game: ShelfGame) -> dict[str, object]:
        return {
            "game": game,
            "mine": mine.get(game.digest),
            "is_here": game.digest in here,
            "is_newer": game.slug in newer,
        }

    context = {
        "shelf": found,
        "lines": [line(game) for game in listed],
        "error": error,
        "is_watched": bool(mine),
        "failure": describe_code(found.error) if found.error else "",
    }
    return render(request, "outbound/shelves/shelf.html", context, status=INVALID if error else OK)


@require_POST
@switched_on
def fetch(request: Request, shelf: uuid.UUID, digest: str) -> HttpResponse:
    """Fetch a game of a shelf, and show what came."""
    found = _find_shelf(request, shelf)
    try:
        return redirect(store.fetch(request.user, found, digest))
    except Refusal as refused:
        return _show_shelf(request, found, describe(refused))


def _find_game(request: Request, key: uuid.UUID) -> ForeignGame:
    rows = ForeignGame.objects.select_related("shelf", "owner")
    return get_object_or_404(rows, pk=key, owner=request.user)


@require_safe_or_post
@switched_on
def game(request: Request, foreign: uuid.UUID) -> HttpResponse:
    """Show a game that came, with its differences, and take it in; or a game that was taken."""
    found = _find_game(request, foreign)
    if request.method == "POST":
        try:
            store.take_in(found)
        except Refusal as refused:
            messages.error(request, describe(refused))
        else:
            messages.success(request, _("The game is here. Choose it when you create a gang."))
        return redirect(found)
    return _show_game(request, found)


def _show_game(request: Request, found: ForeignGame, error: str = "") -> HttpResponse:
    book = store.book_in(found)
    if book is None:
        raise Http404
    before = None if found.version_id else _find_before(found)
    lines = between(before, book) if before is not None else []
    context = {
        "foreign": found,
        # Under the name “book”, the page would ask for the look of a version that is not stored.
        "arrived": book,
        "before": before,
        "is_here": BookVersion.objects.filter(pk=found.digest).exists(),
        "groups": group_differences(take_apart(book), lines[:MOST_TOLD]),
        "count": len(lines),
        "more": len(lines) - len(lines[:MOST_TOLD]),
        "error": error,
    }
    return render(request, "outbound/shelves/game.html", context, status=INVALID if error else OK)


def _find_before(found: ForeignGame) -> Book | None:
    """The version to compare with: the one that its owner took last from the same shelf, or else
    the newest of the same game on this site."""
    mine = found.shelf.games.taken().filter(slug=found.slug).first()
    digest = mine.digest if mine is not None else BookVersion.objects.newest_digest(found.slug)
    return book_of(digest) if digest and digest != found.digest else None


@require_POST
@switched_on
def copy(request: Request, foreign: uuid.UUID) -> HttpResponse:
    """Start a game of the user's own as a copy of a taken one."""
    found = _find_game(request, foreign)
    if found.version_id is None:
        raise Http404
    try:
        return redirect(store.copy_game(found))
    except Refusal as refused:
        return _show_game(request, found, describe(refused))


@require_POST
@switched_on
def forget(request: Request, foreign: uuid.UUID) -> HttpResponse:
    """Delete the record of a game. Its version stays for the gangs that use it."""
    found = _find_game(request, foreign)
    shelf = found.shelf
    store.forget(found)
    return redirect(shelf)
