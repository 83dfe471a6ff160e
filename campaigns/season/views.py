"""A campaign's page, chronicle, careers, charts, records and feed."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.dateparse import parse_date
from django.utils.formats import number_format
from django.utils.safestring import SafeString
from django.views.decorators.http import conditional_page, require_safe

from accounts.http import Request, site_url
from accounts.language import reading, rules_language
from campaigns.access import open_to_spectators
from campaigns.games.game_story import Tale, load_tales
from campaigns.games.photos import lines_by_game
from campaigns.models import Campaign, Game
from campaigns.season import careers, chart_text, charting
from campaigns.season.chart_text import charts_of, meeting_lines, title
from campaigns.season.chronicle_text import TurnLine, atom, chronicle_lines, link_line, turn_lines
from campaigns.season.freshness import CampaignState, readable_state_or_404, state_watched_by
from campaigns.season.loading import LoadedSeason, load_season
from campaigns.season.page import campaign_page
from campaigns.season.trophies.text import lines_of
from campaigns.statistics import records
from campaigns.statistics.charts import TOGETHER, Chart, Series
from campaigns.statistics.chronicle import Battle, Line, Newcomers, days, gangs_of_newcomers
from campaigns.statistics.season_facts import Season, SeasonGame
from campaigns.statistics.signs import colours
from campaigns.table.luck.text import game_lines, in_short, luck_line
from common import waiting
from common.cache import Cache
from gangs import hooks
from gangs.models import Gang
from gangs.snapshots.views import career_context, career_or_404

# The numbers of chronicle lines and of graves on a page.
LINES = 60
GRAVES = 24


@open_to_spectators
@require_safe
def campaign(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Show a campaign, with the reader's duties first."""
    page = campaign_page(request, campaign_id)
    if known := waiting.nothing_new(request, page.state):
        return known
    # An archived campaign no longer changes, so its page need not poll.
    state = "" if page.context["campaign"].archived_at else page.state
    context = page.context | {"state": state}
    return render(request, "campaigns/season/campaign.html", context)


@open_to_spectators
@require_safe
def chronicle(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Show a page of the chronicle, newest day first; ``?day=`` selects the page with that day."""
    loaded = load_season(campaign_id, readable_state_or_404(request, campaign_id))
    season = loaded.season
    lines = chronicle_lines(season)
    pages = Paginator(lines, LINES)
    page = pages.get_page(request.GET.get("page") or _page_of(lines, request.GET.get("day", "")))
    found = days(season, list(page.object_list))
    held = loaded.campaign.nights.filter(pk__in=[night for day in found for night in day.nights])
    nights = {str(night.pk): night for night in held}
    newcomers = _newcomers(season, [line for day in found for line in day.lines])
    tales = _tales([line for day in found for line in day.lines if isinstance(line.event, Battle)])
    photos = lines_by_game(
        [line.game for line in page.object_list if isinstance(line.event, Battle)]
    )
    context = {
        "campaign": loaded.campaign,
        "colours": colours(season),
        "page": page,
        "days": [
            (
                day.day,
                [nights[night] for night in day.nights if night in nights],
                [
                    (
                        line,
                        _heads(loaded, line),
                        link_line(season.book, campaign_id, line),
                        tales.get(line.key, ()),
                        photos.get(line.game, ()) if isinstance(line.event, Battle) else (),
                        _turns(season, line, newcomers),
                        _luck(season, line),
                    )
                    for line in day.lines
                ],
            )
            for day in found
        ],
    }
    return render(request, "campaigns/season/chronicle.html", context)


def _game(season: Season, line: Line) -> SeasonGame | None:
    """Return the fought game that a line reports."""
    return season.game.get(line.game) if isinstance(line.event, Battle) else None


def _heads(loaded: LoadedSeason, line: Line) -> list[tuple[Gang | None, str, str]]:
    """Return the gangs shown at the head of a line, with names and keys.

    For a game: the winners, or all gangs if nobody won. A deleted gang is None.
    """
    game = loaded.season.confirmed.get(line.game) if isinstance(line.event, Battle) else None
    if game is None:
        keys = [line.gang] if line.gang else []
    else:
        winners = [side.who for side in game.sides if side.kind == "winner"]
        keys = winners or [side.who for side in game.sides]
    return [(loaded.gangs.get(key), loaded.season.names.get(key, ""), key) for key in keys]


def _turns(season: Season, line: Line, newcomers: Newcomers) -> list[TurnLine]:
    """Return the turns of the game that a line reports; empty for other lines."""
    game = _game(season, line)
    return turn_lines(season, game, newcomers) if game else []


def _newcomers(season: Season, lines: Iterable[Line]) -> Newcomers:
    """Return names of members who appear in these games before their gang's post-game is played.

    They took somebody out or were taken out. No query if there are none.
    """
    games = [game for line in lines if (game := _game(season, line)) is not None]
    keys = {key for game in games for key in gangs_of_newcomers(season, game) if key}
    return {
        (str(gang.pk), member.id): member.name_or_rank(season.book)
        for gang in (Gang.objects.filter(pk__in=keys) if keys else [])
        for member in gang.roster.members
    }


def _luck(season: Season, line: Line) -> list[str]:
    """Return each gang's luck in the game that a line reports."""
    game = _game(season, line)
    if game is None:
        return []
    return in_short(game_lines(game.luck, [season.names[side.who] for side in game.sides]))


def _page_of(lines: Sequence[Line], asked: str) -> int:
    """Return the number of the chronicle page on which a day begins."""
    try:
        day = parse_date(asked)
    except ValueError:
        day = None
    if day is None:
        return 1
    newer = sum(line.day > day for line in lines)
    return newer // LINES + 1


def _tales(lines: Sequence[Line]) -> dict[str, list[Tale]]:
    """Return the stories written about the games in these lines, by the lines' keys."""
    by_game = {line.game: line.key for line in lines}
    found: dict[str, list[Tale]] = {}
    for tale in load_tales(Game.objects.filter(pk__in=by_game)) if by_game else ():
        found.setdefault(by_game[tale.game], []).append(tale)
    return found


@open_to_spectators
@require_safe
def career(
    request: Request, campaign_id: uuid.UUID, gang_id: uuid.UUID, member: int
) -> HttpResponse:
    """Show a member's career: their games, who they took out, and how they ended."""
    loaded = load_season(campaign_id, readable_state_or_404(request, campaign_id))
    gang = get_object_or_404(Gang, pk=gang_id, memberships__campaign=campaign_id)
    life = career_or_404(gang, member)
    context = career_context(gang, life) | {
        "campaign": loaded.campaign,
        "lines": careers.lines(loaded.season, str(gang_id), life),
        "trophies": lines_of(loaded, str(gang_id), member),
        "reads": request.user.is_authenticated and hooks.oversight.may_read(request.user, gang),
    }
    return render(request, "campaigns/season/career.html", context)


_bodies: Cache[SafeString] = Cache(64)


def _page(
    request: Request,
    campaign: Campaign,
    state: CampaignState,
    name: str,
    part: int,
    context: Callable[[], dict[str, Any]],
) -> HttpResponse:
    """Render a page that is the same for all readers; everything below its head is cached.

    ``part`` is the page's number.
    """
    template, shared = f"campaigns/season/{name}.html", {"campaign": campaign}
    body = _bodies.get(
        (state.id, name, part, rules_language()),
        state,
        lambda _last: render_to_string(f"{template}#body", shared | context()),
    )
    return render(request, template, shared | {"body": body})


@open_to_spectators
@require_safe
def charts(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Show charts of the standings' measures and the rating over time, eight gangs together."""
    state = readable_state_or_404(request, campaign_id)
    loaded = load_season(campaign_id, state)
    season, groups = loaded.season, chart_text.groups(loaded.season)
    group = _group(request, groups)

    def context() -> dict[str, Any]:
        available = charts_of(season) if season.games else []
        return {
            "campaign": loaded.campaign,
            "colours": colours(season),
            "charts": [_chart(loaded, chart, groups[group]) for chart in available],
            "group": group + 1,
            "groups": [
                (number + 1, number * TOGETHER + 1, number * TOGETHER + len(row))
                for number, row in enumerate(groups)
            ],
        }

    return _page(request, loaded.campaign, state, "charts", group, context)


@open_to_spectators
@require_safe
def records_page(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Show meetings, the most feared, graves and the hall of fame; ``?page=`` pages the graves."""
    state = readable_state_or_404(request, campaign_id)
    loaded = load_season(campaign_id, state)
    season = loaded.season
    graves = season.cached(season, "graves", lambda: records.graveyard(season))
    page = Paginator(graves, GRAVES).get_page(request.GET.get("page"))

    def context() -> dict[str, Any]:
        return {
            "pictured": loaded.gangs,
            "meetings": meeting_lines(season),
            "feared": records.most_feared(season),
            "graves": page,
            "famous": records.hall_of_fame(season),
            "luck": [
                luck_line(row.name, row.what, row.source, row.luck)
                for row in season.cached(season, "luck", lambda: records.luckiest(season))
            ],
        }

    return _page(request, loaded.campaign, state, "records", page.number, context)


@login_not_required
@require_safe
@conditional_page
def feed(request: HttpRequest, key: str) -> HttpResponse:
    """Return the chronicle as Atom, for programs that know the key instead of signing in.

    ``?lang=`` selects the language; the default is the site's.
    """
    state = state_watched_by(key)
    if state is None:
        raise Http404
    asked, site = request.GET.get("lang", ""), site_url(request)
    written_in = asked if asked in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE

    loaded = load_season(state.id, state)
    with translation.override(written_in), reading():
        content = atom(loaded.campaign, loaded.season, site)
    return HttpResponse(content, content_type="application/atom+xml; charset=utf-8")


def _group(request: HttpRequest, groups: Sequence[Sequence[str]]) -> int:
    """Return the index of the requested group; 0 if there is no such group."""
    asked = request.GET.get("group", "")
    number = int(asked) - 1 if asked.isdecimal() and len(asked) < 4 else 0
    return number if 0 <= number < len(groups) else 0


class PageChart(NamedTuple):
    """A chart on a page: drawn for wide screens and for phones, and as a table of numbers."""

    title: str
    wide: SafeString
    narrow: SafeString
    heads: Sequence[tuple[Gang | None, Series]]
    rows: Sequence[tuple[str, Sequence[str]]]


def _chart(loaded: LoadedSeason, chart: Chart, group: Sequence[str]) -> PageChart:
    drawing = chart_text.drawing(loaded.season, chart, group)
    some = drawing.figures
    by_column = zip(*(row.values for row in some.series), strict=True)
    cells = [["–" if value is None else number_format(value) for value in row] for row in by_column]
    return PageChart(
        title(loaded.season, chart),
        charting.for_page(drawing, "wide"),
        charting.for_page(drawing, "narrow"),
        [(loaded.gangs.get(row.who), row) for row in some.series],
        list(zip(drawing.labels, cells, strict=False)),
    )
