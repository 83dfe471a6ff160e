"""The standings on paper: a table in the yearbook, and a sheet of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from django.template.loader import render_to_string
from django.utils.timezone import localdate
from django.utils.translation import gettext as _

from campaigns.models import Campaign
from campaigns.season.freshness import state_of
from campaigns.season.loading import load_season
from campaigns.season.standings.text import (
    cells,
    column_name,
    decision,
    is_close,
    rank_gangs,
    ranking,
)
from campaigns.statistics.season_facts import Season
from campaigns.statistics.signs import assign_signs
from campaigns.statistics.standings import columns
from printing.paper import orders
from printing.paper.orders import Order
from printing.paper.page import ornament, page_rules
from printing.press.jobs import Job
from printing.season import marks
from printing.season.marks import PrintedSign

STYLES = ("fonts", "yearbook")


def table(
    season: Season, signs: Mapping[str, PrintedSign], *, in_full: bool = False
) -> dict[str, object]:
    """Return the standings as a table. ``in_full``: with the reason for every place; without it,
    only where a tie-break decided."""
    shown = columns(season.book, season.table)
    return {
        "columns": [column_name(season.book, column) for column in shown],
        "rows": [
            (
                *(row, signs.get(row.gang), _owner(season, row.gang), cells(row, shown)),
                decision(season, row) if in_full or is_close(season, row) else "",
            )
            for row in rank_gangs(season)
        ],
        "measures": ranking(season.book, season.table),
    }


def _owner(season: Season, gang: str) -> str:
    known = season.gang.get(gang)
    # A namesake's name already has its player's.
    return known.owner if known is not None and gang not in season.namesakes else ""


def key(campaign: Campaign, order: Order) -> str:
    """Return the key of printed standings, without rendering them. Two queries."""
    state = state_of(campaign.pk)
    shown = state and replace(state, answers="")
    return orders.key("standings", campaign.pk, campaign.name, shown, localdate(), order)


def job(campaign: Campaign, order: Order) -> Job:
    """Return the standings for the press."""
    season = load_season(campaign.pk).season
    look = season.book.look
    signs = marks.print_signs(assign_signs(season), ink=not order.illustrated)
    context = {
        "title": f"{campaign.name} · {_('Standings')}",
        "campaign": campaign,
        "order": order,
        "measures": page_rules(order, look, ornament=ornament(order, look)),
        "standings": table(season, signs, in_full=True),
        "adjustments": [
            (row, season.names.get(row.who, row.name))
            for row in reversed(season.adjustments)
            if row.counts
        ],
        "day": localdate(),
    }
    return Job(render_to_string("printing/season/standings_sheet.html", context), STYLES)
