"""Who plays whom on a night: proposed with reasons, taken pair by pair."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from accounts.http import Request
from campaigns.access import playing
from campaigns.club.nights import schedule
from campaigns.club.nights.views import night_or_404
from campaigns.club.planning import plans
from campaigns.club.planning.forms import PairsForm, ProposalForm
from campaigns.club.planning.pairing_text import why, why_rests
from campaigns.colours import colours_of
from campaigns.engine.pairing import Pairing, propose
from campaigns.models import Attendance, Game, Night, Side
from campaigns.refusals import attempt
from campaigns.text import gang_names
from gangs.models import Gang


@dataclass(frozen=True)
class ProposedPair:
    """A pair on the page, and why it is proposed."""

    pairing: Pairing
    gangs: Sequence[Gang]
    names: Sequence[str]
    why: str
    ticked: bool

    @property
    def value(self) -> str:
        """What the form says if they are to play."""
        return " ".join(self.pairing.gangs)

    @property
    def players(self) -> str:
        """Whose gangs they are."""
        return ", ".join(str(gang.owner) for gang in self.gangs if gang.owner)


@dataclass(frozen=True)
class ProposalPage:
    """What the page shows: the form with those who are free, the pairs among the chosen, who rests
    and why, and the gangs that are ``busy``."""

    form: ProposalForm
    pairs: Sequence[ProposedPair]
    resting: str
    why_rests: str
    busy: Sequence[str]


@require_http_methods(["GET", "HEAD", "POST"])
def pairings(request: Request, night_id: uuid.UUID) -> HttpResponse:
    """Propose pairs among those who come; nothing is planned until some are taken."""
    night = night_or_404(request, night_id, organised=True)
    status, error = 200, ""
    if request.method == "POST":
        error, status = _take(request, night)
        if not error:
            return redirect(night)
    context = {
        "night": night,
        "campaign": night.campaign,
        "colours": colours_of(night.campaign),
        "open": night.cancelled_at is None and night.campaign.archived_at is None,
        "token": PairsForm([])["token"].value(),
        "proposal": _proposal(request, night),
        "error": error,
    }
    return render(request, "campaigns/club/planning/pairings.html", context, status=status)


def _take(request: Request, night: Night) -> tuple[str, int]:
    """Schedule selected games: why not, and the answer's status, as ``attempt``."""
    form = PairsForm(playing(night.campaign), request.POST)
    if not form.is_valid():
        return " ".join(str(error) for errors in form.errors.values() for error in errors), 422
    pairs, token = form.cleaned_data["pair"], form.cleaned_data["token"]
    stale = _(
        "One of these gangs now has another game that night. Nothing was scheduled: here is a "
        "proposal for those still free."
    )
    error, status = attempt(stale, plans.plan_pairs, night, pairs, actor=request.user, token=token)
    if not error:
        done = ngettext("%(count)s game scheduled.", "%(count)s games scheduled.", len(pairs))
        messages.success(request, done % {"count": len(pairs)})
    return error, status


def _proposal(request: Request, night: Night) -> ProposalPage:
    campaign, book = night.campaign, night.campaign.book
    gangs = playing(campaign)
    planned = Side.objects.filter(game__night=night, game__status=Game.Status.PLANNED)
    busy = set(planned.values_list("gang_id", flat=True))
    guests = [guest for guest in schedule.guests(night, gangs) if not guest.left]
    free = [guest for guest in guests if guest.gang.pk not in busy]
    coming = [guest.gang for guest in free if guest.answer == Attendance.Answer.YES]
    form = ProposalForm(
        free,
        request.GET if request.GET else None,
        initial={
            "gangs": [str(gang.pk) for gang in coming],
            "by": "rating" if book.rating else "meetings",
            "odd": "rests",
        },
        has_rating=book.rating is not None,
    )
    asked = form.cleaned_data if form.is_valid() else {**form.initial, "gangs": coming}
    candidates = schedule.candidates(night, asked["gangs"])
    proposal = propose(candidates, schedule.meetings(campaign), asked["by"], asked["odd"])
    by_key, names = {str(gang.pk): gang for gang in gangs}, gang_names(gangs)
    ticked = request.POST.getlist("pair")
    resting = proposal.left_over
    return ProposalPage(
        form=form,
        pairs=[
            ProposedPair(
                pairing=pair,
                gangs=[by_key[key] for key in pair.gangs],
                names=[names[by_key[key].pk] for key in pair.gangs],
                why=why(pair, has_rating=book.rating is not None),
                ticked=not ticked or " ".join(pair.gangs) in ticked,
            )
            for pair in proposal.pairs
        ],
        resting=names[by_key[resting.gang].pk] if resting else "",
        why_rests=why_rests(resting, alone=not proposal.pairs) if resting else "",
        busy=[names[gang.pk] for gang in gangs if gang.pk in busy],
    )
