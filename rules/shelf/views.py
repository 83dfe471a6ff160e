"""The list of the site's shelf for programs, and the author's page that puts a game on it."""

from __future__ import annotations

from hashlib import sha256

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.http import quote_etag
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.http import Request
from common.errors import Stale
from common.forms import INVALID, OK, require_safe_or_post
from rules.editor.documents import newest_state
from rules.editor.page import find_posted, own_game, show
from rules.library import book_of, offered_books
from rules.models import BookDraft, Rulebook, SharedGame
from rules.shelf import store
from rules.shelf.forms import ShelfForm
from rules.shelf.index import LONGEST, ShelfGame, write_index
from rules.shelf.store import shelf_entries

# Seconds for which readers and proxies keep the list.
KEPT = 300


@login_not_required
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """Send the list of the games on the shelf as JSON (``rules.shelf.index.Shelf``)."""
    content = write_index(settings.SITE_NAME[:LONGEST], shelf_entries())
    response = HttpResponse(content, content_type="application/json")
    response["ETag"] = quote_etag(sha256(content).hexdigest()[:32])
    known = get_conditional_response(request, etag=response["ETag"], response=response)
    answer = known if isinstance(known, HttpResponse) else response
    patch_cache_control(answer, public=True, max_age=KEPT)
    return answer


@login_not_required
@require_safe
def books(request: HttpRequest) -> HttpResponse:
    """All games of the site, and those on its shelf."""
    games = [ShelfGame.model_validate_json(entry) for entry in shelf_entries()]
    shared = {game.digest: game for game in games}
    books = [(version, book, shared.pop(version.pk, None)) for version, book in offered_books()]
    context = {
        "books": books,
        "is_shelf_empty": not games,
        # The shared games that are not above: those of players, and earlier versions.
        "shelf": shared.values(),
        "may_take": settings.FOREIGN_GAMES and request.user.is_authenticated,
    }
    return render(request, "rules/books.html", context)


@login_not_required
@require_safe
def games(request: HttpRequest) -> HttpResponse:
    """Redirect to the page of all games, which has the shelf."""
    return redirect("rules:books")


@require_safe_or_post
@own_game
def edit(request: Request, game: BookDraft) -> HttpResponse:
    """Put the version of a game that was published last on the shelf, or take the game off."""
    state = newest_state(game)
    shared = SharedGame.objects.filter(draft=game).select_related("version").first()
    if request.method == "POST" and "off" in request.POST:
        if shared is not None:
            shared.delete()
            messages.success(request, _("The game is off the shelf."))
        return redirect("rules:share", game.pk)
    known = shared.licence if shared else (book_of(state.pk).licence or "") if state else ""
    form = ShelfForm(find_posted(request) if state else None, licence=known)
    if state is not None and form.is_valid():
        # The row exists since the game was published.
        rulebook = Rulebook.objects.get(pk=game.slug)
        licence = str(form.cleaned_data["licence"])
        try:
            store.share(rulebook, state.pk, licence, by=request.user, draft=game)
        except store.TooLargeToShare:
            form.add_error(None, _("This rulebook is too large for other sites."))
        except Stale:
            raise Http404 from None
        else:
            messages.success(request, _("The game is on the shelf."))
            return redirect("rules:share", game.pk)
    return show(
        request,
        game,
        "shelf",
        INVALID if form.is_bound else OK,
        form=form,
        state=state,
        shared=shared,
        is_current=shared is not None and state is not None and shared.version_id == state.pk,
        is_imported=game.imports.exists(),
    )
