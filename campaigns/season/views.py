"""Watching a campaign grow: its chronicle, its charts, its records, and the feed."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Sequence

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import translation
from django.utils.cache import get_conditional_response
from django.utils.csp import CSP
from django.utils.dateparse import parse_date
from django.utils.formats import number_format
from django.views.decorators.csp import csp_override
from django.views.decorators.http import require_safe

from accounts.http import Request, site_url
from campaigns import records, telling_charts
from campaigns.access import open_to_spectators, reader_campaign_or_404
from campaigns.charts import TOGETHER, Chart, Figures
from campaigns.chronicle import Line, days
from campaigns.drawing import LETTERS, drawn
from campaigns.feeds import atom
from campaigns.models import Campaign, Game, Night
from campaigns.overview import told
from campaigns.recalling import recall
from campaigns.tales import Tale, written
from campaigns.telling_charts import charts_of, column, ends, figures_of, title
from campaigns.telling_chronicle import linked

# How many lines of the chronicle stand on a page.
LINES = 60
# An image draws with the styles in it, and does nothing else.
IMAGE_CSP = {"default-src": [CSP.NONE], "style-src": [CSP.UNSAFE_INLINE], "sandbox": []}


@open_to_spectators
@require_safe
def chronicle(request: Request, campaign: uuid.UUID) -> HttpResponse:
    """The chronicle, page by page, the newest day first. ``day``: the page that tells of it."""
    shown = reader_campaign_or_404(request, campaign)
    past = recall(shown).past
    lines = told(past)
    pages = Paginator(lines, LINES)
    page = pages.get_page(request.GET.get("page") or _page_of(lines, request.GET.get("day", "")))
    found = days(past, list(page.object_list))
    nights = _nights(shown, [night for day in found for night in day.nights])
    told_of = _tales([line for day in found for line in day.lines if line.kind in ("won", "level")])
    context = {
        "campaign": shown,
        "page": page,
        "days": [
            (
                day.day,
                [nights[night] for night in day.nights if night in nights],
                [
                    (line, linked(past.book, shown.pk, line), told_of.get(line.key, ()))
                    for line in day.lines
                ],
            )
            for day in found
        ],
    }
    return render(request, "campaigns/chronicle.html", context)


def _page_of(lines: Sequence[Line], asked: str) -> int:
    """The page of the chronicle on which the telling of a day begins."""
    try:
        day = parse_date(asked)
    except ValueError:
        day = None
    if day is None:
        return 1
    newer = sum(line.day > day for line in lines)
    return newer // LINES + 1


def _nights(campaign: Campaign, keys: Sequence[str]) -> dict[str, Night]:
    if not keys:
        return {}
    return {str(night.pk): night for night in campaign.nights.filter(pk__in=keys)}


def _tales(lines: Sequence[Line]) -> dict[str, list[Tale]]:
    """What was written of the games that these lines tell of, by the lines' keys."""
    by_game = {line.game: line.key for line in lines}
    found: dict[str, list[Tale]] = {}
    for tale in written(Game.objects.filter(pk__in=by_game)) if by_game else ():
        found.setdefault(by_game[tale.game], []).append(tale)
    return found


@open_to_spectators
@require_safe
def charts(request: Request, campaign: uuid.UUID) -> HttpResponse:
    """Rating and wins over time, eight gangs together, the best first."""
    shown = reader_campaign_or_404(request, campaign)
    past = recall(shown).past
    groups = telling_charts.groups(past)
    group = _group(request, groups)
    made = []
    for chart in charts_of(past):
        some = figures_of(past, chart).of(groups[group])
        made.append((chart, title(past, chart), _table(some)))
    context = {
        "campaign": shown,
        "charts": made if past.games else [],
        "group": group + 1,
        "groups": [
            (number + 1, number * TOGETHER + 1, number * TOGETHER + len(row))
            for number, row in enumerate(groups)
        ],
    }
    return render(request, "campaigns/charts.html", context)


@open_to_spectators
@require_safe
@csp_override(IMAGE_CSP)
def chart(request: Request, campaign: uuid.UUID, chart: Chart) -> HttpResponse:
    """A chart as an image of its own. ``group``: which eight gangs; ``narrow``: for a phone."""
    past = recall(reader_campaign_or_404(request, campaign)).past
    groups = telling_charts.groups(past)
    if chart not in charts_of(past) or not past.games:
        raise Http404
    drawing = telling_charts.drawing(past, chart, groups[_group(request, groups)])
    content = drawn(drawing, "narrow" if "narrow" in request.GET else "wide")
    return _unless_known(request, HttpResponse(content, content_type="image/svg+xml"))


@open_to_spectators
@require_safe
def records_page(request: Request, campaign: uuid.UUID) -> HttpResponse:
    """Who met whom, whom to fear, who died, who will be remembered."""
    shown = reader_campaign_or_404(request, campaign)
    recalled = recall(shown)
    past = recalled.past
    heads, lines = telling_charts.met(past)
    context = {
        "campaign": shown,
        "pictured": recalled.gangs,
        "met": {"heads": heads, "lines": lines},
        "feared": past.once("feared", lambda: records.most_feared(past)),
        "graves": past.once("graves", lambda: records.graveyard(past)),
        "famous": past.once("famous", lambda: records.famous(past)),
    }
    return render(request, "campaigns/records.html", context)


@login_not_required
@require_safe
def feed(request: HttpRequest, key: str) -> HttpResponse:
    """The chronicle as Atom, for programs, which sign in nowhere but know the key. ``lang``: in
    which language; without it, in that of the site."""
    found = get_object_or_404(Campaign, watch_key=key)
    asked = request.GET.get("lang", "")
    spoken_here = asked if asked in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE
    with translation.override(spoken_here):
        content = atom(found, recall(found).past, site_url(request))
    answer = HttpResponse(content, content_type="application/atom+xml; charset=utf-8")
    return _unless_known(request, answer)


def _unless_known(request: HttpRequest, answer: HttpResponse) -> HttpResponse:
    """The answer, or that it is still what the reader has."""
    tag = f'"{hashlib.sha256(answer.content).hexdigest()[:32]}"'
    answer["ETag"] = tag
    known = get_conditional_response(request, etag=tag, response=answer)
    return known if isinstance(known, HttpResponse) else answer


def _group(request: HttpRequest, groups: Sequence[Sequence[str]]) -> int:
    """Which of them is asked for, from 0; the best if it is none of them."""
    asked = request.GET.get("group", "")
    number = int(asked) - 1 if asked.isdecimal() and len(asked) < 4 else 0
    return number if 0 <= number < len(groups) else 0


def _table(some: Figures) -> dict[str, object]:
    """The figures in words, for those who do not see the chart."""
    rows = [
        (
            column(day),
            [
                "–" if (value := row.values[place]) is None else number_format(value)
                for row in some.series
            ],
        )
        for place, day in enumerate(some.columns)
    ]
    heads = [(letter, row.name) for letter, row in zip(LETTERS, some.series, strict=False)]
    return {"heads": heads, "rows": rows, "alt": ends(some)}
