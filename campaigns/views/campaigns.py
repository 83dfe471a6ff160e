"""A campaign's page: standings, games, and what waits for whom."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.formats import number_format
from django.views.decorators.http import require_safe

from accounts.http import Request
from accounts.models import User
from campaigns.access import campaign_or_404, playing
from campaigns.models import Campaign, Game, Side
from campaigns.standings import Row, columns, standings
from campaigns.telling import GameLine, game_line, is_open, records
from gangs.models import Gang
from gangs.wording import spoken
from rules.season import Measure

# How many games a campaign's page shows unless one asks for all of them.
NEWEST = 20


@require_safe
def campaign(request: Request, campaign: uuid.UUID) -> HttpResponse:
    """A campaign: standings, gangs, games, and what waits for whom."""
    shown = campaign_or_404(request, campaign)
    book = shown.book
    gangs = playing(shown)
    games = games_of(shown, gangs)
    most = len(games) if "all" in request.GET else NEWEST
    lines, duties = game_lines(shown, games, request.user, most)
    by_key = {str(gang.pk): gang for gang in gangs}
    rows = standings(book, shown.settings, records(gangs, games))
    shown_columns = columns(book)
    played = {side.gang_id for sides in games.values() for side in sides}
    context = {
        "campaign": shown,
        "book": book,
        "organises": shown.is_run_by(request.user),
        "rows": [(row, by_key[row.gang], cells(row, shown_columns)) for row in rows],
        "columns": shown_columns,
        "played": played,
        "lines": lines,
        "older": len(games) > len(lines) and len(games),
        "duties": duties,
        "settings_told": settings_told(shown),
        "measures": book.campaign.standings,
    }
    return render(request, "campaigns/campaign.html", context)


def games_of(campaign: Campaign, gangs: Sequence[Gang]) -> dict[Game, list[Side]]:
    """The campaign's games, newest first, with their sides. Their gangs are those in the campaign,
    which are loaded already: nobody leaves who has a game."""
    games: dict[object, Game] = {game.pk: game for game in campaign.games.defer("note")}
    known = {gang.pk: gang for gang in gangs}
    by_game: dict[Game, list[Side]] = {game: [] for game in games.values()}
    sides = Side.objects.with_standing().filter(game__campaign=campaign)
    for side in sides.defer("draft", "comment"):
        side.game = games[side.game_id]
        side.gang = known.get(side.gang_id) if side.gang_id else None
        by_game[side.game].append(side)
    return by_game


def game_lines(
    campaign: Campaign, games: Mapping[Game, Sequence[Side]], user: User, most: int
) -> tuple[list[GameLine], list[GameLine]]:
    """The newest games, and all that wait for the user, however old."""
    base = reverse("campaigns:list")
    lines, duties = [], []
    for number, (game, sides) in enumerate(games.items()):
        if number < most or is_open(game, sides):
            line = game_line(campaign.book, game, sides, user, f"{base}games/{game.pk}/")
            if number < most:
                lines.append(line)
            if line.is_mine:
                duties.append(line)
    return lines, duties


def cells(row: Row, measures: list[Measure]) -> list[str]:
    """A line of the standings, measure by measure; wins with draws and losses beside them."""
    record = f"{row.won}–{row.level}–{row.lost}"
    return [record if key == "wins" else number_format(row.value(key)) for key in measures]


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
