"""Charts and the table of meetings, ready to show: the groups of gangs and the words."""

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
from campaigns.engine.league.ranking import Results
from campaigns.season.charting import Drawing
from campaigns.season.standings.text import criterion_name, rank_gangs
from campaigns.statistics.charts import TOGETHER, Chart, Figures, figures
from campaigns.statistics.records import meetings
from campaigns.statistics.season_facts import Season
from campaigns.statistics.signs import assign_signs


def charts_of(season: Season) -> list[Chart]:
    """List the charts for which the game has data."""
    charts = {"wins", *season.table.ranking_of(season.book)}
    if season.book.rating is not None:
        charts.add("rating")
    return [chart for chart in get_args(Chart) if chart in charts]


def title(season: Season, chart: Chart) -> str:
    """Return the title of a chart."""
    return capfirst(criterion_name(season.book, chart))


def groups(season: Season) -> list[list[str]]:
    """Return the gangs with games that count, in groups of eight, best in the standings first."""
    playing = [row.gang for row in rank_gangs(season) if row.played]
    return list(map(list, batched(playing, TOGETHER))) or [[]]


def drawing(season: Season, chart: Chart, group: Sequence[str], about: str = "") -> Drawing:
    """Return a chart of these gangs, on the scale of all gangs.

    ``about`` replaces the title in the description.
    """
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
    """Return the label under a column of a chart."""
    return _("Start") if day is None else date_format(day, "j N y")


def ends(figures: Figures) -> str:
    """Return the last value of every gang of a chart, in words."""
    return ", ".join(
        _("%(name)s: %(value)s") % {"name": row.name, "value": number_format(row.last)}
        for row in figures.series
    )


@dataclass(frozen=True)
class MeetingLine:
    """A row of the table of meetings.

    ``number`` is the gang's place in the standings. ``meetings`` has one value for each gang, in
    that order; None for the gang itself and for gangs it never met.
    """

    number: int
    name: str
    meetings: Sequence[Results | None]


def meeting_lines(season: Season) -> list[MeetingLine]:
    """Return how each gang fared against every other gang, best in the standings first."""
    found = meetings(season)
    have_met = {gang for pair in found for gang in pair}
    order = [row for row in rank_gangs(season) if row.gang in have_met]
    return [
        MeetingLine(number, row.name, [found.get((row.gang, other.gang)) for other in order])
        for number, row in enumerate(order, start=1)
    ]
