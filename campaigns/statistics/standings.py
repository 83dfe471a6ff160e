"""Standings: the totals of each gang's confirmed games in a campaign, and its place.

Games without a battle count as the club says: by default, only as a win for the side that came.
A gang that has left keeps its line; a deleted one keeps it under its name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import partial

from campaigns.engine.how import FOUGHT, pay_side
from campaigns.engine.income import income, points
from campaigns.engine.league.ranking import Meetings, Seam, draw, rank, rate_opponents
from campaigns.engine.league.standings_rules import BY_THE_BOOK, Column, Criterion, StandingsRules
from campaigns.engine.report import GameReport
from campaigns.statistics.records import meetings
from campaigns.statistics.season_facts import Season, SeasonGame, SeasonSide
from common.text import fold_letters
from rules.book.model import Book, Rules
from rules.engine.costing import Points


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

    @property
    def share(self) -> Fraction:
        """The share of its games that it won; a level game counts half. 0 without games."""
        return Fraction(2 * self.won + self.level, 2 * self.played) if self.played else Fraction(0)


NOTHING = Totals()


@dataclass(frozen=True, kw_only=True)
class Row(Totals):
    """One line of the standings. Gangs that are equal in every criterion share a place.

    ``gang``: as ``SeasonSide.who``; ``points``: includes the ``bonus`` by the organisers, less than
    0 for a penalty; ``strength``: its opponents, as ``rate_opponents``; ``gone``: it no longer
    plays here; ``seam``: what puts it ``ahead`` of the next place, or the last place behind the one
    before; None if there is no other place.
    """

    gang: str
    name: str
    rating: Points
    bonus: int = 0
    strength: Fraction = Fraction(0)
    gone: bool = False
    place: int = 0
    shared: bool = False
    seam: Seam | None = None
    ahead: bool = True

    @property
    def shown_place(self) -> str:
        """Its place; "" in standings without places."""
        return str(self.place or "")

    def value(self, column: Column) -> Points | Fraction:
        """The value in one of the columns."""
        value: Points | Fraction = getattr(self, "won" if column == "wins" else column)
        return value


def totals(rules: Rules, game_report: GameReport, table: StandingsRules = BY_THE_BOOK) -> Totals:
    """One side's totals from one game."""
    counts = game_report.pay.counts if game_report.pay is not None else game_report.side
    return Totals(
        won=int(counts == "winner"),
        level=int(counts == "level"),
        lost=int(counts == "loser"),
        money=sum(
            earned.amount for earned in income(rules, game_report) if earned.currency is None
        ),
        taken_out=game_report.report.taken_out(),
        points=points(rules, game_report, table),
    )


def find_played(season: Season) -> Iterator[tuple[SeasonGame, SeasonSide, Totals]]:
    """Every side that a confirmed game counts for, oldest first, with its totals from that game. A
    game without a battle does not count for a side to which it brings nothing."""
    for game, side, brought in find_sides(season):
        if game.how in FOUGHT or brought != NOTHING:
            yield game, side, brought


def find_sides(season: Season) -> Iterator[tuple[SeasonGame, SeasonSide, Totals]]:
    """Every side of every confirmed game, oldest first, with its totals from that game."""
    for game in season.counted:
        make = partial(_of_sides, season, game)
        found = season.cached(game, "totals", make, (season.club, season.table.points))
        for side, brought in zip(game.sides, found, strict=True):
            yield game, side, brought


def _of_sides(season: Season, game: SeasonGame) -> list[Totals]:
    rules, club, table = season.rules, season.club, season.table
    sides = [
        (side, pay_side(rules, club, game.how, side.kind, side.place, len(game.sides), table))
        for side in game.sides
    ]
    return [totals(rules, game.game_report(side, pay), table) for side, pay in sides]


def row(
    gang: str,
    name: str,
    rating: Points,
    games: Iterable[Totals],
    *,
    gone: bool = False,
    bonus: int = 0,
) -> Row:
    """The line of a gang that has played these games, still without its place."""
    games = list(games)
    sums = {part.name: sum(getattr(game, part.name) for game in games) for part in fields(Totals)}
    sums["points"] += bonus
    return Row(gang=gang, name=name, rating=rating, gone=gone, bonus=bonus, **sums)


def season_rows(season: Season) -> list[Row]:
    """The lines of all gangs that play or have played in a campaign, still without places."""
    games: dict[str, list[Totals]] = {gang.id: [] for gang in season.gangs}
    ratings: dict[str, Points] = {}
    for _game, side, brought in find_played(season):
        # A gang that exists but is not in the campaign has only its games.
        games.setdefault(side.who, []).append(brought)
        ratings[side.who] = side.rating
    ratings |= {gang.id: season.rating(gang) for gang in season.gangs}
    stay = {gang.id for gang in season.gangs if gang.left_at is None and gang.retired_at is None}
    bonuses = count_bonuses(season)
    rows = [
        row(
            who,
            season.names[who],
            ratings[who],
            brought,
            gone=who not in stay,
            bonus=bonuses[who],
        )
        for who, brought in games.items()
        if who in stay or brought
    ]
    strengths = (
        rate_schedules(rows, meetings(season))
        if season.table.edition == 1
        else rate_opponents(games, (game.played for game in season.games))
    )
    return [replace(row, strength=strengths[row.gang]) for row in rows]


def count_bonuses(season: Season) -> dict[str, int]:
    """Each gang's bonuses less its penalties; 0 for every other gang."""
    bonuses: dict[str, int] = defaultdict(int)
    for adjustment in season.adjustments:
        if adjustment.counts:
            bonuses[adjustment.who] += adjustment.points
    return bonuses


def rate_schedules(rows: Iterable[Row], met: Meetings) -> dict[str, Fraction]:
    """Each gang's opponents by the first edition: the mean share of games that they won, those
    without a battle included."""
    shares = {row.gang: row.share for row in rows}
    faced: dict[str, list[Fraction]] = {gang: [] for gang in shares}
    for (gang, opponent), results in met.items():
        faced[gang] += [shares[opponent]] * results.games
    return {gang: sum(found, Fraction(0)) / max(1, len(found)) for gang, found in faced.items()}


def standings(
    book: Book,
    rows: Iterable[Row],
    table: StandingsRules = BY_THE_BOOK,
    met: Meetings | None = None,
    lots: Mapping[str, int] | None = None,
) -> list[Row]:
    """Rank the gangs by the club's rules and give them their places; without any criterion, list
    them by name, without places.

    ``met``: the results of all pairs of gangs; ``lots``: the number that each gang drew.
    """
    by_name = sorted(rows, key=lambda row: (fold_letters(row.name), row.gang))
    if not table.ranking_of(book):
        return by_name
    groups, seams = rank(
        {row.gang: {**_values(row), "lots": -(lots or {}).get(row.gang, 0)} for row in by_name},
        table.ranking_of(book),
        met or {},
        again=table.edition != 1,
    )
    known, ranked = {row.gang: row for row in by_name}, list[Row]()
    for number, group in enumerate(groups):
        ahead = number < len(seams)
        seam = seams[number if ahead else -1] if seams else None
        place = len(ranked) + 1
        ranked += [
            replace(known[gang], place=place, shared=len(group) > 1, seam=seam, ahead=ahead)
            for gang in group
        ]
    return ranked


def _values(row: Row) -> dict[Criterion, Points | Fraction]:
    return {
        "wins": row.won,
        "money": row.money,
        "rating": row.rating,
        "taken_out": row.taken_out,
        "points": row.points,
        "strength": row.strength,
    }


def rank_season(season: Season) -> list[Row]:
    """The standings of a season, best gang first."""
    rows = season_rows(season)
    lots = draw_lots(season, [row.gang for row in rows])
    met = meetings(season, season.counted)
    return standings(season.book, rows, season.table, met, lots)


def draw_lots(season: Season, gangs: Iterable[str]) -> dict[str, int]:
    """Each gang's lot, the lowest is the best. It depends on the seed and on when the gang joined,
    which a copy of the campaign on another site shares."""
    joined = [gang.joined_at.isoformat() for gang in season.gangs]
    keys = {
        gang.id: f"{at} {joined[:number].count(at)}"
        for number, (gang, at) in enumerate(zip(season.gangs, joined, strict=True))
    }
    return {gang: draw(season.table.seed, keys.get(gang, gang)) for gang in gangs}


def columns(book: Book, table: StandingsRules = BY_THE_BOOK) -> Sequence[Column]:
    """The columns of the standings, those that rank gangs first."""
    return table.columns_of(book)
