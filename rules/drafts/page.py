"""Shared by the pages of drafts: finding the draft, storing a change, the checker's list."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate

from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext_lazy

from accounts.http import Request
from common.errors import Refusal, Stale
from common.forms import CONFLICT, INVALID, OK, posted_version
from rules.drafts import store
from rules.drafts.data import name_of
from rules.drafts.refusals import describe
from rules.drafts.text import findings
from rules.editor.text import text_of
from rules.models import BookDraft

STALE = gettext_lazy(
    "This game was changed in another window, or by another person. Nothing you did is lost: "
    "check the latest version, then try again."
)

type View = Callable[Concatenate[Request, BookDraft, ...], HttpResponse]


def open_draft(view: View) -> Callable[..., HttpResponse]:
    """Make a view of a draft that the user may edit; others get 404."""
    return _view_of(view, owner_only=False)


def own_draft(view: View) -> Callable[..., HttpResponse]:
    """Make a view of a draft that the user owns; others get 404."""
    return _view_of(view, owner_only=True)


def _view_of(view: View, *, owner_only: bool) -> Callable[..., HttpResponse]:
    @wraps(view)
    def view_of_key(request: Request, draft: uuid.UUID, **place: str) -> HttpResponse:
        drafts = BookDraft.objects
        query = drafts.owned_by(request.user) if owner_only else drafts.open_to(request.user)
        return view(request, get_object_or_404(query, pk=draft), **place)

    return view_of_key


def find_posted(request: Request) -> QueryDict | None:
    """Return the posted form; None for a request that only reads."""
    return request.POST if request.method == "POST" else None


def version_seen(request: Request) -> int:
    """Return the version of the draft that the page shows; -1 (never valid) without one."""
    return posted_version(request.POST, "seen")


def attempt(draft: BookDraft, act: Callable[[], object]) -> tuple[int, str]:
    """Change a draft; return (OK, ""), or the status and the words of a refusal."""
    try:
        act()
    except Refusal as refused:
        return INVALID, describe(refused)
    except Stale:
        draft.refresh_from_db()
        return CONFLICT, str(STALE)
    return OK, ""


def show(
    request: Request, draft: BookDraft, template: str, status: int = OK, /, **context: Any
) -> HttpResponse:
    """Answer with a page of the draft, with the checker's list beside it."""
    checked = store.check(draft)
    context |= {
        "draft": draft,
        "name": text_of(name_of(checked.written.data)),
        "is_owner": draft.owner_id == request.user.pk,
        **findings(draft, checked),
    }
    return render(request, f"rules/drafts/{template}.html", context, status=status)
