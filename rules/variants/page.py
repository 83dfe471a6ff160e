"""What the pages of variants share: whose it is, what was seen, and storing a change."""

from __future__ import annotations

import uuid
from collections.abc import Callable

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from pydantic import ValidationError

from accounts.http import Request
from rules.book import Book
from rules.library import book_of
from rules.models import Variant
from rules.variants import store
from rules.variants.files import BadVariant
from rules.variants.overlay import Outcome, Overlay
from rules.variants.store import Stale
from rules.variants.words import BAD_VARIANTS

INVALID = 422
STALE = 409


def own_variant_or_404(request: Request, variant: uuid.UUID) -> Variant:
    """The variant, if it is the user's own; for everybody else there is none."""
    own = Variant.objects.owned_by(request.user).select_related("base")
    return get_object_or_404(own.defer("base__canonical"), pk=variant)


def base_of(variant: Variant) -> Book:
    """The rulebook that it changes."""
    return book_of(variant.base_id)


def seen(request: Request) -> int:
    """The state of the draft that the page was drawn from; -1 (never right) if it says none."""
    text = request.POST.get("seen", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1


def stale_words() -> str:
    """What somebody is told who was not the first."""
    return _(
        "This variant was changed in another window in the meantime. Nothing of yours is lost:"
        " look at what is here now, then try again."
    )


def change(
    request: Request, variant: Variant, make: Callable[[Overlay], Overlay], target: str
) -> HttpResponse:
    """Store what one click changes, and go on to ``target``."""
    overlay = store.overlay_of(variant)
    try:
        changed = made(make, overlay)
        if changed != overlay:
            store.save(variant, changed, seen=seen(request))
            warn(request, store.outcome_of(variant))
    except Stale:
        messages.error(request, stale_words())
    except BadVariant as bad:
        messages.error(request, str(BAD_VARIANTS[bad.code]) % {"detail": bad.detail})
    return redirect(target)


def keep(
    request: Request,
    variant: Variant,
    make: Callable[[Overlay], Overlay],
    complained: Callable[[Outcome], bool],
) -> tuple[int, str]:
    """Store what a form asks for: (200, ""), or the status and what is said instead.

    ``complained`` gets what the checker says, and tells whether any of it is the form's own fault.
    """
    overlay = store.overlay_of(variant)
    try:
        changed = made(make, overlay)
        if changed == overlay:
            return 200, ""
        outcome = store.outcome_of(variant, changed)
        if complained(outcome):
            return INVALID, ""
        store.save(variant, changed, seen=seen(request))
    except BadVariant as bad:
        return INVALID, str(BAD_VARIANTS[bad.code]) % {"detail": bad.detail}
    except Stale:
        variant.refresh_from_db()
        return STALE, stale_words()
    warn(request, outcome)
    return 200, ""


def made(make: Callable[[Overlay], Overlay], overlay: Overlay) -> Overlay:
    """What ``make`` makes of ``overlay``. Raises BadVariant if there is no room for it."""
    try:
        return make(overlay)
    except ValidationError:
        raise BadVariant("too_many") from None


def warn(request: Request, outcome: Outcome) -> None:
    """Tell that the draft cannot be published as it is."""
    count = len(outcome.wrong) + len(outcome.misfits)
    if count:
        words = ngettext(
            "Saved. Before it is published, %(count)s thing has to be put right.",
            "Saved. Before it is published, %(count)s things have to be put right.",
            count,
        )
        messages.warning(request, words % {"count": count})
