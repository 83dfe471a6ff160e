"""Ranking: one criterion after the other splits the gangs that are still level. The tables of
stages and the standings of a campaign are both made by these functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import sha256
from itertools import groupby, permutations

from campaigns.engine.league.standings_rules import Criterion
from rules.book.season import SideKind
from rules.engine.costing import Points

Value = Points | Fraction
# A game as tables count it: its gangs, and how it ended for each.
Played = Sequence[tuple[str, SideKind]]

# Match points, and the least share of them that counts for an opponent, as in the usual opponents’
# match-win percentage.
MATCH_POINTS: Mapping[SideKind, int] = {"winner": 3, "level": 1, "loser": 0}
LEAST_SHARE = Fraction(1, 3)


@dataclass(frozen=True)
class Results:
    """One gang's results against another. If both lost to a third, neither beat the other, so the
    game counts as drawn."""

    won: int = 0
    level: int = 0
    lost: int = 0

    @property
    def games(self) -> int:
        """The number of meetings."""
        return self.won + self.level + self.lost

    def __add__(self, other: Results) -> Results:
        """The results of both together."""
        return Results(self.won + other.won, self.level + other.level, self.lost + other.lost)

    def after(self, mine: SideKind, theirs: SideKind) -> Results:
        """The results with one more game."""
        if mine == theirs or "level" in (mine, theirs):
            return replace(self, level=self.level + 1)
        if mine == "winner":
            return replace(self, won=self.won + 1)
        return replace(self, lost=self.lost + 1)


# The results of all pairs of gangs that met, by (one, the other).
Meetings = Mapping[tuple[str, str], Results]


def count_results(games: Iterable[Played]) -> dict[tuple[str, str], Results]:
    """The results of all pairs of gangs that met in these games, in both directions."""
    met: dict[tuple[str, str], Results] = {}
    for game in games:
        for (one, mine), (other, theirs) in permutations(game, 2):
            met[one, other] = met.get((one, other), Results()).after(mine, theirs)
    return met


def rate_opponents(gangs: Iterable[str], games: Iterable[Played]) -> dict[str, Fraction]:
    """Each gang's opponents: the mean, over its games, of the share of match points that its
    opponent has won in all of these games, at least a third for each of them. A gang without games
    has a third.

    This is the opponents' match-win percentage. ``games`` are those that were fought: byes and
    games without a battle are left out, so they bring nothing and cost nothing.
    """
    points: dict[str, int] = {}
    count: dict[str, int] = {}
    faced: dict[str, list[str]] = {gang: [] for gang in gangs}
    for game in games:
        for gang, kind in game:
            points[gang] = points.get(gang, 0) + MATCH_POINTS[kind]
            count[gang] = count.get(gang, 0) + 1
        for (gang, _mine), (opponent, _theirs) in permutations(game, 2):
            faced.setdefault(gang, []).append(opponent)
    best = MATCH_POINTS["winner"]
    shares = {
        gang: max(LEAST_SHARE, Fraction(won, best * count[gang])) for gang, won in points.items()
    }
    return {
        gang: sum((shares[one] for one in met), Fraction(0)) / len(met) if met else LEAST_SHARE
        for gang, met in faced.items()
    }


@dataclass(frozen=True)
class Seam:
    """The criterion that separates two neighbouring places, ``high`` and ``low``: a gang at each,
    and its value."""

    by: Criterion
    high: str
    low: str
    more: Value
    less: Value


def rank(
    values: Mapping[str, Mapping[Criterion, Value]],
    ranking: Sequence[Criterion],
    met: Meetings,
    *,
    again: bool = True,
) -> tuple[list[list[str]], list[Seam]]:
    """Rank gangs, given with their values. Returns groups of level gangs, the best first, and what
    separates each group from the next. Level gangs keep their order.

    Gangs that a criterion has separated stay so; those still level are compared by the next one.
    After each split, the games against each other of those still level are compared ``again``, if
    the ranking compared them before: they are now among fewer gangs.
    """
    groups, seams = _split(list(values), 0, ranking, values, met, again) if values else ([], [])
    # Neighbours are known at the end: a later criterion may have split both sides of a seam.
    return groups, [
        Seam(by, high[0], low[0], more, less)
        for (by, more, less), high, low in zip(seams, groups, groups[1:], strict=False)
    ]


def _split(
    group: list[str],
    first: int,
    ranking: Sequence[Criterion],
    values: Mapping[str, Mapping[Criterion, Value]],
    met: Meetings,
    again: bool,
) -> tuple[list[list[str]], list[tuple[Criterion, Value, Value]]]:
    """Split level gangs by the criteria from the one at ``first`` on: the groups, and what
    separates each from the next."""
    for number in range(first, len(ranking)) if len(group) > 1 else ():
        criterion = ranking[number]
        worth = _compare(group, values, criterion, met)
        ordered = sorted(group, key=worth.__getitem__, reverse=True)
        parts = [list(part) for _worth, part in groupby(ordered, key=worth.__getitem__)]
        if len(parts) == 1:
            continue
        following = number + 1
        if again and "head_to_head" in ranking[:following]:
            following = ranking.index("head_to_head")
        groups: list[list[str]] = []
        seams: list[tuple[Criterion, Value, Value]] = []
        for upper, part in zip([None, *parts], parts, strict=False):
            if upper is not None:
                seams.append((criterion, worth[upper[0]], worth[part[0]]))
            of_part, between = _split(part, following, ranking, values, met, again)
            groups += of_part
            seams += between
        return groups, seams
    return [group], []


def _compare(
    group: Sequence[str],
    values: Mapping[str, Mapping[Criterion, Value]],
    criterion: Criterion,
    met: Meetings,
) -> dict[str, Value]:
    """The values of level gangs by which the criterion separates them."""
    if criterion != "head_to_head":
        return {gang: values[gang][criterion] for gang in group}
    return {gang: _balance(gang, group, met) for gang in group}


def _balance(gang: str, group: Iterable[str], met: Meetings) -> int:
    """The games that a gang won against the others of the group, less those that it lost."""
    found = [met[gang, other] for other in group if (gang, other) in met]
    return sum(results.won - results.lost for results in found)


def draw(seed: str, key: str) -> int:
    """Draw a lot. The same seed and key always draw the same."""
    return int(sha256(f"{seed} {key}".encode()).hexdigest(), 16)
