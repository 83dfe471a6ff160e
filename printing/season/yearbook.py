"""The yearbook of a campaign: a printed booklet with the whole story.

An organiser's corrections of the records are on the chronicle's page; the book shows only the
result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import batched, groupby
from math import ceil

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.dates import date_format
from campaigns.engine.league.ranking import Results
from campaigns.games.game_story import Tale
from campaigns.models import Campaign
from campaigns.season import chart_text, charting
from campaigns.season.chart_text import MeetingLine, meeting_lines
from campaigns.season.chronicle_text import chronicle_lines, plain
from campaigns.season.standings.text import rank_gangs
from campaigns.season.trophies.text import trophy_lines
from campaigns.statistics import records
from campaigns.statistics.charts import TOGETHER
from campaigns.statistics.chronicle import Day, Line, days
from campaigns.statistics.records import Grave, Leader
from campaigns.statistics.season_facts import Season
from campaigns.statistics.signs import assign_signs
from gangs.text.formats import localize, rules_name
from printing.paper import orders
from printing.paper.orders import Order
from printing.paper.page import ornament, page_rules
from printing.paper.scenery import emblem_picture
from printing.press.jobs import Job, picture_address
from printing.season import marks, standings_sheet
from printing.season.gangpages import gang_pages
from printing.season.heroes import Hero, heroes
from printing.season.lives import life
from printing.season.material import Material, contents, material

STYLES = ("fonts", "yearbook")
# Rules that save the last page of a book in large print, if it is nearly empty.
TIGHTER = "html { line-height: 1.24 } .chart > svg { width: 92% } .gang { margin-bottom: 3mm }"
# Events that a book leaves out: corrections of its records.
UNTOLD = frozenset({"corrected", "taken_back"})
# The columns of a table of meetings, fewer in large print; the length of a list of the best.
ACROSS, ACROSS_LARGE = 14, 6
BEST = 5
# Letters in a line of half a page's width, and the most such lines in one column.
HALF, MANY_LINES = 48, 30
# The size of letters in a chart that is 860 wide: 8.4 points on paper, and 10.
LETTERS, LETTERS_LARGE = 15.0, 18.0
EMPTY: Mapping[tuple[str, int | None], str] = {}
NO_PHOTOS: Mapping[str, Sequence[tuple[str, str]]] = {}
# The most photos in a book: the press reads them all.
MOST_PHOTOS = 120
# Letters of a name that fit a cover in the largest type, and in the next.
LARGE, MIDDLING = 18, 40


def key(campaign: Campaign, order: Order) -> str:
    """Return the key of a printed yearbook, without rendering it."""
    return orders.key("yearbook", campaign.pk, *contents(campaign), order)


def job(campaign: Campaign, order: Order) -> Job:
    """Return the yearbook for the press."""
    found = material(campaign)
    best = heroes(found.loaded.season)
    # Photographs take ink.
    pictures = found.pictures([hero.key for hero in best]) if order.illustrated else {}
    photos = found.photos_of(MOST_PHOTOS) if order.illustrated else {}
    files = (*pictures.values(), *(file for some in photos.values() for file, _caption in some))
    return print_job(html(found, order, best, pictures, photos), order, files)


def print_job(content: str, order: Order, pictures: tuple[str, ...] = ()) -> Job:
    """Return the HTML of a yearbook as a job."""
    return Job(content, STYLES, pictures, tighter=TIGHTER if order.plain else "")


@dataclass(frozen=True)
class Event:
    """A game with its results, the players' tales of it and its photos, each with its caption; or,
    without a ``head``, the events between games.
    """

    head: str
    lines: Sequence[str]
    tales: Sequence[Tale]
    photos: Sequence[tuple[str, str]] = ()

    @property
    def long(self) -> bool:
        """Whether the event's text needs the full width of the page."""
        if self.photos:
            return True
        told = [*self.lines, *(line for tale in self.tales for line in tale.text.splitlines())]
        return sum(ceil(len(line) / HALF) for line in told) > MANY_LINES


@dataclass(frozen=True)
class Chapter:
    """A day of the chronicle. ``night``: the number of its game night, 0 if none; ``place``: where
    it was.
    """

    anchor: str
    title: str
    night: int
    place: str
    events: Sequence[Event]

    @property
    def has_games(self) -> bool:
        """Whether a game was played on that day."""
        return any(event.head for event in self.events)


@dataclass(frozen=True)
class ChartFigure:
    """A chart."""

    title: str
    drawing: SafeString


@dataclass(frozen=True)
class MeetingTable:
    """Meetings between gangs, in as many columns as there is room for: the gangs' numbers, and each
    gang's meetings with them.
    """

    columns: Sequence[int]
    rows: Sequence[tuple[MeetingLine, Sequence[Results | None]]]

    @property
    def few(self) -> bool:
        """Whether there is room for larger figures."""
        return len(self.columns) <= ACROSS // 2


def html(
    found: Material,
    order: Order,
    best: Sequence[Hero] | None = None,
    pictures: Mapping[tuple[str, int | None], str] = EMPTY,
    photos: Mapping[str, Sequence[tuple[str, str]]] = NO_PHOTOS,
) -> str:
    """Return the yearbook as HTML for the press. ``best``: its heroes, if they are known already;
    ``pictures``: the files of the pictures to print, as ``Material.pictures``.
    """
    season, look = found.loaded.season, found.loaded.season.book.look
    best = heroes(season) if best is None else best
    shown = {key: picture_address(file) for key, file in pictures.items()}
    signs = marks.print_signs(assign_signs(season), ink=not order.illustrated)
    graves = records.graveyard(season)
    chapters = list(_chapters(found, photos))
    famous = records.hall_of_fame(season)
    rules = f"{localize(season.book.title)} {rules_name(season.book)}"
    context = {
        "campaign": found.loaded.campaign,
        "order": order,
        "ink": not order.illustrated,
        "book": season.book,
        "rules": rules,
        "measures": page_rules(order, look, ornament=ornament(order, look)),
        "size": _size(found.loaded.campaign.name),
        "span": _span(season),
        "facts": _facts(season, graves),
        "contents": list(_contents(found, best, famous)),
        "trophies": trophy_lines(season),
        "stages": found.stages,
        "standings": standings_sheet.table(season, signs),
        "charts": list(_charts(season, order)) if season.games else [],
        "chapters": chapters,
        "tables": list(_tables(season, ACROSS_LARGE if order.plain else ACROSS)),
        "lists": list(_lists(season, famous)) if season.games else [],
        "streaks": famous.streaks[:BEST],
        "heroes": [(hero, signs[hero.gang.id], shown.get(hero.key, "")) for hero in best],
        "frame": f"{best[0].picture(order.paper, len(best) - 1):.0f}mm" if best else "",
        "scenery": emblem_picture(order, look, rules),
        "legends": [
            (leader, life(season, leader.gang, leader.member)) for leader in famous.legends
        ],
        "graves": [(grave, life(season, grave.gang, grave.member)) for grave in graves],
        "pages": [
            (page, signs[page.gang.id], shown.get((page.gang.id, None), ""))
            for page in gang_pages(season, rank_gangs(season), found.rosters)
        ],
    }
    return render_to_string("printing/season/yearbook.html", context)


def _contents(
    found: Material, best: Sequence[Hero], famous: records.HallOfFame
) -> Iterator[tuple[str, str]]:
    """Yield the parts of the book: the anchor of each, and its title."""
    season = found.loaded.season
    parts = (
        ("heroes", best, _("The hero of the season")),
        ("standings", True, _("Standings")),
        ("league", found.stages, _("League")),
        ("trophies", trophy_lines(season), _("Trophies")),
        ("met", meeting_lines(season), _("Who met whom")),
        ("charts", season.games, _("Charts and records")),
        ("chronicle", True, _("Chronicle")),
        ("gangs", True, _("The gangs")),
        ("fame", famous.legends, _("Hall of fame")),
        ("graveyard", True, _("Graveyard")),
    )
    yield from ((name, title) for name, there, title in parts if there)


def _lists(season: Season, famous: records.HallOfFame) -> Iterator[tuple[str, Sequence[Leader]]]:
    """Yield the lists of the best, each with its title."""
    yield _("Most enemies taken out"), records.most_feared(season)[:BEST]
    yield _("Most games"), famous.most_games[:BEST]
    if famous.most_experience:
        name = localize(season.book.experience_word)
        yield name, famous.most_experience[:BEST]


def _chapters(
    found: Material, photos: Mapping[str, Sequence[tuple[str, str]]]
) -> Iterator[Chapter]:
    """Yield the chronicle, the oldest day first, as in a book."""
    lines = sorted(chronicle_lines(found.loaded.season), key=lambda line: line.day)
    number = 0
    for day in days(found.loaded.season, [line for line in lines if line.kind not in UNTOLD]):
        held = [found.nights[night] for night in day.nights if night in found.nights]
        number += bool(held)
        yield Chapter(
            anchor=f"day-{day.day.isoformat()}",
            title=capfirst(date_format(day.day, "l j F Y")),
            night=number if held else 0,
            place=", ".join(dict.fromkeys(night.place for night in held if night.place)),
            events=list(_events(found, day, photos)),
        )


def _events(
    found: Material, day: Day, photos: Mapping[str, Sequence[tuple[str, str]]]
) -> Iterator[Event]:
    """Yield the events of a day: each game with its results, and the events between games."""

    def sentence(line: Line) -> str:
        return plain(found.loaded.season.book, line)

    for game, group in groupby(day.lines, key=lambda line: line.game):
        lines = list(group)
        if game:
            tales = found.tales_of.get(game, ())
            shown = [(picture_address(file), caption) for file, caption in photos.get(game, ())]
            yield Event(sentence(lines[0]), [sentence(line) for line in lines[1:]], tales, shown)
        else:
            yield Event("", [sentence(line) for line in lines], ())


def _charts(season: Season, order: Order) -> Iterator[ChartFigure]:
    """Yield each chart with eight gangs at a time, the best first."""
    letters = LETTERS_LARGE if order.plain else LETTERS
    for chart in chart_text.charts_of(season):
        groups = chart_text.groups(season)
        for number, group in enumerate(groups):
            title = chart_text.title(season, chart)
            if len(groups) > 1:
                first = number * TOGETHER + 1
                places = {"title": title, "first": first, "last": first + len(group) - 1}
                title = _("%(title)s, places %(first)s–%(last)s") % places
            drawing = chart_text.drawing(season, chart, group, title)
            colours = marks.colours(ink=not order.illustrated)
            yield ChartFigure(title, charting.for_print(drawing, letters, colours))


def _tables(season: Season, most: int) -> Iterator[MeetingTable]:
    """Yield the tables of meetings, each with at most ``most`` columns: as few tables as possible,
    and about equally wide, so that none has a single column."""
    lines = meeting_lines(season)
    tables = ceil(len(lines) / most) or 1
    for across in batched([line.number for line in lines], ceil(len(lines) / tables) or 1):
        here = slice(across[0] - 1, across[-1])
        yield MeetingTable(across, [(line, line.meetings[here]) for line in lines])


def _facts(season: Season, graves: Sequence[Grave]) -> list[tuple[int, str]]:
    """Return the campaign in figures: each number, and its label."""
    nights = len({game.night for game in season.games if game.night})
    gangs, games, dead = len(rank_gangs(season)), len(season.games), len(graves)
    facts = [
        (gangs, ngettext("gang", "gangs", gangs)),
        (nights, ngettext("night", "nights", nights)),
        (games, ngettext("game", "games", games)),
        (dead, ngettext("dead", "dead", dead)),
    ]
    return [(number, what) for number, what in facts if number]


def _span(season: Season) -> str:
    """Return the first and last day of play."""
    if not season.games:
        joined = [localtime(gang.joined_at).date() for gang in season.gangs]
        return _day(min(joined)) if joined else ""
    first, last = season.games[0].day, season.games[-1].day
    return _day(first) if first == last else f"{_day(first)} – {_day(last)}"


def _day(day: date) -> str:
    return date_format(day, "j F Y")


def _size(name: str) -> str:
    """Return the size of the name on the cover."""
    longest = max(map(len, name.split()), default=0)
    if len(name) <= LARGE and longest <= LARGE * 2 // 3:
        return "large"
    return "middling" if len(name) <= MIDDLING and longest <= LARGE else "small"
