"""Shared by the pages of the editor: finding the document, storing a change, the checker's list."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate

from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.http import Request
from accounts.models import User
from common.errors import Refusal, Stale
from common.forms import CONFLICT, INVALID, OK, posted_version
from rules.editor import store
from rules.editor.checking import Checked
from rules.editor.data import Basics
from rules.editor.documents import (
    Document,
    Refused,
    base_of,
    check,
    read,
    title_of,
    version_of,
    write,
)
from rules.editor.overlay import Wrong
from rules.editor.places import SINGLES, Written, rows_of
from rules.editor.refusals import describe
from rules.editor.text import misfit_text, wrong_text
from rules.models import BookDraft, Variant

type View[D: Document] = Callable[Concatenate[Request, D, ...], HttpResponse]


def open_document(view: View[Document]) -> Callable[..., HttpResponse]:
    """Make a view of a document that the user may edit; others get 404."""
    return _view_of(view, (Variant, BookDraft), owner_only=False)


def own_document(view: View[Document]) -> Callable[..., HttpResponse]:
    """Make a view of a document that the user owns; others get 404."""
    return _view_of(view, (Variant, BookDraft), owner_only=True)


def own_variant(view: View[Variant]) -> Callable[..., HttpResponse]:
    """Make a view of one of the user's own variants; others get 404."""
    return _view_of(view, (Variant,), owner_only=True)


def open_game(view: View[BookDraft]) -> Callable[..., HttpResponse]:
    """Make a view of a game that the user may edit; others get 404."""
    return _view_of(view, (BookDraft,), owner_only=False)


def own_game(view: View[BookDraft]) -> Callable[..., HttpResponse]:
    """Make a view of a game that the user owns; others get 404."""
    return _view_of(view, (BookDraft,), owner_only=True)


def _view_of(
    view: Callable[..., HttpResponse], kinds: tuple[type[Document], ...], *, owner_only: bool
) -> Callable[..., HttpResponse]:
    @wraps(view)
    def view_of_key(request: Request, document: uuid.UUID, **place: str | int) -> HttpResponse:
        found = _find(request.user, document)
        if not isinstance(found, kinds) or (owner_only and found.owner_id != request.user.pk):
            raise Http404
        return view(request, found, **place)

    return view_of_key


def _find(user: User, key: uuid.UUID) -> Document | None:
    """Return the document that the user may edit; None if there is none. At most two queries."""
    own = Variant.objects.owned_by(user).select_related("base").defer("base__canonical")
    return own.filter(pk=key).first() or BookDraft.objects.open_to(user).filter(pk=key).first()


def find_posted(request: Request) -> QueryDict | None:
    """Return the posted form; None for a request that only reads."""
    return request.POST if request.method == "POST" else None


def version_seen(request: Request) -> int:
    """Return the version of the document that the page shows; -1 (never valid) without one."""
    return posted_version(request.POST, "seen")


def attempt(document: Document, act: Callable[[], object]) -> tuple[int, str]:
    """Change a document; return (OK, ""), or the status and the words of a refusal."""
    try:
        act()
    except Refusal as refused:
        document.refresh_from_db()
        return INVALID, describe(refused)
    except Stale:
        document.refresh_from_db()
        sentence = _(
            "This rulebook was changed in another window, or by another person. Nothing you did is "
            "lost: check the latest version, then try again."
        )
        return CONFLICT, sentence
    return OK, ""


def change(
    request: Request,
    document: Document,
    edit: Callable[[Written], bool],
    target: str,
    *,
    dropped: tuple[str, str] | None = None,
) -> HttpResponse:
    """Store a change made with one click, and redirect to ``target``. ``dropped``: as for
    ``documents.write``."""
    _status, error = keep(request, document, edit, dropped=dropped)
    if error:
        messages.error(request, error)
    return redirect(target)


def keep(
    request: Request,
    document: Document,
    edit: Callable[[Written], bool],
    complains: Callable[[Checked], bool] = lambda checked: False,
    *,
    dropped: tuple[str, str] | None = None,
) -> tuple[int, str]:
    """Store a change; return (OK, ""), or the status and the words of a refusal.

    ``edit`` returns whether it changes anything. ``complains`` gets the checker's answer, and
    returns whether the form shows a mistake, so that nothing is stored.
    """
    written = read(document)
    if not edit(written) and dropped is None:
        return OK, ""
    try:
        text = write(document, written, dropped=dropped)
    except Refusal as refused:
        return INVALID, describe(refused)
    checked = check(document, text)
    if checked.too_large and not check(document).too_large:
        return INVALID, describe(Refused("too_large"))
    if complains(checked):
        return INVALID, ""
    seen = version_seen(request)
    return attempt(document, lambda: store.save(document, text, expected_version=seen))


def show(
    request: Request,
    document: Document,
    template: str,
    status: int = OK,
    /,
    checked: Checked | None = None,
    part: str = "",
    **context: Any,
) -> HttpResponse:
    """Answer with a page of the document, with the checker's list beside it; or with a ``part`` of
    its template, such as "#fights". ``checked``: the checker's answer, if the view has it."""
    context |= {
        "document": document,
        "seen": version_of(document),
        "name": title_of(document),
        "base": base_of(document),
        "is_owner": document.owner_id == request.user.pk,
        **_list_steps(document),
        **_list_findings(document, checked or check(document)),
    }
    return render(request, f"rules/editor/{template}.html{part}", context, status=status)


def _list_steps(document: Document) -> dict[str, object]:
    """Return the template's context for undo and redo. One query."""
    kinds = set(document.past.values_list("is_undone", flat=True).distinct().order_by())
    return {"may_undo": False in kinds, "may_redo": True in kinds}


@dataclass(frozen=True)
class Finding:
    """An entry of the checker's list. ``where``: the address of its field; "" if there is none."""

    words: str
    where: str


def _list_findings(document: Document, checked: Checked) -> dict[str, object]:
    """Return the template's context with the checker's list."""
    written = checked.written

    def describe_all(found: tuple[Wrong, ...]) -> list[Finding]:
        return [
            Finding(wrong_text(written, one), find_address(document, written, one)) for one in found
        ]

    return {
        "wrong": describe_all(checked.wrong),
        "notes": describe_all(checked.notes),
        "misfits": [(one.change, misfit_text(written, one)) for one in checked.misfits],
    }


def find_address(document: Document, written: Written, wrong: Wrong) -> str:
    """Return the address of the field that can fix a mistake; "" if there is none."""
    table, row = wrong.table, wrong.row
    field = wrong.field[0] if wrong.field else ""
    anchor = f"#field-{field}" if field else ""
    inner = rows_of(row)
    if table in SINGLES:
        return reverse("editor:single", args=[document.pk, table]) + anchor
    if table == "tables" and inner in written.tables and field in ("", "rows"):
        return reverse("editor:table", args=[document.pk, inner])
    if table in written.tables:
        if row:
            return reverse("editor:row", args=[document.pk, table, row]) + anchor
        return reverse("editor:table", args=[document.pk, table])
    if isinstance(document, BookDraft):
        if field in Basics.model_fields:
            return reverse("editor:names", args=[document.pk]) + anchor
        if field in ("look", "languages"):
            return reverse(f"editor:{field}", args=[document.pk])
    return ""
