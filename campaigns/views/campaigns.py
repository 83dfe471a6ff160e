"""A campaign's page: what waits for whom, the next night, standings, games, and what is new."""

from __future__ import annotations

import uuid

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.http import Request
from campaigns import nights
from campaigns.access import open_to_spectators, reader_campaign_or_404
from campaigns.models import Campaign, Participant
from campaigns.overview import (
    NEWEST,
    all_games_drawn,
    games_drawn,
    news_drawn,
    ranked,
    standings_drawn,
)
from campaigns.recalling import recall
from gangs.wording import spoken

# How many nights that are over the page shows.
LAST_NIGHTS = 3


@open_to_spectators
@require_safe
def campaign(request: Request, campaign: uuid.UUID) -> HttpResponse:
    """A campaign: what waits for the reader first."""
    shown = reader_campaign_or_404(request, campaign)
    recalled = recall(shown)
    whole = "all" in request.GET
    games, duties = (all_games_drawn if whole else games_drawn)(recalled, request.user)
    context = {
        "campaign": shown,
        "book": shown.book,
        "organises": shown.is_run_by(request.user),
        "plays": takes_part(shown, request),
        "follows": any(seat.user_id == request.user.pk for seat in shown.seats),
        "gangs": len(recalled.playing),
        "ranked": bool(ranked(recalled.past)),
        "standings": standings_drawn(recalled, request.user),
        "news": news_drawn(shown, recalled.past),
        "games": games,
        "older": 0 if whole or len(recalled.games) <= NEWEST else len(recalled.games),
        "duties": duties,
        "next_nights": nights.next_nights(shown),
        "last_nights": nights.last_nights(shown, LAST_NIGHTS),
        "settings_told": settings_told(shown),
    }
    return render(request, "campaigns/campaign.html", context)


def takes_part(campaign: Campaign, request: Request) -> bool:
    """Whether the reader plays in the campaign or runs it, and does not just look on."""
    own = [seat.role for seat in campaign.seats if seat.user_id == request.user.pk]
    return bool(own) and own[0] != Participant.Role.SPECTATOR


def settings_told(campaign: Campaign) -> list[tuple[str, str]]:
    """The campaign's options in words."""
    told = []
    for setting in campaign.book.settings:
        value = campaign.settings.get(setting.key, setting.default)
        words = str(value)
        if setting.kind == "choice":
            names = {choice.key: spoken(choice.name) for choice in setting.choices}
            words = names.get(str(value), words)
        told.append((spoken(setting.name), words))
    return told
