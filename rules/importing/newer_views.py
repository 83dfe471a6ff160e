"""The pages of a newer catalogue for a game: its files, and what to take of it."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _

from accounts.http import Request
from common.errors import Refusal, Stale
from common.forms import INVALID, OK, posted_version, require_safe_or_post
from rules.editor.data import assemble
from rules.editor.documents import Refused, check, write_game
from rules.editor.merging import Conflict, Takes
from rules.editor.page import attempt, open_game, version_seen
from rules.editor.page import show as show_document
from rules.editor.text import group_differences
from rules.importing import store
from rules.importing.comparing import Compared, compare
from rules.importing.forms import FilesForm
from rules.importing.newer_text import group_questions
from rules.importing.refusals import describe
from rules.models import BookDraft, CatalogueImport

# Questions on the page; one answer decides the others.
MOST_ASKED = 300
# Lines of each list of changes.
MOST_LISTED = 200
MINE, THEIRS = "mine", "theirs"

type View = Callable[Concatenate[Request, CatalogueImport, BookDraft, ...], HttpResponse]


def open_newer(view: View) -> Callable[..., HttpResponse]:
    """Make a view of an import for a game that the user may edit; others get 404."""

    @wraps(view)
    def view_of_upload(request: Request, upload: uuid.UUID) -> HttpResponse:
        rows = CatalogueImport.objects.open_to(request.user).select_related("draft")
        row = get_object_or_404(rows.defer("files"), pk=upload)
        assert row.draft is not None
        return view(request, row, row.draft)

    return view_of_upload


@require_safe_or_post
@open_game
def newer(request: Request, game: BookDraft) -> HttpResponse:
    """Upload newer catalogues for a game that was made from catalogues."""
    if not CatalogueImport.objects.taken_by(game).exists():
        return redirect(game)
    posted = request.method == "POST"
    form = FilesForm(*((request.POST, request.FILES) if posted else ()))
    if form.is_valid():
        try:
            token = form.cleaned_data["token"]
            return redirect(store.start(request.user, form.contents, token=token, draft=game))
        except Refusal as refused:
            form.add_error("catalogues", describe(refused))
    rows = CatalogueImport.objects.newer_for(game)
    status = INVALID if form.is_bound else OK
    return show_document(request, game, "newer_files", status, form=form, open=rows)


@require_safe_or_post
@open_newer
def merge(request: Request, row: CatalogueImport, game: BookDraft) -> HttpResponse:
    """Show what a newer import changes, ask about conflicts, and take it."""
    if row.taken_at is not None:
        return redirect(game)
    if row.state != store.State.READY:
        return redirect(row if row.owner_id == request.user.pk else game)
    status, error = OK, ""
    if request.method == "POST":
        status, error = attempt(game, lambda: _take(request, row, game))
        if status == OK:
            words = _("The newer catalogue is in the game. Undo takes it back.")
            messages.success(request, words)
            return redirect(game)
        row.refresh_from_db()
        if row.taken_at is not None:
            # The same form arrived twice, or another editor was faster.
            return redirect(game)
    compared = compare(row, game)
    if compared is None or row.state != store.State.READY:
        return redirect(game)
    return _show(request, row, game, compared, status, error)


def _take(request: Request, row: CatalogueImport, game: BookDraft) -> None:
    """Store the game with the answers of the page. Raises Stale, Busy or Refused."""
    read, seen = posted_version(request.POST, "read"), version_seen(request)
    if (row.version, game.version) != (read, seen):
        raise Stale
    compared = compare(row, game, _answers(request))
    if compared is None:
        raise Stale
    data = {**assemble(compared.merged.written), "slug": game.slug}
    if check(game, write_game(data)).too_large and not check(game).too_large:
        raise Refused("too_large")
    store.take(row, game, data, compared, expected_version=read, seen=seen)


def _answers(request: Request) -> Takes:
    """Return the decisions of the posted page. Conflicts without an answer keep the author's."""
    given = request.POST
    others = given.get("others", MINE)

    def takes_theirs(conflict: Conflict) -> bool:
        return given.get(f"at/{conflict.name}", others) == THEIRS

    return takes_theirs


def _show(
    request: Request,
    row: CatalogueImport,
    game: BookDraft,
    compared: Compared,
    status: int,
    error: str,
) -> HttpResponse:
    """Answer with the page; answers that were posted, or ``?all=theirs``, are chosen."""
    merged = compared.merged
    others = request.POST.get("others") or request.GET.get("all", MINE)
    answers = {
        name.removeprefix("at/"): value
        for name, value in request.POST.items()
        if name.startswith("at/")
    }
    asked = merged.conflicts[:MOST_ASKED]
    context: dict[str, Any] = {
        "row": row,
        "error": error,
        "is_mine": row.owner_id == request.user.pk,
        "groups": group_questions(merged.written, asked),
        "asked": len(merged.conflicts),
        "more_asked": len(merged.conflicts) - len(asked),
        "theirs": {one.name for one in asked if answers.get(one.name, others) == THEIRS},
        "others": others,
        "taken": group_differences(merged.written, merged.taken[:MOST_LISTED]),
        "taken_count": len(merged.taken),
        "own": group_differences(merged.written, merged.own[:MOST_LISTED]),
        "own_count": len(merged.own),
        "most": MOST_LISTED,
    }
    return show_document(request, game, "newer", status, **context)
