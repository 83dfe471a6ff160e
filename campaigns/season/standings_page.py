"""The standings table and the names of its measures."""

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
    """A line of the standings on a page.

    ``url`` leads to the gang's page or shared sheet, "" if the reader may see neither; ``gang`` is
    None once it is deleted.
    """

    row: Row
    cells: tuple[str, ...]
    url: str
    mine: bool
    gang: Gang | None

    @property
    def name(self) -> str:
        """The gang's name without its player's, which has its own line below."""
        return self.gang.name if self.gang is not None else self.row.name


def rank_gangs(season: Season) -> list[Row]:
    """Return the standings, best gang first."""
    return season.cached(season, "standings", lambda: standings(season.book, season_rows(season)))


def standings_table(loaded: LoadedSeason, user: User) -> SafeString:
    """Render the standings table, with the reader's own gangs marked."""
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
    return reverse("gangs:shared", args=[gang.share_key]) if gang.is_shared else ""


def cells(row: Row, measures: Sequence[Measure]) -> list[str]:
    """Format the value of each measure; wins come with draws and losses."""
    record = f"{row.won}–{row.level}–{row.lost}"
    return [record if key == "wins" else number_format(row.value(key)) for key in measures]


def measure_name(book: Book, measure: Measure) -> tuple[str, str]:
    """Return a column's heading and, if that is too short to understand, its full name."""
    match measure:
        case "wins":
            return _("W–D–L"), _("Won – drawn – lost")
        case "money":
            return _("Earned"), _("Money from games")
        case "taken_out":
            return _("Enemies"), _("Enemies taken out of action")
    return measure_phrase(book, measure), ""


def measure_phrase(book: Book, measure: Measure) -> str:
    """Return a measure's name as a phrase within a sentence."""
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
    """Name the measures that rank gangs, most important first."""
    return [measure_phrase(book, measure) for measure in book.campaign.standings]
