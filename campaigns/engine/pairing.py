"""Pairing: the best pairs among the gangs of a night, or groups that play together, with the
figures that explain them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
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
    ``rested``: the last night that it attended without a game; ``joined``: the day on which it
    joined the campaign."""

    gang: str
    rating: Points
    owner: str | None = None
    played: int = 0
    rested: date | None = None
    joined: date = date.min


@dataclass(frozen=True)
class Pairing:
    """Gangs that should play each other: two, or three where one joins a pair. Or the gangs of a
    group that plays together.

    ``ratings``: one for each gang; ``apart``: the highest minus the lowest; ``met``: earlier
    meetings of any two of them; ``met_last``: two of them met on the last night; ``same_owner``:
    two gangs of one player, because no better pair was left; ``is_due``: two of them have a fixture
    to play.
    """

    gangs: tuple[str, ...]
    ratings: tuple[Points, ...]
    apart: Points
    met: int
    same_owner: bool
    met_last: bool = False
    is_due: bool = False


@dataclass(frozen=True)
class Proposal:
    """The pairs, the strongest first, and the candidate left without one; of groups, those who are
    ``waiting``."""

    pairs: tuple[Pairing, ...] = ()
    left_over: Candidate | None = None
    waiting: tuple[Candidate, ...] = ()


@dataclass(frozen=True)
class Past:
    """The past of the gangs. ``meetings``: the games of each pair, planned ones included;
    ``last``: the pairs of the last night; ``due``: the pairs that have a fixture to play, which
    meet if they can."""

    meetings: Meetings = field(default_factory=dict)
    last: Collection[frozenset[str]] = ()
    due: Collection[frozenset[str]] = ()

    def met(self, first: Candidate, second: Candidate) -> int:
        """The number of their games against each other."""
        return self.meetings.get(_pair(first, second), 0)


# Costs to minimise, the most important first: whether one player is on both sides, whose turn it
# is to rest, fixtures that wait, then ratings and meetings. They are added up over all pairs.
Cost = tuple[int, ...]
# A small difference in rating is this part of the average rating.
SMALL = 10


def propose(
    candidates: Sequence[Candidate],
    past: Past,
    by: By = "rating",
    odd: Odd = "rests",
) -> Proposal:
    """Pair the candidates so that the total cost is lowest.

    First, pairs of one player's own gangs are avoided, and gangs with a fixture to play meet. Then
    the sum of the differences in rating is minimised, or that of earlier meetings, and the other of
    the two breaks ties. A repeated meeting counts as a difference in rating, too, so that closely
    rated gangs do not meet every night (``_repetition``). If the number of gangs is odd, one rests:
    the gang whose last rest is longest ago, counted from the day on which it joined, or else the
    gang with the most games. If nobody is to rest, the gang left over joins the pair that suits it
    best.
    """
    players = sorted(candidates, key=lambda player: (-player.rating, player.gang))
    table = _Table(past, by, small_difference(players), _fewest(players, past))
    turns = sorted({_turn(player) for player in players})
    # If the number is odd, add a dummy player, "nobody": the gang paired with it rests.
    nobody = len(players)
    costs: dict[tuple[int, int], Cost] = {}
    for first, second in combinations(range(len(players)), 2):
        same, *rest = table.cost(players[first], players[second])
        costs[first, second] = (same, 0, *rest)
    if nobody % 2:
        for number, player in enumerate(players):
            turn = turns.index(_turn(player)) if odd == "rests" else 0
            costs[number, nobody] = (0, turn, 0, 0, 0)
    matched = match_all(costs)
    pairs = [[players[first], players[second]] for first, second in matched if second != nobody]
    left = next((players[first] for first, second in matched if second == nobody), None)
    if left is not None and odd == "joins" and pairs:
        third = left
        min(pairs, key=lambda pair: table.joining(pair, third)).append(third)
        left = None
    return Proposal(tuple(_pairing(pair, past) for pair in sorted(pairs, key=_rank)), left)


def propose_groups(
    candidates: Sequence[Candidate],
    past: Past,
    size: int,
    fewest: int = 1,
    most: int | None = None,
) -> Proposal:
    """Form groups that play together, as near to the wished ``size`` as their number allows, from
    ``fewest`` to ``most`` gangs each. Gangs that cannot be seated wait, those whose turn it is to
    rest first.

    Gangs of different players who have never played together come together, those who did on the
    last night do not. The groups begin in turn, then gangs change places while that helps.
    """
    order = sorted(candidates, key=lambda player: (_turn(player), player.gang))
    sizes = _sizes(len(order), size, fewest, most)
    waiting = order[: len(order) - sum(sizes)]
    players = order[len(waiting) :]
    groups = _deal(players, sizes)
    _improve(groups, past)
    pairings = sorted((_pairing(group, past) for group in groups), key=lambda one: one.gangs)
    return Proposal(tuple(pairings), waiting=tuple(waiting))


def _sizes(gangs: int, size: int, fewest: int, most: int | None) -> list[int]:
    """The sizes of the groups, the larger first: even, and as many groups as the wished ``size``
    makes, or the nearest number of groups that seats the most gangs."""
    most = most or max(gangs, 1)
    wished = -(-gangs // size)
    numbers = [number for number in range(1, gangs + 1) if number * fewest <= gangs]
    if not numbers:
        return []
    count = min(
        numbers, key=lambda number: (gangs - min(gangs, number * most), abs(number - wished))
    )
    seated = min(gangs, count * most)
    return [seated // count + (place < seated % count) for place in range(count)]


def _deal(players: Sequence[Candidate], sizes: Sequence[int]) -> list[list[Candidate]]:
    """Deal the players to groups of these sizes, one after the other."""
    groups: list[list[Candidate]] = [[] for _size in sizes]
    ahead = list(players)
    while ahead:
        for group, size in zip(groups, sizes, strict=True):
            if ahead and len(group) < size:
                group.append(ahead.pop(0))
    return groups


def _improve(groups: list[list[Candidate]], past: Past) -> None:
    """Let two players change groups while that lowers the cost. Each change lowers it, so it
    ends."""
    players = [player for group in groups for player in group]
    costs = {
        one.gang: {two.gang: _strangeness(one, two, past) for two in players} for one in players
    }
    # The cost of each player in each group: the sum over its members.
    sums = {
        gang: [sum(of_gang[member.gang] for member in group) for group in groups]
        for gang, of_gang in costs.items()
    }
    places = [(number, at) for number, group in enumerate(groups) for at in range(len(group))]
    is_better = True
    while is_better:
        is_better = False
        for (one, here), (other, there) in combinations(places, 2):
            first, second = groups[one][here].gang, groups[other][there].gang
            before = sums[first][one] + sums[second][other]
            after = sums[first][other] + sums[second][one] - 2 * costs[first][second]
            if one == other or after >= before:
                continue
            is_better = True
            groups[one][here], groups[other][there] = groups[other][there], groups[one][here]
            for gang, of_gang in costs.items():
                moved = of_gang[second] - of_gang[first]
                sums[gang][one] += moved
                sums[gang][other] -= moved


# A pair of one player's gangs weighs more than any meetings, one of the last night as two meetings.
_OWN, _LAST = 1_000_000, 2


def _strangeness(one: Candidate, other: Candidate, past: Past) -> int:
    """The cost of two in one group: how well they know each other already. 0 for the same gang."""
    if one.gang == other.gang:
        return 0
    met = past.met(one, other) + _LAST * (_pair(one, other) in past.last)
    return met * (met + 1) + _OWN * _same_owner(one, other)


def _turn(player: Candidate) -> tuple[date, int]:
    """The order in which gangs rest, the smallest first. A newcomer has waited for a rest since
    they joined."""
    return max(player.rested or date.min, player.joined), -player.played


def small_difference(players: Sequence[Candidate]) -> Points:
    """A difference in rating that players hardly notice: a tenth of the average, at least 1."""
    if not players:
        return 1
    return max(1, round(sum(player.rating for player in players) / len(players) / SMALL))


def _fewest(players: Sequence[Candidate], past: Past) -> int:
    """The number of meetings of the pair that has met least."""
    return min((past.met(*pair) for pair in combinations(players, 2)), default=0)


@dataclass(frozen=True)
class _Table:
    """Everything that decides the cost of a pair: the past, the criterion, a small difference in
    rating, and the meetings of the pair that has met least."""

    past: Past
    by: By
    small: Points
    fewest: int

    def cost(self, first: Candidate, second: Candidate) -> Cost:
        """The cost of a pair: one player on both sides, no fixture to play though one waits, then
        the criterion, then the other."""
        # Points may be halves; doubled, they are whole.
        apart = round(2 * abs(first.rating - second.rating))
        met = self.past.met(first, second)
        if self.by == "rating":
            apart += round(2 * self.small * self._repetition(first, second, met))
        is_due = _pair(first, second) in self.past.due
        waits = not is_due and any(
            gang in pair for pair in self.past.due for gang in (first.gang, second.gang)
        )
        order = (apart, met) if self.by == "rating" else (met, apart)
        return int(_same_owner(first, second)), int(waits), *order

    def _repetition(self, first: Candidate, second: Candidate, met: int) -> int:
        """How many small differences in rating a repeated meeting counts as: more than one for a
        pair of the last night, and more and more for each meeting beyond one above the pair that
        has met least."""
        often = max(0, met - self.fewest - 1)
        last = _pair(first, second) in self.past.last
        return 2 * last + often * (often + 1)

    def joining(self, pair: Sequence[Candidate], third: Candidate) -> Cost:
        """The cost of a third gang in a pair."""
        costs = [self.cost(player, third) for player in pair]
        return tuple(map(sum, zip(*costs, strict=True)))


def _pair(first: Candidate, second: Candidate) -> frozenset[str]:
    return frozenset((first.gang, second.gang))


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


def _rank(pair: Sequence[Candidate]) -> tuple[Points, str]:
    """The sort key of a pair: strong gangs first."""
    return -max(player.rating for player in pair), pair[0].gang


def _pairing(pair: Sequence[Candidate], past: Past) -> Pairing:
    ratings = tuple(player.rating for player in pair)
    among = list(combinations(pair, 2))
    return Pairing(
        gangs=tuple(player.gang for player in pair),
        ratings=ratings,
        apart=max(ratings) - min(ratings),
        met=sum(past.met(first, second) for first, second in among),
        same_owner=any(_same_owner(first, second) for first, second in among),
        met_last=any(_pair(first, second) in past.last for first, second in among),
        is_due=any(_pair(first, second) in past.due for first, second in among),
    )
