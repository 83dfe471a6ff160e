"""The standings in words: the table, the names of its columns and criteria, and the decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from django.template.loader import render_to_string
from django.utils.formats import number_format
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import User
from campaigns.engine.league.ranking import Seam
from campaigns.engine.league.standings_rules import Column, Criterion, StandingsRules
from campaigns.season.loading import LoadedSeason
from campaigns.statistics.season_facts import Season
from campaigns.statistics.signs import colours
from campaigns.statistics.standings import Row, columns, find_played, rank_season
from campaigns.text import gang_address
from gangs.models import Gang
from gangs.text.formats import localize
from rules.book.model import Book
from rules.engine.costing import Points
from rules.percent import distinct_percents, percent


@dataclass(frozen=True)
class StandingsLine:
    """A line of the standings on a page.

    ``url`` leads to the gang's page or shared sheet, "" if the reader may see neither; ``gang`` is
    None once it is deleted; ``decision``: what decided the place, "" if nothing needs saying.
    """

    row: Row
    cells: tuple[str, ...]
    url: str
    mine: bool
    gang: Gang | None
    decision: str

    @property
    def name(self) -> str:
        """The gang's name without its player's, which has its own line below."""
        return self.gang.name if self.gang is not None else self.row.name


def rank_gangs(season: Season) -> list[Row]:
    """Return the standings, best gang first."""
    return season.cached(season, "standings", lambda: rank_season(season))


def standings_table(loaded: LoadedSeason, user: User, *, in_full: bool = False) -> SafeString:
    """Render the standings table, with the reader's own gangs marked.

    Every place says what decided it ``in_full``; otherwise only those that a tie-break decided.
    """
    season, gangs = loaded.season, loaded.gangs
    shown = columns(season.book, season.table)

    def place(row: Row) -> StandingsLine:
        gang = gangs.get(row.gang)
        mine = gang is not None and gang.is_owned_by(user)
        told = in_full or is_close(season, row)
        return StandingsLine(
            row,
            tuple(cells(row, shown)),
            gang_address(gang, user),
            mine,
            gang,
            decision=decision(season, row) if told else "",
        )

    context = {
        "campaign": loaded.campaign,
        "colours": colours(season),
        "columns": [column_name(season.book, column) for column in shown],
        "places": [place(row) for row in rank_gangs(season)],
        "measures": ranking(season.book, season.table),
        "has_opponents": "strength" in shown,
        "edition": season.table.edition,
    }
    return render_to_string("campaigns/season/_standings.html", context)


def is_close(season: Season, row: Row) -> bool:
    """Whether the first criterion did not decide the row's place. Before the first game it decides
    no place, and to say so of each is noise."""
    if not season.counted or row.seam is None:
        return False
    return row.seam.by != season.table.ranking_of(season.book)[0]


def cells(row: Row, shown: Sequence[Column]) -> list[str]:
    """Format the value of each column; wins come with draws and losses."""
    record = f"{row.won}–{row.level}–{row.lost}"
    return [record if key == "wins" else figure(key, row.value(key)) for key in shown]


def figure(column: Column | Criterion, value: Points | Fraction) -> str:
    """Format the value of a column or criterion."""
    if isinstance(value, Fraction):
        return percent(value)
    if column in ("bonus", "head_to_head"):
        return f"{'+' if value > 0 else '−' if value < 0 else ''}{number_format(abs(value))}"
    return number_format(value)


def column_name(book: Book, column: Column) -> tuple[str, str]:
    """Return a column's heading and, if that is too short to understand, its full name."""
    match column:
        case "played":
            return _("Games"), ""
        case "wins":
            return _("W–D–L"), _("Won – drawn – lost")
        case "money":
            return _("Earned"), _("Money from games")
        case "taken_out":
            return _("Enemies"), _("Enemies taken out of action")
        case "bonus":
            return _("Bonus"), _("Bonuses and penalties, part of the points")
        case "strength":
            return _("Opponents"), _("How well its opponents did")
    return capfirst(criterion_name(book, column)), ""


def criterion_name(book: Book, criterion: Criterion) -> str:
    """Return the name of a criterion of the ranking, as a phrase within a sentence."""
    match criterion:
        case "wins":
            return _("games won")
        case "money":
            return _("money from games")
        case "taken_out":
            return _("enemies taken out")
        case "rating":
            return localize(book.rating.name) if book.rating else _("rating")
        case "points":
            name = book.campaign.points_name
            return localize(name) if name else _("points")
        case "head_to_head":
            return _("games against each other")
        case "strength":
            return _("the opponents’ results")
        case "lots":
            return _("drawing lots")


def ranking(book: Book, club: StandingsRules) -> list[str]:
    """Name the criteria that rank gangs, most important first."""
    return [criterion_name(book, criterion) for criterion in club.ranking_of(book)]


def decision(season: Season, row: Row) -> str:
    """Say what decided the row's place; "" if there is no other."""
    seam = row.seam
    if seam is None:
        return ""
    other = season.names[seam.low if row.ahead else seam.high]
    return describe_seam(seam, other, criterion_name(season.book, seam.by), ahead=row.ahead)


def describe_seam(seam: Seam, other: str, criterion: str, *, ahead: bool) -> str:
    """Say that a gang is ahead of the ``other``, or behind it, by this ``criterion``, with the
    numbers that decided it."""
    more, less = figure(seam.by, seam.more), figure(seam.by, seam.less)
    if isinstance(seam.more, Fraction) and isinstance(seam.less, Fraction):
        more, less = distinct_percents(seam.more, seam.less)
    mine, theirs = (more, less) if ahead else (less, more)
    values = {"other": other, "criterion": criterion, "mine": mine, "theirs": theirs}
    if seam.by == "lots":
        sentence = _("ahead of %(other)s: %(criterion)s")
        return (sentence if ahead else _("behind %(other)s: %(criterion)s")) % values
    if ahead:
        return _("ahead of %(other)s: %(criterion)s, %(mine)s to %(theirs)s") % values
    return _("behind %(other)s: %(criterion)s, %(mine)s to %(theirs)s") % values


def describe_counted(loaded: LoadedSeason) -> str:
    """Return the number of games that the standings count, in words. Those without a battle, such
    as a walk-over, are named separately: nobody played them, but they bring points."""
    season = loaded.season
    fought = len(season.games)
    counted = {game.id for game, *_side in find_played(season)}
    unfought = sum(game.id in counted for game in season.unfought)
    if not fought:
        return _("Standings")
    words = ngettext("Standings after %(count)s game", "Standings after %(count)s games", fought)
    words %= {"count": fought}
    if not unfought:
        return words
    more = ngettext("%(count)s more not fought", "%(count)s more not fought", unfought)
    return f"{words} · {more % {'count': unfought}}"
