"""The table of a campaign's standings, and what its measures are called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from accounts.models import User
from campaigns.season.loading import LoadedSeason
from campaigns.statistics.season_facts import Season
from campaigns.statistics.signs import colours
from campaigns.statistics.standings import Row, columns, season_rows, standings
from gangs.models import Gang
from gangs.text.formats import localize
from rules.book.model import Book
from rules.book.season import Measure


@dataclass(frozen=True)
class StandingsLine:
    """One line of the standings as a page has it. ``url``: of the gang's page or sheet, if the
    reader may see one; ``gang``: None once it is deleted."""

    row: Row
    cells: tuple[str, ...]
    url: str
    mine: bool
    gang: Gang | None

    @property
    def name(self) -> str:
        """The gang's name alone: its player's stands below it."""
        return self.gang.name if self.gang is not None else self.row.name


def rank_gangs(season: Season) -> list[Row]:
    """The standings."""
    return season.cached(season, "standings", lambda: standings(season.book, season_rows(season)))


def standings_table(loaded: LoadedSeason, user: User) -> SafeString:
    """The table of the standings, the reader's own gangs marked."""
    season, gangs = loaded.season, loaded.gangs
    measures = columns(season.book)

    def place(row: Row) -> StandingsLine:
        gang = gangs.get(row.gang)
        mine = gang is not None and gang.is_owned_by(user)
        return StandingsLine(row, tuple(cells(row, measures)), _address(gang, mine), mine, gang)

    context = {
        "colours": colours(season),
        "columns": [measure_name(season.book, measure) for measure in measures],
        "places": [place(row) for row in rank_gangs(season)],
        "measures": ranking(season.book),
    }
    return render_to_string("campaigns/season/_standings.html", context)


def _address(gang: Gang | None, mine: bool) -> str:
    if gang is None:
        return ""
    if mine:
        return gang.get_absolute_url()
    return reverse("gangs:shared", args=[gang.share_key]) if gang.share_key else ""


def cells(row: Row, measures: Sequence[Measure]) -> list[str]:
    """A line of the standings, measure by measure; wins with draws and losses beside them."""
    record = f"{row.won}–{row.level}–{row.lost}"
    return [record if key == "wins" else number_format(row.value(key)) for key in measures]


def measure_name(book: Book, measure: Measure) -> tuple[str, str]:
    """What stands above a column of the standings, and what that means if it says too little."""
    match measure:
        case "wins":
            return _("W–D–L"), _("Won – drawn – lost")
        case "money":
            return _("Earned"), _("Money from games")
        case "taken_out":
            return _("Enemies"), _("Enemies taken out of action")
    return measure_phrase(book, measure), ""


def measure_phrase(book: Book, measure: Measure) -> str:
    """What gangs are ranked by, within a sentence."""
    match measure:
        case "wins":
            return _("games won")
        case "money":
            return _("money from games")
        case "taken_out":
            return _("enemies taken out")
        case "rating":
            return localize(book.rating.name) if book.rating else measure
        case "points":
            return localize(book.campaign.points_name) if book.campaign.points_name else measure


def ranking(book: Book) -> list[str]:
    """What gangs are ranked by, the most telling first."""
    return [measure_phrase(book, measure) for measure in book.campaign.standings]
