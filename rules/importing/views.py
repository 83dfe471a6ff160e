"""The pages of an import: files, then questions with a preview, then the game with its notes."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import Request
from accounts.language import rules_language
from common import waiting
from common.errors import Refusal, Stale
from common.forms import CONFLICT, INVALID, OK, numbers, posted_version, require_safe_or_post
from rules import hooks
from rules.catalogues.examining import EXAMINED
from rules.editor.checking import Checked, check_text
from rules.editor.documents import title_of, write_game
from rules.editor.page import open_game
from rules.editor.page import show as show_document
from rules.editor.page_forms import StartForm
from rules.editor.trying import one_of_each
from rules.importing import store
from rules.importing.forms import AnswersForm, FilesForm
from rules.importing.refusals import describe, describe_error
from rules.importing.text import count_lines, group_notes
from rules.models import BookDraft, CatalogueImport

# Milliseconds between two looks of a page that waits for the job.
PAUSE = 1_000
# The checker's mistakes that the preview lists; more would not help.
MOST_MISTAKES = 20

type View = Callable[Concatenate[Request, CatalogueImport, ...], HttpResponse]


def own_import(view: View) -> Callable[..., HttpResponse]:
    """Make a view of one of the user's own imports; others get 404. Newer catalogues for a game are
    only for people who may edit it."""

    @wraps(view)
    def view_of_upload(request: Request, upload: uuid.UUID) -> HttpResponse:
        own = CatalogueImport.objects.owned_by(request.user).select_related("draft")
        # The page that waits asks every second, and needs neither the files nor the result.
        own = own.defer("files", "examined")
        return view(request, get_object_or_404(own, pk=upload))

    return view_of_upload


@require_safe_or_post
def start(request: Request) -> HttpResponse:
    """Upload the files of catalogues; list imports that are not finished."""
    posted = request.method == "POST"
    form = FilesForm(*((request.POST, request.FILES) if posted else ()))
    if form.is_valid():
        try:
            token = form.cleaned_data["token"]
            return redirect(store.start(request.user, form.contents, token=token))
        except Refusal as refused:
            form.add_error("catalogues", describe(refused))
    rows = CatalogueImport.objects.unfinished(request.user)
    context = {"form": form, "open": rows, "kept": store.KEPT.days}
    status = INVALID if form.is_bound else OK
    return render(request, "rules/importing/start.html", context, status=status)


@require_safe
@own_import
def show(request: Request, row: CatalogueImport) -> HttpResponse:
    """Show the questions with the preview, or that the files are being read.

    Newer catalogues of a game lead to the page that merges them; ``?answers`` shows the questions.
    """
    if row.taken_at is not None and row.draft is not None:
        return redirect(row.draft)
    now = waiting.state(row.version, row.state)
    if known := waiting.nothing_new(request, now):
        return known
    if row.draft is not None and row.state == store.State.READY and "answers" not in request.GET:
        return redirect("importing:merge", row.pk)
    return _show(request, row)


def _show(
    request: Request,
    row: CatalogueImport,
    status: int = OK,
    *,
    answers: AnswersForm | None = None,
    start: StartForm | None = None,
    error: str = "",
) -> HttpResponse:
    """Answer with the page of an import: ``answers`` and ``start`` are forms with mistakes."""
    context: dict[str, Any] = {"row": row, "error": error, "pause": PAUSE}
    context["game"] = title_of(row.draft) if row.draft is not None else ""
    if row.state == store.State.READING:
        context["state"] = waiting.state(row.version, row.state)
        return render(request, "rules/importing/reading.html", context, status=status)
    if row.state == store.State.FAILED:
        context["failure"] = describe_error(row.error)
    if not row.examined:
        return render(request, "rules/importing/failed.html", context, status=status)
    examined = EXAMINED.validate_json(row.examined)
    overview, imported = examined.overview, examined.imported
    name = {"name": overview.name[:80], "author": str(request.user)}
    context |= {
        "name": overview.name,
        "form": answers or AnswersForm(overview=overview, answers=examined.answers),
        "start": start or StartForm(initial=name),
        "counts": count_lines(imported.counts),
        "notes": group_notes(imported.notes),
        "note_count": len(imported.notes),
        **_preview(request, imported.data),
    }
    return render(request, "rules/importing/show.html", context, status=status)


def _preview(request: Request, data: dict[str, Any]) -> dict[str, object]:
    """Return the template's context with the cards of the ranks; or with the checker's mistakes,
    which the author can mend in the editor."""
    try:
        checked: Checked = check_text("", None, write_game(data))
    except Refusal as refused:
        return {"mistakes": [describe(refused)]}
    if checked.book is None:
        return {"mistakes": [wrong.message for wrong in checked.wrong[:MOST_MISTAKES]]}
    samples = one_of_each(checked.book)
    wanted = request.GET.get("sample", "")
    chosen = next((one for one in samples if one.key == wanted), samples[0])
    trial = hooks.gangs.try_out(checked.book, chosen, rules_language())
    return {"trial": trial, "samples": samples, "chosen": chosen.key}


@require_POST
@own_import
def answer(request: Request, row: CatalogueImport) -> HttpResponse:
    """Store the author's answers, and read the files with them."""
    if not row.examined or row.taken_at is not None:
        return redirect(row)
    examined = EXAMINED.validate_json(row.examined)
    form = AnswersForm(request.POST, overview=examined.overview, answers=examined.answers)
    if not form.is_valid():
        return _show(request, row, INVALID, answers=form)
    try:
        store.answer(row, form.answers, expected_version=posted_version(request.POST, "seen"))
    except Stale:
        return _show(request, row, CONFLICT, answers=form, error=_stale())
    except Refusal as refused:
        return _show(request, row, INVALID, answers=form, error=describe(refused))
    return redirect(row)


def _stale() -> str:
    return _("The answers were changed in another window. Check them, then try again.")


@require_POST
@own_import
def make(request: Request, row: CatalogueImport) -> HttpResponse:
    """Make the game that the preview shows, and open it in the editor."""
    if row.taken_at is not None and row.draft is not None:
        return redirect(row.draft)
    if row.draft is not None:
        return redirect("importing:merge", row.pk)
    form = StartForm(request.POST)
    if not form.is_valid():
        return _show(request, row, INVALID, start=form)
    try:
        game = store.make_game(
            row, **form.cleaned_data, expected_version=posted_version(request.POST, "seen")
        )
    except Stale:
        row = get_object_or_404(CatalogueImport, pk=row.pk)
        return _show(request, row, CONFLICT, start=form, error=_stale())
    except Refusal as refused:
        form.add_refusal(refused)
        return _show(request, row, INVALID, start=form)
    messages.success(request, _("The game is made. Only you see it until you publish it."))
    return redirect(game)


@require_POST
@own_import
def delete(request: Request, row: CatalogueImport) -> HttpResponse:
    """Delete an import that is not finished."""
    # Another tab may have made the game since.
    CatalogueImport.objects.filter(pk=row.pk, taken_at=None).delete()
    if row.draft is not None:
        return redirect("importing:newer", row.draft.pk)
    return redirect("importing:start")


@require_safe_or_post
@open_game
def notes(request: Request, game: BookDraft) -> HttpResponse:
    """List the notes of the game's import, and tick them off."""
    imports, status, error = CatalogueImport.objects.taken_by(game), OK, ""
    row = imports.first()
    if row is not None and request.method == "POST":
        try:
            if request.POST.get("import") != str(row.pk):
                # Its numbers are those of other notes.
                raise Stale
            store.tick(row, numbers(request.POST, "done"), shown=numbers(request.POST, "shown"))
        except Stale:
            status, error = CONFLICT, _("A newer catalogue has come in. These are its notes.")
            row = imports.first()
        else:
            messages.success(request, _("Saved."))
            return redirect("importing:notes", game.pk)
    if row is None:
        return redirect(game)
    found = group_notes(EXAMINED.validate_json(row.examined).imported.notes, row.done_notes)
    return show_document(
        request, game, "import_notes", status, groups=found, key=row.pk, error=error
    )
