"""Players over several seasons: the all-time table and each player's career."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby

from campaigns.engine.league.ranking import Results
from campaigns.statistics.standings import Row, Totals
from common.text import fold_letters


@dataclass(frozen=True)
class PlayedSeason:
    """A season with its standings. ``players``: the key of each gang's player, by gang; a gang
    without a player is missing; ``met``: the results of all pairs of gangs; ``is_over``: its places
    are final."""

    id: str
    name: str
    rows: Sequence[Row]
    players: Mapping[str, str]
    met: Mapping[tuple[str, str], Results]
    is_over: bool = False


@dataclass(frozen=True)
class SeasonOfPlayer:
    """One season of a player: the lines of their gangs, the best first; ``is_title``: they won."""

    season: PlayedSeason
    rows: Sequence[Row]
    is_title: bool

    @property
    def gangs(self) -> int:
        """The number of gangs in that season."""
        return len(self.season.rows)

    @property
    def best(self) -> int:
        """The best place of their gangs."""
        return min(row.place for row in self.rows)


@dataclass(frozen=True, kw_only=True)
class PlayerCareer(Totals):
    """A player's totals over all seasons, the oldest season first. ``points`` are those that games
    brought, and bonuses."""

    player: str
    seasons: tuple[SeasonOfPlayer, ...] = ()
    place: int = 0
    shared: bool = False

    @property
    def titles(self) -> int:
        """The number of seasons that they won."""
        return sum(season.is_title for season in self.seasons)


def careers(seasons: Iterable[PlayedSeason]) -> dict[str, PlayerCareer]:
    """Each player's career over these seasons, given the oldest first."""
    found: dict[str, list[SeasonOfPlayer]] = {}
    for season in seasons:
        by_player: dict[str, list[Row]] = {}
        for row in season.rows:
            if row.gang in season.players:
                by_player.setdefault(season.players[row.gang], []).append(row)
        for player, rows in by_player.items():
            best = min(rows, key=lambda row: row.place)
            title = season.is_over and best.place == 1 and best.played > 0
            found.setdefault(player, []).append(SeasonOfPlayer(season, rows, title))
    return {player: _career(player, played) for player, played in found.items()}


def _career(player: str, seasons: Sequence[SeasonOfPlayer]) -> PlayerCareer:
    rows = [row for season in seasons for row in season.rows]
    return PlayerCareer(
        player=player,
        seasons=tuple(seasons),
        won=sum(row.won for row in rows),
        level=sum(row.level for row in rows),
        lost=sum(row.lost for row in rows),
        money=sum(row.money for row in rows),
        taken_out=sum(row.taken_out for row in rows),
        points=sum(row.points for row in rows),
    )


def all_time(seasons: Iterable[PlayedSeason], names: Mapping[str, str]) -> list[PlayerCareer]:
    """The all-time table: by seasons won, then games won, then the share of games won. Players who
    are equal in all three share a place; ``names``: the players' names, by key."""
    by_name = sorted(
        careers(seasons).values(),
        key=lambda one: (fold_letters(names.get(one.player, "")), one.player),
    )
    ranked: list[PlayerCareer] = []
    for _level, group in groupby(sorted(by_name, key=_merits, reverse=True), key=_merits):
        level, place = list(group), len(ranked) + 1
        ranked += [replace(career, place=place, shared=len(level) > 1) for career in level]
    return ranked


def _merits(career: PlayerCareer) -> tuple[int, int, Fraction]:
    return career.titles, career.won, career.share


def find_opponents(seasons: Iterable[PlayedSeason], player: str) -> dict[str, Results]:
    """The player's results against every other player, by key."""
    found: dict[str, Results] = {}
    for season in seasons:
        for (gang, other), results in season.met.items():
            opponent = season.players.get(other, player)
            if season.players.get(gang) == player and opponent != player:
                found[opponent] = found.get(opponent, Results()) + results
    return found
