"""Standings: what each gang of a campaign has to show for its confirmed games.

A gang that has left keeps its line, and so does one that was deleted: by its name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import get_args

from campaigns.income import income, points
from campaigns.past import Past
from campaigns.situation import Situation
from rules.book import Book
from rules.costing import Points
from rules.season import Measure
from rules.vocabulary import Settings

MEASURES: tuple[Measure, ...] = get_args(Measure)


@dataclass(frozen=True)
class Record:
    """One gang: what it is called, what it is worth, and its sides of confirmed games.

    ``gang``: as ``PastSide.who``; ``gone``: it no longer plays here.
    """

    gang: str
    name: str
    rating: Points
    situations: tuple[Situation, ...] = ()
    gone: bool = False


@dataclass(frozen=True)
class Row:
    """One line of the standings. Gangs that are equal in every measure share a place."""

    place: int
    gang: str
    name: str
    rating: Points
    won: int = 0
    level: int = 0
    lost: int = 0
    money: Points = 0
    taken_out: int = 0
    points: int = 0
    shared: bool = False
    gone: bool = False

    @property
    def played(self) -> int:
        """How many games."""
        return self.won + self.level + self.lost

    def value(self, measure: Measure) -> Points:
        """One thing that gangs are ranked by."""
        values: dict[Measure, Points] = {
            "wins": self.won,
            "money": self.money,
            "rating": self.rating,
            "taken_out": self.taken_out,
            "points": self.points,
        }
        return values[measure]


def records(past: Past) -> list[Record]:
    """What the standings of a campaign are made of."""
    lived: dict[str, list[Situation]] = {gang.id: [] for gang in past.gangs}
    ratings: dict[str, Points] = {}
    for game, side in past.sides():
        # Of a gang that exists, but is no member, nothing is known but the games.
        who = side.who
        lived.setdefault(who, []).append(game.situation(side))
        ratings[who] = side.rating
    ratings |= {gang.id: past.rating(gang) for gang in past.gangs}
    stay = {gang.id for gang in past.gangs if gang.left_at is None}
    return [
        Record(who, past.names[who], ratings[who], tuple(situations), gone=who not in stay)
        for who, situations in lived.items()
        if who in stay or situations
    ]


def standings(book: Book, settings: Settings, records: Iterable[Record]) -> list[Row]:
    """The gangs in order, ranked by the rulebook's measures, the most telling first."""
    measures = book.campaign.standings
    rows = [_row(book, settings, record) for record in records]
    ranked = sorted(rows, key=lambda row: row.name.casefold())
    ranked.sort(key=lambda row: merits(row, measures), reverse=True)
    places: list[Row] = []
    for row in ranked:
        equals = [merits(other, measures) == merits(row, measures) for other in ranked]
        place = equals.index(True) + 1
        places.append(replace(row, place=place, shared=sum(equals) > 1))
    return places


def merits(row: Row, measures: Iterable[Measure]) -> tuple[Points, ...]:
    """What the row is ranked by."""
    return tuple(row.value(measure) for measure in measures)


def columns(book: Book) -> list[Measure]:
    """Every measure that the game knows, those that the rulebook ranks by first."""
    unknown = set()
    if book.money is None:
        unknown.add("money")
    if book.rating is None:
        unknown.add("rating")
    if book.campaign.points_name is None:
        unknown.add("points")
    others = [key for key in MEASURES if key not in book.campaign.standings]
    return [*book.campaign.standings, *(key for key in others if key not in unknown)]


def _row(book: Book, settings: Settings, record: Record) -> Row:
    sides = [situation.side for situation in record.situations]
    return Row(
        place=0,
        gone=record.gone,
        gang=record.gang,
        name=record.name,
        rating=record.rating,
        won=sides.count("winner"),
        level=sides.count("level"),
        lost=sides.count("loser"),
        money=sum(
            earned.amount
            for situation in record.situations
            for earned in income(book, settings, situation)
        ),
        taken_out=sum(situation.report.taken_out() for situation in record.situations),
        points=sum(points(book, settings, situation) for situation in record.situations),
    )
