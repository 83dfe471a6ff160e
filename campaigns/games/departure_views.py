"""The buttons that remove somebody from a campaign."""

from __future__ import annotations

import uuid
from functools import partial

from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.http import Request
from campaigns.access import organised_or_404
from campaigns.club.people.views import answer
from campaigns.games import departures
from campaigns.games.departures import Ending

ENDINGS: dict[str, Ending] = {"void": "void", "walk-over": "walk-over"}


@require_POST
def remove(request: Request, campaign_id: uuid.UUID, seat_id: int) -> HttpResponse:
    """Remove somebody, and bar them if the form says so; the button says what becomes of their open
    games. A second request for the same person changes nothing."""
    campaign = organised_or_404(request, campaign_id)
    seat = campaign.participants.filter(pk=seat_id).first()
    if seat is None:
        return redirect("campaigns:people", campaign.pk)
    if seat.user == request.user:
        return redirect("campaigns:depart", campaign.pk)
    done = _("%(name)s is removed from the campaign.") % {"name": seat.user}
    ending = ENDINGS.get(request.POST.get("games", ""))
    act = partial(
        departures.remove,
        campaign,
        seat,
        ending=ending,
        bars="bar" in request.POST,
        actor=request.user,
    )
    return answer(request, campaign, act, done)
