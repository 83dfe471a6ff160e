"""Pages about all seasons of a league: the all-time table, and each player's career."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import Request
from campaigns.access import open_to_spectators, organised_or_404, reader_campaign_or_404
from campaigns.club.next_season import storage
from campaigns.club.next_season.forms import LinkForm
from campaigns.models import Campaign
from campaigns.season.loading import LoadedSeason
from campaigns.season.seasons.chain import load_league
from campaigns.season.standings.text import rank_gangs
from campaigns.season.trophies.text import lines_of
from campaigns.statistics.all_time import (
    PlayerCareer,
    SeasonOfPlayer,
    all_time,
    careers,
    find_opponents,
)
from campaigns.statistics.standings import Row
from gangs.models import Gang


@dataclass(frozen=True)
class SeasonLine:
    """A season in the list. ``first``, ``last``: the days of its first and last game; ``best``: the
    gangs at the first place, with their names."""

    campaign: Campaign
    gangs: int
    first: date | None
    last: date | None
    best: list[str]


@open_to_spectators
@require_safe
def seasons(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Show the seasons of the league that the reader may see, and the all-time table."""
    campaign = reader_campaign_or_404(request, campaign_id)
    league = load_league(request, campaign)
    organises = campaign.is_run_by(request.user)
    context = {
        "campaign": campaign,
        "organises": organises,
        "seasons": [_line(loaded) for loaded in reversed(league.loaded)],
        "table": [
            (career, league.users[career.player])
            for career in all_time(league.seasons, league.names)
        ],
        "form": LinkForm(campaign, request.user) if organises else None,
    }
    return render(request, "campaigns/season/seasons/page.html", context)


def _line(loaded: LoadedSeason) -> SeasonLine:
    rows, games = rank_gangs(loaded.season), loaded.season.games
    return SeasonLine(
        campaign=loaded.campaign,
        gangs=len(rows),
        first=games[0].day if games else None,
        last=games[-1].day if games else None,
        best=[row.name for row in rows if row.place == 1 and games],
    )


@dataclass(frozen=True)
class GangLine:
    """One of a player's gangs in a season."""

    row: Row
    gang: Gang | None


@open_to_spectators
@require_safe
def player(request: Request, campaign_id: uuid.UUID, user_id: int) -> HttpResponse:
    """Show a player's career over the seasons that the reader may see."""
    campaign = reader_campaign_or_404(request, campaign_id)
    league = load_league(request, campaign)
    user, key = league.users.get(str(user_id)), str(user_id)
    if user is None:
        raise Http404
    # Without a game, a gang that has left has no place, and its player no season yet.
    career = careers(league.seasons).get(key, PlayerCareer(player=key))
    gangs = {gang: row for loaded in league.loaded for gang, row in loaded.gangs.items()}
    opponents = find_opponents(league.seasons, key)
    names = league.names
    most_first = sorted(opponents, key=lambda one: (-opponents[one].games, names[one]))
    context = {
        "campaign": campaign,
        "player": user,
        "career": career,
        "seasons": [_season(season, gangs) for season in reversed(career.seasons)],
        "trophies": [
            (loaded.campaign, line)
            for loaded, season in reversed(list(zip(league.loaded, league.seasons, strict=True)))
            for gang, owner in season.players.items()
            if owner == key
            for line in lines_of(loaded, gang)
        ],
        "opponents": [(league.users[other], opponents[other]) for other in most_first],
    }
    return render(request, "campaigns/season/seasons/player.html", context)


def _season(
    season: SeasonOfPlayer, gangs: Mapping[str, Gang]
) -> tuple[SeasonOfPlayer, list[GangLine]]:
    return season, [GangLine(row, gangs.get(row.gang)) for row in season.rows]


@require_POST
def link(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Say which campaign was the season before this one, or that there was none."""
    campaign = organised_or_404(request, campaign_id)
    form = LinkForm(campaign, request.user, request.POST)
    if form.is_valid():
        storage.set_previous(campaign, form.cleaned_data["previous"])
        messages.success(request, _("Saved."))
    else:
        messages.error(request, _("Choose one of the campaigns in the list."))
    return redirect("campaigns:seasons", campaign.pk)
