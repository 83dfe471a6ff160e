"""What happened to a gang, in sentences; taking it back, and putting it back."""

from __future__ import annotations

import uuid
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.http import actor
from common import errors
from common.errors import Refusal
from common.forms import CONFLICT, INVALID, number, version_seen
from gangs.access import correctable_gang_or_404, own_gang_or_404
from gangs.builder import confirmations
from gangs.builder.responses import Outcome, answer, page_before, stale_sentence
from gangs.history.correction_views import Plan, carry_out, history_page, plan_to_strike
from gangs.history.preview import Wish
from gangs.ledger import writer
from gangs.ledger.revision import undone
from gangs.ledger.storage import read
from gangs.models import Gang, Strike
from gangs.text.formats import refusal_sentence


@login_not_required
@require_safe
def history(request: HttpRequest, gang: uuid.UUID) -> HttpResponse:
    """Everything that happened, newest first."""
    found, organiser = correctable_gang_or_404(request, gang)
    return history_page(request, found, organiser)


@login_not_required
@require_POST
def undo(request: HttpRequest, gang: uuid.UUID) -> HttpResponse:
    """Take back what was done last."""
    found = own_gang_or_404(request, gang)
    before = page_before(request, found)
    last = found.entries.live().latest("at", "seq")
    taken = [read(row) for row in writer.entries_of(found, last.batch)]
    try:
        if last.kind == "founded":
            raise Refusal("nothing_to_strike")
        writer.strike(
            found, last.batch, expected_version=version_seen(request), actor=actor(request)
        )
    except Refusal as refusal:
        outcome = Outcome(refusal_sentence(refusal), INVALID)
    except writer.Leftovers:
        return _strike(request, found, False, last.batch)
    except errors.Stale:
        found.refresh_from_db()
        outcome = Outcome(stale_sentence(), CONFLICT)
    else:
        outcome = Outcome(said=confirmations.taken_back(found.book, found.roster, taken))
    return answer(request, found, before, outcome, opened=number(request.POST.get("opened")))


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def strike(request: HttpRequest, gang: uuid.UUID, batch: uuid.UUID) -> HttpResponse:
    """Take back one thing that was done; what no longer fits is listed first."""
    found, organiser = correctable_gang_or_404(request, gang)
    if request.method != "POST":
        listed = [("strike", entry.seq) for entry in writer.entries_of(found, batch)]
        return redirect(f"{reverse('gangs:correct', args=[found.pk])}?{urlencode(listed)}")
    return _strike(request, found, organiser, batch)


def _strike(request: HttpRequest, gang: Gang, organiser: bool, batch: uuid.UUID) -> HttpResponse:
    seqs = [entry.seq for entry in writer.entries_of(gang, batch)]
    return carry_out(request, plan_to_strike(gang, organiser, seqs, quick=True))


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def restore(request: HttpRequest, gang: uuid.UUID, act: int) -> HttpResponse:
    """Take a correction back: what it struck stands again, what it added does not."""
    found, organiser = correctable_gang_or_404(request, gang)
    correction = get_object_or_404(Strike, pk=act, gang=found)
    try:
        back, brought = undone(found, correction)
    except Refusal as refusal:
        return history_page(request, found, organiser, refusal_sentence(refusal), INVALID)
    address = reverse("gangs:restore", args=[found.pk, act])
    plan = Plan(
        gang=found,
        organiser=organiser,
        wish=Wish(strike=tuple(brought), restore=tuple(back)),
        action=address,
        again=address,
        undoes=correction,
        quick=True,
    )
    return carry_out(request, plan)
