"""Pairing: the best pairs among the gangs of a night, with the figures that explain them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import combinations
from typing import Literal

from rules.engine.costing import Points

By = Literal["rating", "meetings"]
Odd = Literal["rests", "joins"]
Meetings = Mapping[frozenset[str], int]


@dataclass(frozen=True)
class Candidate:
    """A gang that wants to play. ``owner``: its player; ``played``: its number of games;
    ``rested``: the last night that it attended without a game."""

    gang: str
    rating: Points
    owner: str | None = None
    played: int = 0
    rested: date | None = None


@dataclass(frozen=True)
class Pairing:
    """Gangs that should play each other: two, or three where one joins a pair.

    ``ratings``: one for each gang; ``apart``: the highest minus the lowest; ``met``: earlier
    meetings of any two of them; ``same_owner``: two gangs of one player, because no better pair
    was left.
    """

    gangs: tuple[str, ...]
    ratings: tuple[Points, ...]
    apart: Points
    met: int
    same_owner: bool


@dataclass(frozen=True)
class Proposal:
    """The pairs, the strongest first, and the candidate left without one."""

    pairs: tuple[Pairing, ...] = ()
    left_over: Candidate | None = None


# Costs to minimise, the most important first: whether one player is on both sides, whose turn it
# is to rest, then ratings and meetings. They are added up over all pairs.
Cost = tuple[int, ...]


def propose(
    candidates: Sequence[Candidate],
    meetings: Meetings,
    by: By = "rating",
    odd: Odd = "rests",
) -> Proposal:
    """Pair the candidates so that the total cost is lowest.

    First, pairs of one player's own gangs are avoided. Then the sum of the differences in rating is
    minimised, or that of earlier meetings, and the other of the two breaks ties. If the number of
    gangs is odd, one rests: the gang whose last rest is longest ago, or else the gang with the most
    games. If nobody is to rest, the gang left over joins the pair that suits it best.
    """
    players = sorted(candidates, key=lambda player: (-player.rating, player.gang))
    turns = sorted({_turn(player) for player in players})
    # If the number is odd, add a dummy player, "nobody": the gang paired with it rests.
    nobody = len(players)
    costs: dict[tuple[int, int], Cost] = {}
    for first, second in combinations(range(len(players)), 2):
        same, *rest = _cost(players[first], players[second], meetings, by)
        costs[first, second] = (same, 0, *rest)
    if nobody % 2:
        for number, player in enumerate(players):
            turn = turns.index(_turn(player)) if odd == "rests" else 0
            costs[number, nobody] = (0, turn, 0, 0)
    matched = match_all(costs)
    pairs = [[players[first], players[second]] for first, second in matched if second != nobody]
    left = next((players[first] for first, second in matched if second == nobody), None)
    if left is not None and odd == "joins" and pairs:
        third = left
        min(pairs, key=lambda pair: _joining(pair, third, meetings, by)).append(third)
        left = None
    return Proposal(tuple(_pairing(pair, meetings) for pair in sorted(pairs, key=_rank)), left)


def _turn(player: Candidate) -> tuple[date, int]:
    """The order in which gangs rest, the smallest first."""
    return player.rested or date.min, -player.played


def _cost(first: Candidate, second: Candidate, meetings: Meetings, by: By) -> Cost:
    """The cost of a pair: one player on both sides, then the criterion ``by``, then the other."""
    # Points may be halves; doubled, they are whole.
    apart = round(2 * abs(first.rating - second.rating))
    met = meetings.get(frozenset((first.gang, second.gang)), 0)
    return (int(_same_owner(first, second)), *((apart, met) if by == "rating" else (met, apart)))


def _same_owner(first: Candidate, second: Candidate) -> bool:
    return first.owner is not None and first.owner == second.owner


def match_all(costs: Mapping[tuple[int, int], Cost]) -> list[tuple[int, int]]:
    """Match everybody with the lowest total cost, compared place by place. Costs are not negative,
    and a pair without a cost is impossible."""
    if not costs:
        return []
    players = len({player for pair in costs for player in pair})
    # No total of one place reaches a unit of the place before it.
    sizes = [players // 2 * max(column) + 1 for column in zip(*costs.values(), strict=True)]
    # Imported here because it takes 20 MB of every process and is used once in an evening.
    import networkx

    graph: networkx.Graph = networkx.Graph()
    for pair, cost in costs.items():
        weight = 0
        for part, size in zip(cost, sizes, strict=True):
            weight = weight * size + part
        graph.add_edge(*pair, weight=weight)
    return sorted((min(pair), max(pair)) for pair in networkx.min_weight_matching(graph))


def _joining(pair: Sequence[Candidate], third: Candidate, meetings: Meetings, by: By) -> Cost:
    """The cost of a third gang in a pair."""
    costs = [_cost(player, third, meetings, by) for player in pair]
    return tuple(map(sum, zip(*costs, strict=True)))


def _rank(pair: Sequence[Candidate]) -> tuple[Points, str]:
    """The sort key of a pair: strong gangs first."""
    return -max(player.rating for player in pair), pair[0].gang


def _pairing(pair: Sequence[Candidate], meetings: Meetings) -> Pairing:
    ratings = tuple(player.rating for player in pair)
    among = list(combinations(pair, 2))
    return Pairing(
        gangs=tuple(player.gang for player in pair),
        ratings=ratings,
        apart=max(ratings) - min(ratings),
        met=sum(meetings.get(frozenset((first.gang, second.gang)), 0) for first, second in among),
        same_owner=any(_same_owner(first, second) for first, second in among),
    )
