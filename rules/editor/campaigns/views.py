"""The page on which a game without a campaign takes that of another, or one that we ship."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.http import Request
from accounts.models import User
from common.forms import INVALID, OK, require_safe_or_post
from common.wording.sentences import Packed, pack, unpack
from rules.book.model import Book
from rules.editor import store
from rules.editor.campaigns.forms import MatchForm
from rules.editor.data import start_from, take_apart_data
from rules.editor.documents import Refused, check, data_of, write_game
from rules.editor.languages import text_of
from rules.editor.overlay import Wrong
from rules.editor.page import (
    Finding,
    attempt,
    find_address,
    find_posted,
    open_game,
    show,
    version_seen,
)
from rules.editor.places import Data
from rules.editor.refusals import complaint, describe
from rules.library import book_of, newest_books
from rules.models import BookDraft, BookVersion
from rules.skeletons.grafting import (
    Grafted,
    Ungraftable,
    find_needs,
    graft,
    guess_matches,
    has_campaign,
)
from rules.skeletons.shipped import find_skeletons

# The key of a session under which the notes on the last campaign that was taken are.
NOTES = "campaign_notes"
# A list of more is no help.
MOST_NOTES = 100


@dataclass(frozen=True)
class Donor:
    """A rulebook whose campaign a game can take. ``key``: that of one that we ship, or the digest
    of a version."""

    key: str
    name: str
    text: str
    is_shipped: bool = False


def list_books(user: User) -> list[tuple[BookVersion, Book]]:
    """List the newest versions of the games whose data the user may copy. Two queries."""
    return [*newest_books(), *store.find_offered(user)]


def list_donors(books: Iterable[tuple[BookVersion, Book]], but: str = "") -> list[Donor]:
    """List the campaigns that we ship, and those of ``books`` except the game with the slug
    ``but``."""
    shipped = [
        Donor(one.key, text_of(one.name), text_of(one.summary), is_shipped=True)
        for one in find_skeletons().values()
    ]
    others = {version.pk: book for version, book in books if book.slug != but}
    return shipped + [
        Donor(key, text_of(book.title.root), text_of(book.campaign.text.root))
        for key, book in others.items()
    ]


def _read_donor(donor: Donor) -> Data:
    if donor.is_shipped:
        return find_skeletons()[donor.key].data
    return start_from(book_of(donor.key))


@require_safe_or_post
@open_game
def campaign(request: Request, game: BookDraft) -> HttpResponse:
    """Choose a campaign for a game that has none; match the game with it; take it."""
    donors = list_donors(list_books(request.user), game.slug)
    given = request.POST if request.method == "POST" else request.GET
    wanted = given.get("from", "")
    donor = next((one for one in donors if one.key == wanted), None)
    if wanted and donor is None:
        raise Http404
    data, status = data_of(game), INVALID if request.method == "POST" else OK
    if has_campaign(data):
        left_out = _kept_notes(request, game, data)
        return show(request, game, "campaign", status, has_campaign=True, left_out=left_out)
    if donor is None:
        return show(request, game, "campaign", status, donors=donors)
    return _match(request, game, data, donor)


def _match(request: Request, game: BookDraft, data: Data, donor: Donor) -> HttpResponse:
    """Show the form with its answers, and what they leave out; take the campaign if it is asked
    for."""
    theirs = _read_donor(donor)
    guessed, posted = guess_matches(data, theirs), find_posted(request)
    form = MatchForm(posted, game=data, donor=theirs, needs=find_needs(theirs), guessed=guessed)
    status, error = INVALID if posted is not None else OK, ""
    grafted: Grafted | None = None
    if posted is None or form.is_valid():
        try:
            grafted = graft(data, theirs, form.find_matches() if form.is_bound else guessed)
        except Ungraftable as refused:
            error = describe(refused)
    if posted is not None and grafted is not None:
        status, error = _take(request, game, grafted) if "take" in posted else (OK, "")
        if "take" in posted and status == OK:
            return redirect("editor:campaign", game.pk) if grafted.notes else redirect(game)
    notes = grafted.notes if grafted is not None else ()
    context: dict[str, Any] = {
        "donor": donor,
        "form": form,
        "fits": grafted is not None,
        "left_out": [complaint(note.words) for note in notes[:MOST_NOTES]],
        "more": max(0, len(notes) - MOST_NOTES),
    }
    return show(request, game, "campaign_match", status, error=error, **context)


def _take(request: Request, game: BookDraft, grafted: Grafted) -> tuple[int, str]:
    """Store the game with its campaign; return (OK, ""), or the status and words of a refusal."""

    def act() -> None:
        text = write_game({**grafted.data, "slug": game.slug})
        if check(game, text).too_large and not check(game).too_large:
            raise Refused("too_large")
        store.save(game, text, expected_version=version_seen(request))

    status, error = attempt(game, act)
    if status == OK:
        count = len(grafted.notes)
        sentence = _("The game has its campaign. Change every row as you like.")
        if count:
            sentence = ngettext(
                "The game has its campaign. %(count)s part did not come over.",
                "The game has its campaign. %(count)s parts did not come over.",
                count,
            ) % {"count": count}
        messages.success(request, sentence)
        kept = [[one.table, one.row, pack(one.words)] for one in grafted.notes[:MOST_NOTES]]
        request.session[NOTES] = {str(game.pk): kept}
    return status, error


def _kept_notes(request: HttpRequest, game: BookDraft, data: Data) -> list[Finding]:
    """Return the notes on the campaign that the game took during this session."""
    written = take_apart_data(data)
    kept: list[tuple[str, str, Packed]] = request.session.get(NOTES, {}).get(str(game.pk), [])
    found = []
    for table, row, packed in kept:
        sentence = unpack(packed)
        words = complaint(sentence if isinstance(sentence, str) else sentence.first)
        is_there = table in written.singles or row in written.tables.get(table, {})
        where = find_address(game, written, Wrong(table, row if is_there else "", (), ""))
        found.append(Finding(words, where))
    return found
