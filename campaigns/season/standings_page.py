"""What the page of a campaign shows of its past, drawn once for as long as nothing changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from accounts.models import User
from campaigns.bargains import may_answer
from campaigns.chronicle import Line, chronicle, newest
from campaigns.models import Bargain, Campaign
from campaigns.past import Past
from campaigns.recalling import Recalled
from campaigns.standings import Row, columns, records, standings
from campaigns.telling import GameLine, game_line, told_apart
from campaigns.telling_chronicle import linked
from gangs.duties import Duty
from gangs.models import Gang
from gangs.pictures import name_of
from gangs.wording import language, spoken
from rules.book import Book
from rules.season import Measure

# How many lines of the chronicle the page of a campaign shows.
NEWS = 6
# How many games it shows unless one asks for all of them.
NEWEST = 10


@dataclass(frozen=True)
class Place:
    """One line of the standings as it is shown. ``url``: of the gang's page or sheet, if the
    reader may see one; ``owner``: "" once nobody owns the gang; ``gang``: None once it is deleted.
    """

    row: Row
    cells: tuple[str, ...]
    url: str
    owner: str
    mine: bool
    gang: Gang | None


def ranked(past: Past) -> list[Row]:
    """The standings."""
    return past.once("standings", lambda: standings(past.book, past.settings, records(past)))


def told(past: Past) -> tuple[Line, ...]:
    """The chronicle, in the days of this site."""
    zone = timezone.get_default_timezone()
    return past.once("chronicle", lambda: chronicle(past, zone))


def standings_drawn(recalled: Recalled, user: User) -> SafeString:
    """The table of the standings, the reader's own gangs marked."""
    past = recalled.past
    mine = frozenset(str(row.gang_id) for row in recalled.memberships if row.gang.is_owned_by(user))
    # A badge is no part of the past, so the past does not know when it changes.
    badges = tuple(name_of(row.gang, None) for row in recalled.memberships)
    key = ("standings", language(), mine, badges)
    return past.once(key, lambda: _standings(recalled, mine))


def _standings(recalled: Recalled, mine: frozenset[str]) -> SafeString:
    past = recalled.past
    gangs = recalled.gangs
    shown = columns(past.book)
    context = {
        "columns": [measure_name(past.book, measure) for measure in shown],
        "places": [
            Place(
                row,
                tuple(cells(row, shown)),
                _address(gangs.get(row.gang), row.gang in mine),
                str(gangs[row.gang].owner or "") if row.gang in gangs else "",
                row.gang in mine,
                gangs.get(row.gang),
            )
            for row in ranked(past)
        ],
        "measures": [measure_told(past.book, measure) for measure in past.book.campaign.standings],
    }
    return render_to_string("campaigns/_standings.html", context)


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
            return _("Enemies"), _("Enemies put out of action")
    return measure_told(book, measure), ""


def measure_told(book: Book, measure: Measure) -> str:
    """What gangs are ranked by, within a sentence."""
    match measure:
        case "wins":
            return _("games won")
        case "money":
            return _("money from games")
        case "taken_out":
            return _("enemies taken out")
        case "rating":
            return spoken(book.rating.name) if book.rating else measure
        case "points":
            return spoken(book.campaign.points_name) if book.campaign.points_name else measure


def news_drawn(campaign: Campaign, past: Past) -> list[tuple[Line, SafeString]]:
    """What happened last, in sentences."""

    def drawn() -> list[tuple[Line, SafeString]]:
        lines = newest(told(past), NEWS)
        return [(line, linked(past.book, campaign.pk, line)) for line in lines]

    return past.once(("news", language()), drawn)


def games_drawn(recalled: Recalled, user: User) -> tuple[SafeString, list[Duty]]:
    """The newest games, and all that wait for the user, however old."""

    def drawn() -> tuple[SafeString, list[Duty]]:
        lines, duties = game_lines(recalled, user, NEWEST)
        return render_to_string("campaigns/_game_lines.html", {"lines": lines}), duties

    organises = recalled.campaign.is_run_by(user)
    # A game that is to come waits for nobody before its day.
    key = ("games", language(), user.pk, organises, timezone.localdate())
    return recalled.past.once(key, drawn)


def all_games_drawn(recalled: Recalled, user: User) -> tuple[SafeString, list[Duty]]:
    """All games, and all that wait for the user."""
    lines, duties = game_lines(recalled, user, len(recalled.games))
    return render_to_string("campaigns/_game_lines.html", {"lines": lines}), duties


def game_lines(recalled: Recalled, user: User, most: int) -> tuple[list[GameLine], list[Duty]]:
    """The newest games, and what waits for the user."""
    base = reverse("campaigns:list")
    book = recalled.past.book
    shown = [
        game_line(book, game, sides, user, f"{base}games/{game.pk}/")
        for game, sides in recalled.shown(most).items()
    ]
    lines = told_apart(shown[::-1])[::-1]
    duties = [
        Duty(awaited.url, awaited.text, f"{line.title}, {line.day}")
        for line in lines
        for awaited in line.awaits
        if awaited.url
    ]
    return lines[:most], [*duties, *_offers(recalled, user)]


def _offers(recalled: Recalled, user: User) -> list[Duty]:
    """Bargains that the user is to answer."""
    if not user.is_authenticated:
        return []
    gangs = {row.gang_id: row.gang for row in recalled.memberships}
    url = reverse("campaigns:captives", args=[recalled.campaign.pk])
    found = []
    for bargain in recalled.bargains:
        if bargain.status == Bargain.Status.OPEN:
            bargain.campaign = recalled.campaign
            bargain.giver, bargain.taker = (
                gangs.get(key) if key else None for key in (bargain.giver_id, bargain.taker_id)
            )
            if may_answer(bargain, user):
                found.append(Duty(url, _("An offer about captives awaits an answer"), str(bargain)))
    return found
