"""Standings: what each gang of a campaign has to show for its confirmed games.

A gang that has left keeps its line, and so does one that was deleted: by its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import get_args

from campaigns.engine.income import income, points
from campaigns.engine.report import GameReport
from campaigns.statistics.season_facts import Season, SeasonGame, SeasonSide
from rules.book.model import Book, Rules
from rules.book.season import Measure
from rules.engine.costing import Points

MEASURES: tuple[Measure, ...] = get_args(Measure)


@dataclass(frozen=True, kw_only=True)
class Totals:
    """What games brought one gang."""

    won: int = 0
    level: int = 0
    lost: int = 0
    money: Points = 0
    taken_out: int = 0
    points: int = 0

    @property
    def played(self) -> int:
        """How many games."""
        return self.won + self.level + self.lost


@dataclass(frozen=True, kw_only=True)
class Row(Totals):
    """One line of the standings. Gangs that are equal in every measure share a place.

    ``gang``: as ``SeasonSide.who``; ``rating``: what it is worth; ``gone``: it no longer plays
    here.
    """

    gang: str
    name: str
    rating: Points
    gone: bool = False
    place: int = 0
    shared: bool = False

    def value(self, measure: Measure) -> Points:
        """One thing that gangs are ranked by."""
        value: Points = getattr(self, "won" if measure == "wins" else measure)
        return value


def totals(rules: Rules, game_report: GameReport) -> Totals:
    """What a game brought a side of it."""
    return Totals(
        won=int(game_report.side == "winner"),
        level=int(game_report.side == "level"),
        lost=int(game_report.side == "loser"),
        money=sum(earned.amount for earned in income(rules, game_report)),
        taken_out=game_report.report.taken_out(),
        points=points(rules, game_report),
    )


def find_played(season: Season) -> Iterator[tuple[SeasonGame, SeasonSide, Totals]]:
    """Every side of every confirmed game, oldest first, with what the game brought it."""
    for game in season.games:
        found = season.cached(game, "totals", partial(_of_sides, season, game))
        for side, brought in zip(game.sides, found, strict=True):
            yield game, side, brought


def _of_sides(season: Season, game: SeasonGame) -> list[Totals]:
    reports = [game.game_report(side) for side in game.sides]
    return [totals(season.rules, report) for report in reports]


def row(
    gang: str, name: str, rating: Points, games: Iterable[Totals], *, gone: bool = False
) -> Row:
    """The line of a gang that has played these games, without a place yet."""
    games = list(games)
    sums = {part.name: sum(getattr(game, part.name) for game in games) for part in fields(Totals)}
    return Row(gang=gang, name=name, rating=rating, gone=gone, **sums)


def season_rows(season: Season) -> list[Row]:
    """The lines of all gangs of a campaign that still play or have played, without their places."""
    games: dict[str, list[Totals]] = {gang.id: [] for gang in season.gangs}
    ratings: dict[str, Points] = {}
    for _game, side, brought in find_played(season):
        # Of a gang that exists, but is no member, nothing is known but the games.
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
    """The gangs in order, ranked by the rulebook's measures, the most telling first."""
    measures = book.campaign.standings
    by_name = sorted(rows, key=lambda row: row.name.casefold())
    ranked = sorted(by_name, key=lambda row: merits(row, measures), reverse=True)
    order = [merits(row, measures) for row in ranked]
    return [
        replace(row, place=order.index(own) + 1, shared=order.count(own) > 1)
        for row, own in zip(ranked, order, strict=True)
    ]


def merits(row: Row, measures: Iterable[Measure]) -> tuple[Points, ...]:
    """What the row is ranked by."""
    return tuple(row.value(measure) for measure in measures)


def columns(book: Book) -> list[Measure]:
    """Every measure that the game knows, those that the rulebook ranks by first."""
    optional = {"money": book.money, "rating": book.rating, "points": book.campaign.points_name}
    unknown = {key for key, name in optional.items() if name is None}
    others = [key for key in MEASURES if key not in {*book.campaign.standings, *unknown}]
    return [*book.campaign.standings, *others]
