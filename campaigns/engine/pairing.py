"""Who plays whom: the best pairs among those who come, and why they are the best."""

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
    """A gang that wants to play. ``owner``: whose it is, if anybody's. ``played``: how many games
    it has; ``rested``: when it was last there and had none."""

    gang: str
    rating: Points
    owner: str | None = None
    played: int = 0
    rested: date | None = None


@dataclass(frozen=True)
class Pairing:
    """Gangs that should play each other: two, or three where one joins a pair.

    ``ratings``: each one's; ``apart``: the highest less the lowest; ``met``: how often any two of
    them have met; ``same_owner``: two belong to one player, which could not be avoided.
    """

    gangs: tuple[str, ...]
    ratings: tuple[Points, ...]
    apart: Points
    met: int
    same_owner: bool


@dataclass(frozen=True)
class Proposal:
    """The pairs, the strongest first, and who is left without one."""

    pairs: tuple[Pairing, ...] = ()
    left_over: Candidate | None = None


# What is to be as small as possible, the weightiest first: whether one player is on both sides,
# whose turn it is to rest, then ratings and meetings. Added up over all pairs.
Cost = tuple[int, ...]


def propose(
    candidates: Sequence[Candidate],
    meetings: Meetings,
    by: By = "rating",
    odd: Odd = "rests",
) -> Proposal:
    """Pair the candidates up so that the whole is best, not the first pair.

    As few pairs of one player's own gangs as can be; then the smallest sum of differences in
    rating, or of former meetings, the other of the two breaking ties. Of an odd number one rests:
    of those who have rested longest ago, or never, the one that has played most. Where nobody is
    to rest, the one left after the best pairs joins the pair that suits best.
    """
    players = sorted(candidates, key=lambda player: (-player.rating, player.gang))
    turns = sorted({_turn(player) for player in players})
    # An odd number gets somebody more: who is paired with nobody, rests.
    nobody = len(players)
    costs: dict[tuple[int, int], Cost] = {}
    for first, second in combinations(range(len(players)), 2):
        same, *rest = _cost(players[first], players[second], meetings, by)
        costs[first, second] = (same, 0, *rest)
    if nobody % 2:
        for number, player in enumerate(players):
            turn = turns.index(_turn(player)) if odd == "rests" else 0
            costs[number, nobody] = (0, turn, 0, 0)
    matched = _best(costs)
    pairs = [[players[first], players[second]] for first, second in matched if second != nobody]
    left = next((players[first] for first, second in matched if second == nobody), None)
    if left is not None and odd == "joins" and pairs:
        third = left
        min(pairs, key=lambda pair: _joining(pair, third, meetings, by)).append(third)
        left = None
    return Proposal(tuple(_pairing(pair, meetings) for pair in sorted(pairs, key=_rank)), left)


def _turn(player: Candidate) -> tuple[date, int]:
    """Whose turn it is to rest: the smallest."""
    return player.rested or date.min, -player.played


def _cost(first: Candidate, second: Candidate, meetings: Meetings, by: By) -> Cost:
    """What speaks against a pair: one player on both sides, then what the pairs go ``by``."""
    # Points are whole or halves: twice as many are whole.
    apart = round(2 * abs(first.rating - second.rating))
    met = meetings.get(frozenset((first.gang, second.gang)), 0)
    return (int(_same_owner(first, second)), *((apart, met) if by == "rating" else (met, apart)))


def _same_owner(first: Candidate, second: Candidate) -> bool:
    return first.owner is not None and first.owner == second.owner


def _best(costs: Mapping[tuple[int, int], Cost]) -> list[tuple[int, int]]:
    """The matching of everybody whose costs add up to the least, compared place by place."""
    if not costs:
        return []
    most = len(costs) * max(max(cost) for cost in costs.values()) + 1
    # It takes 20 megabytes of every process, and is asked for once in an evening.
    import networkx

    graph: networkx.Graph = networkx.Graph()
    for pair, cost in costs.items():
        weight = 0
        for part in cost:
            weight = weight * most + part
        graph.add_edge(*pair, weight=weight)
    return sorted((min(pair), max(pair)) for pair in networkx.min_weight_matching(graph))


def _joining(pair: Sequence[Candidate], third: Candidate, meetings: Meetings, by: By) -> Cost:
    """What speaks against a third gang in a pair."""
    costs = [_cost(player, third, meetings, by) for player in pair]
    return tuple(map(sum, zip(*costs, strict=True)))


def _rank(pair: Sequence[Candidate]) -> tuple[Points, str]:
    """The place of a pair in the list: strong gangs first."""
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
