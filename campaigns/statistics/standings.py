"""Standings: the totals of each gang's confirmed games in a campaign, and its place.

Games without a battle count as the club says: by default, only as a win for the side that came.
A gang that has left keeps its line; a deleted one keeps it under its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import get_args

from campaigns.engine.how import FOUGHT, ClubResults, pay_side
from campaigns.engine.income import income, points
from campaigns.engine.report import GameReport
from campaigns.statistics.season_facts import Season, SeasonGame, SeasonSide
from rules.book.model import Book, Rules
from rules.book.season import Measure
from rules.engine.costing import Points

MEASURES: tuple[Measure, ...] = get_args(Measure)


@dataclass(frozen=True, kw_only=True)
class Totals:
    """One gang's totals from its games."""

    won: int = 0
    level: int = 0
    lost: int = 0
    money: Points = 0
    taken_out: int = 0
    points: int = 0

    @property
    def played(self) -> int:
        """The number of games."""
        return self.won + self.level + self.lost


NOTHING = Totals()


@dataclass(frozen=True, kw_only=True)
class Row(Totals):
    """One line of the standings. Gangs that are equal in every measure share a place.

    ``gang``: as ``SeasonSide.who``; ``gone``: it no longer plays here.
    """

    gang: str
    name: str
    rating: Points
    gone: bool = False
    place: int = 0
    shared: bool = False

    def value(self, measure: Measure) -> Points:
        """The value of one of the measures that rank gangs."""
        value: Points = getattr(self, "won" if measure == "wins" else measure)
        return value


def totals(rules: Rules, game_report: GameReport) -> Totals:
    """One side's totals from one game."""
    counts = game_report.pay.counts if game_report.pay is not None else game_report.side
    return Totals(
        won=int(counts == "winner"),
        level=int(counts == "level"),
        lost=int(counts == "loser"),
        money=sum(earned.amount for earned in income(rules, game_report)),
        taken_out=game_report.report.taken_out(),
        points=points(rules, game_report),
    )


def find_played(season: Season) -> Iterator[tuple[SeasonGame, SeasonSide, Totals]]:
    """Every side that a confirmed game counts for, oldest first, with its totals from that game. A
    game without a battle does not count for a side to which it brings nothing."""
    for game in season.counted:
        make = partial(_of_sides, season.rules, season.club, game)
        found = season.cached(game, "totals", make, season.club)
        for side, brought in zip(game.sides, found, strict=True):
            if game.how in FOUGHT or brought != NOTHING:
                yield game, side, brought


def _of_sides(rules: Rules, club: ClubResults, game: SeasonGame) -> list[Totals]:
    sides = [
        (side, pay_side(rules, club, game.how, side.kind, side.place, len(game.sides)))
        for side in game.sides
    ]
    return [totals(rules, game.game_report(side, pay)) for side, pay in sides]


def row(
    gang: str, name: str, rating: Points, games: Iterable[Totals], *, gone: bool = False
) -> Row:
    """The line of a gang that has played these games, still without its place."""
    games = list(games)
    sums = {part.name: sum(getattr(game, part.name) for game in games) for part in fields(Totals)}
    return Row(gang=gang, name=name, rating=rating, gone=gone, **sums)


def season_rows(season: Season) -> list[Row]:
    """The lines of all gangs that play or have played in a campaign, still without places."""
    games: dict[str, list[Totals]] = {gang.id: [] for gang in season.gangs}
    ratings: dict[str, Points] = {}
    for _game, side, brought in find_played(season):
        # A gang that exists but is not in the campaign has only its games.
        games.setdefault(side.who, []).append(brought)
        ratings[side.who] = side.rating
    ratings |= {gang.id: season.rating(gang) for gang in season.gangs}
    stay = {gang.id for gang in season.gangs if gang.left_at is None}
    return [
        row(who, season.names[who], ratings[who], brought, gone=who not in stay)
        for who, brought in games.items()
        if who in stay or brought
    ]


def standings(book: Book, rows: Iterable[Row]) -> list[Row]:
    """Rank the gangs by the rulebook's measures and give them their places."""
    measures = book.campaign.standings
    by_name = sorted(rows, key=lambda row: row.name.casefold())
    ranked = sorted(by_name, key=lambda row: merits(row, measures), reverse=True)
    order = [merits(row, measures) for row in ranked]
    return [
        replace(row, place=order.index(own) + 1, shared=order.count(own) > 1)
        for row, own in zip(ranked, order, strict=True)
    ]


def merits(row: Row, measures: Iterable[Measure]) -> tuple[Points, ...]:
    """The values that rank the row, the most important first."""
    return tuple(row.value(measure) for measure in measures)


def columns(book: Book) -> list[Measure]:
    """Every measure that the game uses, those that the rulebook ranks by first."""
    optional = {"money": book.money, "rating": book.rating, "points": book.campaign.points_name}
    unknown = {key for key, name in optional.items() if name is None}
    others = [key for key in MEASURES if key not in {*book.campaign.standings, *unknown}]
    return [*book.campaign.standings, *others]
