"""The home of a signed-in player, "Tonight", and the list of their campaigns."""

from __future__ import annotations

import uuid
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.http import Request
from accounts.models import User
from campaigns.club.home import duties
from campaigns.club.home.evening import evening_of
from campaigns.club.nights.questions import OWN_ANSWERS
from campaigns.colours import colours_in
from campaigns.models import Campaign, Game, JoinRequest
from common import waiting
from gangs.hooks import MOST_DUTIES, Overview
from gangs.models import Gang
from gangs.pages.lines import gang_lines

MOST_GANGS = 12
MOST_CAMPAIGNS = 200


@require_safe
def tonight(request: Request) -> HttpResponse:
    """The next night with the user's games, their other duties, and their gangs."""
    user = request.user
    standing = duties.standing_of(user)
    evening = evening_of(user, standing.nights, standing.roles)
    shown = {evening.asked.night.pk} if evening.asked else set()
    open_duties = (*standing.duties, *standing.unanswered(but=shown))
    # The night's games show their own duties: do not list them twice.
    told = {one.url for line in evening.games for one in line.awaits}
    listed = [duty for duty in open_duties if duty.url not in told]
    places = duties.places_of(standing)
    now = waiting.state(evening.shown(), open_duties, sorted(places.items(), key=str))
    if known := waiting.nothing_new(request, now):
        return known
    gangs = Gang.objects.owned_by(user).active().order_by("-changed_at")[: MOST_GANGS + 1]
    lines = gang_lines(gangs, Overview(open_duties, places))
    context = {
        "state": now if standing.roles else "",
        "evening": evening,
        "own_answers": OWN_ANSWERS,
        "duties": listed[:MOST_DUTIES],
        "more_duties": len(listed) - MOST_DUTIES,
        "gangs": lines[:MOST_GANGS],
        "colours": colours_in(standing.roles),
        "has_more_gangs": len(lines) > MOST_GANGS,
        "is_in_campaign": bool(standing.roles),
        "organised": next(iter(standing.organised), None),
        "join_requests": open_requests(user),
    }
    return render(request, "campaigns/club/home/tonight.html", context)


def open_requests(user: User) -> QuerySet[JoinRequest]:
    """The user's requests to join campaigns that no organiser has answered yet. One query."""
    asked = JoinRequest.objects.filter(by=user, campaign__archived_at=None)
    return asked.select_related("gang", "campaign").defer("gang__snapshot").order_by("pk")


@dataclass(frozen=True)
class CampaignLine:
    """A campaign in the reader's list. ``state``: its gangs are being built, it is being played, or
    it is over; ``night``: when it meets next; ``waits``: the number of the reader's duties."""

    campaign: Campaign
    role: str
    state: Literal["building", "running", "finished"]
    night: datetime | None = None
    waits: int = 0


@require_safe
def campaigns(request: Request) -> HttpResponse:
    """The campaigns that the user runs, plays in or follows."""
    user = request.user
    played = Game.objects.filter(campaign=OuterRef("pk"))
    played = played.exclude(status__in=[Game.Status.PLANNED, Game.Status.STRUCK])
    visible = Campaign.objects.visible_to(user).with_seats().annotate(played=Exists(played))
    newest = list(visible.order_by("archived_at", "-created_at")[:MOST_CAMPAIGNS])
    standing = duties.standing_of(user) if newest else duties.Standing()
    nights = standing.next_nights
    open_duties = (*standing.duties, *standing.unanswered())
    waits: Counter[uuid.UUID | None] = Counter(duty.campaign for duty in open_duties)
    lines = [
        CampaignLine(
            campaign,
            campaign.role_of(user),
            _state(campaign),
            nights.get(campaign.pk),
            waits[campaign.pk],
        )
        for campaign in newest
    ]
    context = {"campaigns": lines, "join_requests": open_requests(user)}
    return render(request, "campaigns/club/home/campaigns.html", context)


def _state(campaign: Campaign) -> Literal["building", "running", "finished"]:
    if campaign.archived_at is not None:
        return "finished"
    return "running" if getattr(campaign, "played", False) else "building"
