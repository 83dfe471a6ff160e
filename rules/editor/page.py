"""Shared by the pages of variants: finding one's own variant, its mistakes, storing a change."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import wraps
from typing import Concatenate

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from pydantic import ValidationError

from accounts.http import Request
from common.errors import Refusal, Stale
from common.forms import CONFLICT, INVALID, OK, posted_version
from rules.editor import store
from rules.editor.files import BadVariant
from rules.editor.overlay import Overlay, OverlayOutcome, Wrong
from rules.editor.places import SINGLES, Written, rows_of
from rules.editor.refusals import describe
from rules.editor.text import misfit_text, wrong_text
from rules.models import Variant


def own_variant(
    view: Callable[Concatenate[Request, Variant, ...], HttpResponse],
) -> Callable[..., HttpResponse]:
    """Make a view of one of the user's own variants; others get 404."""

    @wraps(view)
    def view_of_key(request: Request, variant: uuid.UUID, **place: str | int) -> HttpResponse:
        own = Variant.objects.owned_by(request.user).select_related("base")
        found = get_object_or_404(own.defer("base__canonical"), pk=variant)
        return view(request, found, **place)

    return view_of_key


def find_posted(request: Request) -> QueryDict | None:
    """Return the posted form; None for a request that only reads."""
    return request.POST if request.method == "POST" else None


def version_seen(request: Request) -> int:
    """Return the version of the draft that the page shows; -1 (never valid) without one."""
    return posted_version(request.POST, "seen")


def attempt(variant: Variant, act: Callable[[], object]) -> tuple[int, str]:
    """Change a variant; return (OK, ""), or the status and the words of a refusal."""
    try:
        act()
    except Refusal as refused:
        variant.refresh_from_db()
        return INVALID, describe(refused)
    except Stale:
        variant.refresh_from_db()
        sentence = _(
            "This variant was changed in another window. Nothing you did is lost: check the "
            "latest version, then try again."
        )
        return CONFLICT, sentence
    return OK, ""


def change(
    request: Request, variant: Variant, make: Callable[[Overlay], Overlay], target: str
) -> HttpResponse:
    """Store a change made with one click, and redirect to ``target``."""
    _status, error = keep(request, variant, make)
    if error:
        messages.error(request, error)
    return redirect(target)


def keep(
    request: Request,
    variant: Variant,
    make: Callable[[Overlay], Overlay],
    complained: Callable[[OverlayOutcome], bool] = lambda outcome: False,
) -> tuple[int, str]:
    """Store the change of a form; return (OK, ""), or the status and the words of a refusal.

    ``complained`` gets the checker's result, and returns whether the form has caused a mistake.
    """
    overlay = store.overlay_of(variant)
    try:
        changed = make(overlay)
    except ValidationError:
        return INVALID, describe(BadVariant("too_many"))
    if changed == overlay:
        return OK, ""
    outcome = store.outcome_of(variant, changed)
    if outcome.too_large:
        return INVALID, describe(BadVariant("too_large"))
    if complained(outcome):
        return INVALID, ""
    version = version_seen(request)
    status, error = attempt(variant, lambda: store.save(variant, changed, expected_version=version))
    count = len(outcome.wrong) + len(outcome.misfits)
    if status == OK and count:
        sentence = ngettext(
            "Saved. Before publishing, fix %(count)s mistake.",
            "Saved. Before publishing, fix %(count)s mistakes.",
            count,
        )
        messages.warning(request, sentence % {"count": count})
    return status, error


def mistakes(variant: Variant, outcome: OverlayOutcome) -> dict[str, object]:
    """The template's context with the mistakes to fix before publishing, and their pages."""
    written = outcome.written
    wrong = [(wrong_text(written, bad), _where(variant, written, bad)) for bad in outcome.wrong]
    misfits = [(misfit.change, misfit_text(written, misfit)) for misfit in outcome.misfits]
    return {"wrong": wrong, "misfits": misfits}


def _where(variant: Variant, written: Written, wrong: Wrong) -> str:
    """Return the address of the page that can fix a mistake; "" if there is none."""
    if wrong.table in SINGLES:
        return reverse("variants:single", args=[variant.pk, wrong.table])
    inner = rows_of(wrong.row)
    table = inner if wrong.table == "tables" and inner in written.tables else wrong.table
    if table not in written.tables:
        return ""
    if wrong.row and table == wrong.table:
        return reverse("variants:row", args=[variant.pk, table, wrong.row])
    return reverse("variants:table", args=[variant.pk, table])
