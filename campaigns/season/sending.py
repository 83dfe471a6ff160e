"""Standings, a night and a game as texts to copy into a chat or a mail."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.dates import date_format
from accounts.http import Request, site_url
from accounts.models import User
from campaigns import text as campaign_text
from campaigns.access import game_or_404, open_to_spectators
from campaigns.club.nights.views import night_or_404
from campaigns.games import report_text
from campaigns.models import Campaign, Game, Night, Side
from campaigns.season.freshness import readable_state_or_404
from campaigns.season.loading import LoadedSeason, load_season
from campaigns.season.standings.text import cells, column_name, rank_gangs
from campaigns.statistics.standings import columns
from campaigns.table.people import name_nonplayers
from gangs.text.passages import Grid, Link, Passage, TextLine, Title, title_of, write_both


@open_to_spectators
@require_safe
def standings_as_text(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Show the standings as texts to copy."""
    loaded = load_season(campaign_id, readable_state_or_404(request, campaign_id))
    return _page(request, loaded.campaign, loaded.campaign, standings_text(loaded))


@open_to_spectators
@require_safe
def night_as_text(request: Request, night_id: uuid.UUID) -> HttpResponse:
    """Show a night with its pairings and results as texts to copy."""
    night = night_or_404(request, night_id)
    return _page(request, night.campaign, night, night_text(night, request.user))


@open_to_spectators
@require_safe
def game_as_text(request: Request, game_id: uuid.UUID) -> HttpResponse:
    """Show a game with its result as texts to copy."""
    game, sides = game_or_404(request, game_id)
    return _page(request, game.campaign, game, game_text(game, sides, request.user))


def _page(
    request: Request,
    campaign: Campaign,
    back: Campaign | Night | Game,
    passages: Sequence[Passage],
) -> HttpResponse:
    address = back.get_absolute_url()
    head = {"subject": campaign, "title": title_of(passages), "back": address}
    linked = [*passages, Link(site_url(request) + address)]
    return render(request, "as_text.html", head | write_both(linked))


def standings_text(loaded: LoadedSeason) -> list[Passage]:
    """Return the standings as a table."""
    season = loaded.season
    shown = columns(season.book, season.table)
    names = campaign_text.gang_names(loaded.gangs.values())
    heading = ("#", _("Gang"), *(column_name(season.book, column)[0] for column in shown))
    rows = [
        (row.shown_place, _gang_name(loaded, row.gang, row.name, names), *cells(row, shown))
        for row in rank_gangs(season)
    ]
    numbers = frozenset({0, *range(2, len(heading))})
    return [Title(loaded.campaign.name), Grid((heading, *rows), numbers)]


def _gang_name(loaded: LoadedSeason, key: str, name: str, names: dict[uuid.UUID, str]) -> str:
    gang = loaded.gangs.get(key)
    return names[gang.pk] if gang is not None else name


def night_text(night: Night, user: User) -> list[Passage]:
    """Return a night: when, where, and its games with their results. Makes two queries."""
    found = night_head(night)
    in_order = night.games.order_by("created_at")
    lines = campaign_text.disambiguate(campaign_text.game_lines(in_order, user, night.campaign))
    if lines:
        found.append(Title(_("Games"), 2))
    for line in lines:
        about = " · ".join(filter(None, (line.scenario, line.outcome)))
        found.append(TextLine(about, strong=line.title))
    return found


def night_head(night: Night) -> list[Passage]:
    """Return the beginning of a text about a night: when and where it is, and its note."""
    begins = date_format(localtime(night.starts_at), "l j F, H:i")
    when = f"{begins[:1].upper()}{begins[1:]}"
    found: list[Passage] = [Title(night.campaign.name), TextLine(night.place, strong=when)]
    if night.cancelled_at:
        found.append(TextLine(_("This night is called off.")))
    if night.note:
        found.append(TextLine(" ".join(night.note.split())))
    return found


def game_text(game: Game, sides: Sequence[Side], user: User) -> list[Passage]:
    """Return a game: its sides, day, scenario and result, and for each side the members that went
    down, and its counts."""
    book = game.campaign.book
    names = campaign_text.side_names(sides)
    day = date_format(game.played_on, "j F Y")
    scenario = campaign_text.scenario_name(book, game)
    about = " · ".join(filter(None, (game.campaign.name, day, scenario)))
    found: list[Passage] = [Title(campaign_text.game_title(book, names.values())), TextLine(about)]
    if game.status == Game.Status.STRUCK:
        return [*found, TextLine(_("This whole game is undone: it counts for nobody."))]
    if result := campaign_text.headline(book, game, sides):
        found.append(TextLine("", strong=result))
    if game.status != Game.Status.CONFIRMED:
        return [*found, TextLine(str(game.get_status_display()))]
    nonplayers = name_nonplayers(game)
    namer = report_text.Namer(book, sides, nonplayers)
    for side in sides:
        found += _side(report_text.describe_side(namer, side, user, None))
    return found


def _side(side: report_text.ReportedSide) -> list[Passage]:
    """Return a side's lines; nothing for a side of which nothing is reported."""
    lines = [*side.marks, *side.counts, *((name, str(count)) for name, count in side.tallies)]
    if not lines:
        return []
    return [Title(side.name, 2), *(TextLine(what, strong=name) for name, what in lines)]
