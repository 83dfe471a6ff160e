"""Charts and meetings ready to be shown: what is drawn together, and the words around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import batched
from typing import get_args

from django.utils.formats import number_format
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from accounts.dates import date_format
from campaigns.season.charting import Drawing
from campaigns.season.standings_page import measure_phrase, rank_gangs
from campaigns.statistics.charts import TOGETHER, Chart, Figures, figures
from campaigns.statistics.records import Meetings, meetings
from campaigns.statistics.season_facts import Season
from campaigns.statistics.signs import assign_signs


def charts_of(season: Season) -> list[Chart]:
    """The charts that the game has something to show in."""
    charts = {"wins", *season.book.campaign.standings}
    if season.book.rating is not None:
        charts.add("rating")
    return [chart for chart in get_args(Chart) if chart in charts]


def title(season: Season, chart: Chart) -> str:
    """What a chart is about."""
    return capfirst(measure_phrase(season.book, chart))


def groups(season: Season) -> list[list[str]]:
    """The gangs that have played, eight by eight, the best of the standings first."""
    playing = [row.gang for row in rank_gangs(season) if row.played]
    return list(map(list, batched(playing, TOGETHER))) or [[]]


def drawing(season: Season, chart: Chart, group: Sequence[str], about: str = "") -> Drawing:
    """A chart of these gangs, on the scale of all. ``about``: what it is called, unless by its
    title."""
    all_figures = figures(season, chart)
    lowest, highest = all_figures.bounds
    group_figures = all_figures.of(group)
    words = {"title": about or title(season, chart), "ends": ends(group_figures)}
    return Drawing(
        description=_("%(title)s at the end: %(ends)s") % words,
        figures=group_figures,
        labels=tuple(column(day) for day in group_figures.columns),
        lowest=lowest,
        highest=highest,
        known_by=assign_signs(season),
    )


def column(day: date | None) -> str:
    """What stands under a column of a chart."""
    return _("Start") if day is None else date_format(day, "j N y")


def ends(figures: Figures) -> str:
    """Where every gang of a chart stands at its end, in words."""
    return ", ".join(
        _("%(name)s: %(value)s") % {"name": row.name, "value": number_format(row.last)}
        for row in figures.series
    )


@dataclass(frozen=True)
class MeetingLine:
    """A gang of the table of meetings: its place in the standings, its name, and how it fared
    against each of the gangs in their order, itself None."""

    number: int
    name: str
    meetings: Sequence[Meetings | None]


def meeting_lines(season: Season) -> list[MeetingLine]:
    """Who met whom: for each gang how it fared against all others."""
    found = meetings(season)
    order = [row for row in rank_gangs(season) if row.played]
    return [
        MeetingLine(number, row.name, [found.get((row.gang, other.gang)) for other in order])
        for number, row in enumerate(order, start=1)
    ]
