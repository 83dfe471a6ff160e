"""Figures for a campaign's charts: the progress of its gangs, day by day."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from campaigns.statistics.season_facts import Season
from campaigns.statistics.standings import find_played
from rules.engine.costing import Points

Chart = Literal["rating", "points", "money", "wins"]
# The number of lines that a reader can tell apart; more gangs need more charts.
TOGETHER = 8
# Known values of each gang, by the places of columns.
Known = dict[str, dict[int, Points]]


@dataclass(frozen=True)
class Series:
    """One gang's line. ``who``: as ``SeasonSide.who``; ``values``: None before it joined."""

    who: str
    name: str
    values: tuple[Points | None, ...]

    @property
    def last(self) -> Points:
        """The value at the end; 0 if there is none."""
        return next((value for value in reversed(self.values) if value is not None), 0)


@dataclass(frozen=True)
class Figures:
    """A chart's values: a column for the beginning (None), then one for every day of games."""

    columns: tuple[date | None, ...]
    series: tuple[Series, ...]

    def of(self, order: Sequence[str]) -> Figures:
        """The figures of these gangs only, in this order."""
        known = {row.who: row for row in self.series}
        return Figures(self.columns, tuple(known[who] for who in order if who in known))

    @property
    def bounds(self) -> tuple[Points, Points]:
        """The lowest and the highest value of all."""
        values = [value for row in self.series for value in row.values if value is not None]
        return min(values, default=0), max(values, default=0)


def figures(season: Season, chart: Chart) -> Figures:
    """The figures of every gang that has played, each from just before its first game on."""
    played = season.games if chart == "rating" else [game for game, *_ in find_played(season)]
    days = sorted({game.day for game in played})
    places = {day: place for place, day in enumerate(days, start=1)}
    known = _rate(season, places) if chart == "rating" else _sum_up(season, places, chart)
    return Figures(
        (None, *days),
        tuple(
            Series(who, season.names[who], _fill(values, len(days) + 1))
            for who, values in known.items()
        ),
    )


def _fill(known: Mapping[int, Points], columns: int) -> tuple[Points | None, ...]:
    """A value for every column, starting just before the gang's first game: the latest known."""
    start = min(column for column in known if column > 0) - 1
    values: list[Points | None] = [None] * start + [known.get(-1, 0)]
    for column in range(start + 1, columns):
        values.append(known.get(column, values[-1]))
    return tuple(values)


def _sum_up(season: Season, places: Mapping[date, int], chart: Chart) -> Known:
    """The running total of each gang's games."""
    measure = "won" if chart == "wins" else chart
    total: dict[str, Points] = defaultdict(int)
    known: Known = {}
    for game, side, brought in find_played(season):
        total[side.who] += getattr(brought, measure)
        known.setdefault(side.who, {})[places[game.day]] = total[side.who]
    if chart == "points":
        _adjust(season, places, known)
    return known


def _adjust(season: Season, places: Mapping[date, int], known: Known) -> None:
    """Add bonuses and penalties to points, from the first games on or after their day."""
    for adjustment in season.adjustments:
        values = known.get(adjustment.who)
        if values is not None and adjustment.counts:
            day, last = adjustment.at.date(), max(places.values())
            start = min((place for at, place in places.items() if at >= day), default=last)
            start = max(start, min(values))
            if start not in values:
                values[start] = values[max(at for at in values if at < start)]
            for place in values:
                values[place] += adjustment.points if place >= start else 0


def _rate(season: Season, places: Mapping[date, int]) -> Known:
    """Each gang's rating after the games of each column, and before its first game at -1.

    The rating on the day of the report replaces it if the gang is deleted or the post-game has not
    been played yet.
    """
    after = {
        (gang.id, moment.game): moment.rating
        for gang in season.gangs
        for moment in season.moments(gang)
    }
    known: Known = {}
    for game, side in season.sides():
        mine = known.setdefault(side.who, {-1: side.rating})
        mine[places[game.day]] = after.get((side.who, game.id), side.rating)
    return known


def spread_places(count: int, most: int) -> Sequence[int]:
    """At most ``most`` of ``count`` places, evenly spread, including the first and the last."""
    if count <= most:
        return range(count)
    return [round(place * (count - 1) / (most - 1)) for place in range(most)]


def thin_out(full: Figures, most: int) -> Figures:
    """The figures with at most ``most`` columns."""
    kept = spread_places(len(full.columns), most)
    return Figures(
        tuple(full.columns[place] for place in kept),
        tuple(
            replace(row, values=tuple(row.values[place] for place in kept)) for row in full.series
        ),
    )
