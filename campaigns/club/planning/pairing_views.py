"""The page that proposes the pairs of a night, with reasons; the organiser takes some of them."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.formats import number_format
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.dates import date_format
from accounts.http import Request
from campaigns.access import playing
from campaigns.club.nights import schedule
from campaigns.club.nights.views import night_or_404
from campaigns.club.planning import plans
from campaigns.club.planning.forms import PairsForm, ProposalForm
from campaigns.colours import colours_of
from campaigns.engine.pairing import Candidate, Pairing, propose
from campaigns.models import Attendance, Game, Night, Side
from campaigns.refusals import attempt
from campaigns.text import gang_names
from common.forms import require_safe_or_post
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
        """The value of the pair's box in the form."""
        return " ".join(self.pairing.gangs)

    @property
    def players(self) -> str:
        """The names of the players."""
        return ", ".join(str(gang.owner) for gang in self.gangs if gang.owner)


@dataclass(frozen=True)
class ProposalPage:
    """The proposal: the form with the free gangs, the pairs among the chosen gangs, the gang that
    rests and why, and the gangs that are ``busy`` with another game."""

    form: ProposalForm
    pairs: Sequence[ProposedPair]
    resting: str
    why_rests: str
    busy: Sequence[str]


@require_safe_or_post
def pairings(request: Request, night_id: uuid.UUID) -> HttpResponse:
    """Propose pairs among the gangs that come, and schedule the pairs that the organiser takes."""
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
    """Schedule the ticked pairs: the error and the response's status, as ``attempt``."""
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


def why(pair: Pairing, *, has_rating: bool) -> str:
    """The reasons for a pair: the ratings, and how often the gangs have met."""
    parts = []
    if has_rating:
        ratings = get_text_list([number_format(value) for value in pair.ratings], _("and"))
        if pair.apart:
            values = {"ratings": ratings, "apart": number_format(pair.apart)}
            parts.append(_("ratings %(ratings)s, %(apart)s apart") % values)
        else:
            parts.append(
                _("equal ratings of %(rating)s") % {"rating": number_format(pair.ratings[0])}
            )
    if pair.met:
        met = ngettext("met %(count)s time before", "met %(count)s times before", pair.met)
        parts.append(met % {"count": pair.met})
    else:
        parts.append(_("never met before"))
    return " · ".join(parts)


def why_rests(resting: Candidate, *, alone: bool) -> str:
    """The reason why this gang rests."""
    if alone:
        return _("nobody else is free")
    if resting.rested is not None:
        day = date_format(resting.rested, "j N Y")
        return _("it has gone longest without a break, since %(day)s") % {"day": day}
    if not resting.played:
        return _("no other gang has gone longer without a break or played more")
    words = ngettext(
        "it has not had a break yet, with %(count)s game so far",
        "it has not had a break yet, with %(count)s games so far",
        resting.played,
    )
    return words % {"count": resting.played}
