"""The heroes of a season: its hero, and the best member of every other gang."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from math import ceil

from django.utils.timezone import make_aware
from django.utils.translation import ngettext

from campaigns.engine.script import played_entry
from campaigns.statistics.records import count_games, count_taken_out
from campaigns.statistics.season_facts import Season, SeasonGang
from gangs.engine.timeline import Person
from gangs.text.formats import localize
from printing.paper.orders import Paper
from printing.sheets import deeds
from printing.sheets.deeds import Fight
from rules.book.vocabulary import name_of
from typesetting.measuring import fitting_name, lines_height

# The number of other gangs with a hero in the book.
OTHERS = 6
# Points: the letters of a hero's name, and the millimetres that it may take.
NAMES = (44, 38, 33, 28, 24, 20)
ROOM = 168
# Millimetres: the height of a page; the parts beside the picture, the name and the others; a row of
# two others; the largest picture; a line of the name in heights of letters. As in
# static/print/yearbook.css.
HIGH: dict[Paper, float] = {"a4": 261, "letter": 243}
AROUND, ANOTHER, LARGEST, LINE = 112, 20, 100, 1.05


@dataclass(frozen=True)
class Hero:
    """The best member of a gang. ``rank``: their rank, "" if it is their only name; ``figures``:
    numbers, each with its unit; ``deeds``: in sentences, the greatest first; ``fallen``: they are
    dead.
    """

    gang: SeasonGang
    member: int
    name: str
    rank: str
    figures: Sequence[tuple[int, str]]
    deeds: Sequence[str]
    fallen: bool

    @property
    def key(self) -> tuple[str, int]:
        """The key of the member, unique in the season."""
        return self.gang.id, self.member

    @property
    def size(self) -> float:
        """The size of the letters of their name, in points."""
        return fitting_name(self.name, NAMES, ROOM, one_line=NAMES[1])[0]

    def picture(self, paper: Paper, others: int) -> float:
        """Return the size of their picture, in millimetres, on a page with this many ``others``."""
        size, lines = fitting_name(self.name, NAMES, ROOM, one_line=NAMES[1])
        name = lines_height(len(lines), size, LINE)
        return min(LARGEST, HIGH[paper] - AROUND - name - ceil(others / 2) * ANOTHER)


def heroes(season: Season) -> list[Hero]:
    """Return the hero of the season, then the best of some other gangs, the best first.

    They are ranked by the enemies taken out in the games here, then by experience and games. A
    member with neither enemies nor experience is not a hero.
    """
    out, fielded = count_taken_out(season), count_games(season)

    def merits(gang: SeasonGang, person: Person) -> tuple[int, int, int, int]:
        key = gang.id, person.id
        return out[key], person.experience, fielded[key], -person.id

    found = []
    for gang in season.gangs:
        best = max(gang.timeline.people, key=lambda person: merits(gang, person), default=None)
        if best is not None and any(merits(gang, best)[:2]):
            found.append((merits(gang, best), gang, best))
    found.sort(key=lambda row: row[0], reverse=True)
    return [
        _hero(season, gang, best, out[gang.id, best.id], fielded[gang.id, best.id])
        for _merits, gang, best in found[: 1 + OTHERS]
    ]


def _hero(season: Season, gang: SeasonGang, person: Person, out: int, games: int) -> Hero:
    rank = localize(name_of(season.book.rank, person.rank))
    # The deeds count the games and enemies of this campaign, as the figures beside them do.
    person = person.model_copy(update={"games": games, "taken_out": out})
    return Hero(
        gang=gang,
        member=person.id,
        name=person.name or rank,
        rank=rank if person.name else "",
        figures=list(_figures(season, person, out, games)),
        deeds=deeds.deeds(_past(season, gang), person, person.name or rank, gang.name),
        fallen=person.fate == "dead",
    )


def _figures(season: Season, person: Person, out: int, games: int) -> Iterator[tuple[int, str]]:
    """Yield a member's numbers that are not zero."""
    found = [
        (games, ngettext("game", "games", games)),
        (out, ngettext("enemy out", "enemies out", out)),
        (person.experience, localize(season.book.experience_word)),
    ]
    yield from ((number, what) for number, what in found if number)


def _past(season: Season, gang: SeasonGang) -> deeds.Season:
    """Return the gang's past in this campaign, in the form that ``deeds`` reads."""
    fights = tuple(
        Fight(
            make_aware(datetime.combine(game.day, time(12))), played_entry(game.game_report(side))
        )
        for game, side in season.sides()
        if side.gang == gang.id
    )
    return deeds.Season(season.book, fights, gang.timeline)
