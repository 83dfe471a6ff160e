"""What happened to a gang, in sentences; taking it back, and putting it back."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.http import actor
from gangs import ledger
from gangs.access import own_gang_or_404
from gangs.chronicle import misfit_sentences, told
from gangs.desk import CONFLICT, INVALID, answer, stale_sentence
from gangs.drawn import page_of
from gangs.fold import Misfit
from gangs.forms import version_seen
from gangs.models import Gang, Strike
from gangs.refusal import Refusal
from gangs.wording import MISFITS, refusal_sentence


@login_not_required
@require_safe
def history(request: HttpRequest, gang: uuid.UUID) -> HttpResponse:
    """Everything that happened, newest first."""
    return _page(request, own_gang_or_404(request, gang))


def _page(request: HttpRequest, gang: Gang, error: str = "", status: int = 200) -> HttpResponse:
    context = {
        "gang": gang,
        "base": gang.get_absolute_url(),
        "batches": told(gang),
        "error": error,
    }
    return render(request, "gangs/history.html", context, status=status)


@login_not_required
@require_POST
def undo(request: HttpRequest, gang: uuid.UUID) -> HttpResponse:
    """Take back what was done last."""
    found = own_gang_or_404(request, gang)
    before = page_of(found)
    last = found.entries.live().latest("at", "seq")
    error, status = "", 200
    try:
        if last.kind == "founded":
            raise Refusal("nothing_to_strike")
        ledger.strike(found, last.batch, seen=version_seen(request), actor=actor(request))
    except Refusal as refusal:
        error, status = refusal_sentence(refusal), INVALID
    except ledger.Leftovers as leftovers:
        return _leftovers(request, found, last.batch, leftovers)
    except ledger.Stale:
        found.refresh_from_db()
        error, status = stale_sentence(), CONFLICT
    return answer(request, found, before, error=error, status=status)


def _leftovers(
    request: HttpRequest, gang: Gang, batch: uuid.UUID, leftovers: ledger.Leftovers
) -> HttpResponse:
    """What would no longer fit, and the question whether to take it back, too."""
    context = {
        "gang": gang,
        "base": gang.get_absolute_url(),
        "batch": batch,
        "misfits": misfit_sentences(gang, leftovers.misfits),
    }
    return render(request, "gangs/strike.html", context)


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def strike(request: HttpRequest, gang: uuid.UUID, batch: uuid.UUID) -> HttpResponse:
    """Take back one thing that was done; what no longer fits is listed first."""
    found = own_gang_or_404(request, gang)
    if request.method != "POST":
        return redirect("gangs:history", found.pk)
    try:
        ledger.strike(
            found,
            batch,
            seen=version_seen(request),
            actor=actor(request),
            with_misfits="with_misfits" in request.POST,
        )
    except ledger.Leftovers as leftovers:
        return _leftovers(request, found, batch, leftovers)
    except Refusal as refusal:
        return _page(request, found, refusal_sentence(refusal), INVALID)
    except ledger.Stale:
        found.refresh_from_db()
        return _page(request, found, stale_sentence(), CONFLICT)
    messages.success(request, _("Taken back. It can be put back from here."))
    return redirect("gangs:history", found.pk)


@login_not_required
@require_POST
def restore(request: HttpRequest, gang: uuid.UUID, act: int) -> HttpResponse:
    """Put back what was taken back."""
    found = own_gang_or_404(request, gang)
    struck = get_object_or_404(Strike, pk=act, gang=found)
    try:
        ledger.restore(found, struck, seen=version_seen(request), actor=actor(request))
    except Misfit as misfit:
        sentence = _("This no longer fits: %(why)s.") % {"why": MISFITS[misfit.code]}
        return _page(request, found, sentence, INVALID)
    except ledger.Leftovers:
        refusal = Refusal("corrected_since")
        return _page(request, found, refusal_sentence(refusal), INVALID)
    except Refusal as refusal:
        return _page(request, found, refusal_sentence(refusal), INVALID)
    except ledger.Stale:
        found.refresh_from_db()
        return _page(request, found, stale_sentence(), CONFLICT)
    messages.success(request, _("It stands again."))
    return redirect("gangs:history", found.pk)
