"""Who plays whom on a night: proposed with reasons, taken pair by pair."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from accounts.http import Request
from campaigns.access import playing
from campaigns.engine.pairing import Pairing, propose
from campaigns.models import Attendance, Game, Night, Side
from campaigns.nights import schedule
from campaigns.nights.views import night_or_404
from campaigns.planning import plans
from campaigns.planning.forms import PairsForm, ProposalForm
from campaigns.planning.pairing_text import why, why_rests
from campaigns.refusals import refusal_sentence
from common.errors import Refusal, Stale
from gangs.models import Gang


@dataclass(frozen=True)
class Proposed:
    """A pair on the page: the value that takes it, who plays, and why."""

    value: str
    title: str
    players: str
    why: str
    same_owner: bool
    ticked: bool


@require_http_methods(["GET", "HEAD", "POST"])
def pairings(request: Request, night: uuid.UUID) -> HttpResponse:
    """Propose pairs among those who come; nothing is planned until some are taken."""
    shown = night_or_404(request, night, organised=True)
    status, error = 200, ""
    if request.method == "POST":
        status = 422
        form = PairsForm(playing(shown.campaign), request.POST)
        if not form.is_valid():
            error = " ".join(str(words) for said in form.errors.values() for words in said)
        else:
            try:
                _take(request, shown, form)
                return redirect(shown)
            except Refusal as refusal:
                error = refusal_sentence(refusal)
            except Stale:
                status = 409
                error = _(
                    "Meanwhile one of these gangs has got another game for this night. Nothing was"
                    " planned: here is a proposal for those who are still free."
                )
    context = _proposal(request, shown) | {"error": error}
    return render(request, "campaigns/planning/pairings.html", context, status=status)


def _take(request: Request, night: Night, form: PairsForm) -> None:
    pairs = form.cleaned_data["pair"]
    plans.plan_pairs(night, pairs, actor=request.user, token=form.cleaned_data["token"])
    said = ngettext("%(count)s game is planned.", "%(count)s games are planned.", len(pairs))
    messages.success(request, said % {"count": len(pairs)})


def _proposal(request: Request, night: Night) -> dict[str, Any]:
    """What the page shows: the form with those who are free, and the pairs among the chosen."""
    campaign, book = night.campaign, night.campaign.book
    gangs = playing(campaign)
    guests = {guest.gang.pk: guest for guest in schedule.guests(night, gangs)}
    busy = set(
        Side.objects.filter(game__night=night, game__status=Game.Status.PLANNED).values_list(
            "gang_id", flat=True
        )
    )
    free = [gang for gang in gangs if gang.pk not in busy]
    form = ProposalForm(
        free,
        {key: guest.answer_name for key, guest in guests.items()},
        request.GET if request.GET else None,
        initial={
            "gangs": [
                str(gang.pk) for gang in free if guests[gang.pk].answer == Attendance.Answer.YES
            ],
            "by": "rating" if book.rating else "meetings",
            "odd": "rests",
        },
        has_rating=book.rating is not None,
    )
    if form.is_valid():
        chosen, by, odd = (form.cleaned_data[key] for key in ("gangs", "by", "odd"))
    else:
        chosen = [form.by_key[key] for key in form.initial["gangs"]]
        by, odd = form.initial["by"], form.initial["odd"]
    found = propose(schedule.candidates(night, chosen), schedule.meetings(campaign), by, odd)
    by_key = {str(gang.pk): gang for gang in gangs}
    ticked = request.POST.getlist("pair")
    resting = found.left_over
    return {
        "night": night,
        "campaign": campaign,
        "form": form,
        "pairs": [_proposed(pair, by_key, ticked, bool(book.rating)) for pair in found.pairs],
        "resting": by_key[resting.gang] if resting else None,
        "why_rests": why_rests(resting, alone=not found.pairs) if resting else "",
        "token": PairsForm([])["token"].value(),
        "busy": [gang for gang in gangs if gang.pk in busy],
        "open": night.cancelled_at is None and campaign.archived_at is None,
    }


def _proposed(
    pair: Pairing, gangs: Mapping[str, Gang], ticked: list[str], has_rating: bool
) -> Proposed:
    value = " ".join(pair.gangs)
    there = [gangs[key] for key in pair.gangs]
    return Proposed(
        value=value,
        title=" – ".join(gang.name for gang in there),
        players=", ".join(str(gang.owner) for gang in there if gang.owner),
        why=why(pair, has_rating=has_rating),
        same_owner=pair.same_owner,
        ticked=value in ticked if ticked else True,
    )
