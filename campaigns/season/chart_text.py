"""Charts and meetings ready to be shown: what is drawn together, and the words around it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import get_args

from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _

from campaigns.charts import TOGETHER, Chart, Figures, figures
from campaigns.drawing import Drawing
from campaigns.overview import measure_told, ranked
from campaigns.past import Past
from campaigns.records import Meetings, meetings


def charts_of(past: Past) -> list[Chart]:
    """The charts that the game has something to show in."""
    shown = {"wins", *past.book.campaign.standings}
    if past.book.rating is not None:
        shown.add("rating")
    return [chart for chart in get_args(Chart) if chart in shown]


def figures_of(past: Past, chart: Chart) -> Figures:
    """What a chart shows of every gang."""
    return past.once(("figures", chart), lambda: figures(past, chart))


def title(past: Past, chart: Chart) -> str:
    """What a chart is about."""
    told = measure_told(past.book, chart)
    return told[:1].upper() + told[1:]


def groups(past: Past) -> list[list[str]]:
    """The gangs that have played, eight by eight, the best of the standings first."""
    playing = [row.gang for row in ranked(past) if row.played]
    found = [playing[at : at + TOGETHER] for at in range(0, len(playing), TOGETHER)]
    return found or [[]]


def drawing(past: Past, chart: Chart, group: Sequence[str]) -> Drawing:
    """A chart of these gangs, on the scale of all."""
    every = figures_of(past, chart)
    lowest, highest = every.bounds
    some = every.of(group)
    return Drawing(
        title=title(past, chart),
        figures=some,
        labels=tuple(column(day) for day in some.columns),
        lowest=lowest,
        highest=highest,
    )


def column(day: date | None) -> str:
    """What stands under a column of a chart."""
    return _("Start") if day is None else date_format(day, "j N y")


def ends(some: Figures) -> str:
    """Where every gang of a chart stands at its end, in words."""
    told = [
        _("%(name)s: %(value)s") % {"name": row.name, "value": number_format(row.last)}
        for row in some.series
    ]
    return ", ".join(told)


# A gang's number, its name, and how it fared against each of some others, itself None.
Met = tuple[int, str, list[Meetings | None]]


def met(past: Past) -> tuple[list[tuple[int, str]], list[Met]]:
    """Who met whom: the gangs by number and name, and for each how it fared against all others."""
    found = past.once("met", lambda: meetings(past))
    order = [row for row in ranked(past) if row.played]
    heads = [(number, row.name) for number, row in enumerate(order, start=1)]
    lines = [
        (
            number,
            row.name,
            [None if row is other else found.get((row.gang, other.gang)) for other in order],
        )
        for number, row in enumerate(order, start=1)
    ]
    return heads, lines
