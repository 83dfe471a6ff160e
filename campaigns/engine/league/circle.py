"""Round robins: every pair meets, by the circle method; later changes fill the rounds to come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from campaigns.engine.league.facts import Match, Pair, count_byes, count_done

# A fixture to make: the two gangs, or one gang and None for a bye.
Drawn = tuple[str, str | None]


def round_robin(gangs: Sequence[str], legs: int = 1) -> list[list[Drawn]]:
    """The fixtures of each round, so that all pairs meet ``legs`` times in as few rounds as
    possible. With an odd number of gangs, each has one bye in every leg.

    The circle method: one gang stays where it is, and the others move on by one seat a round.
    """
    seats: list[str | None] = [*gangs, *([None] if len(gangs) % 2 else [])]
    if len(gangs) < 2:
        return []
    rounds = []
    for _round in range(len(seats) - 1):
        half = len(seats) // 2
        across = zip(seats[:half], reversed(seats[half:]), strict=True)
        rounds.append([_with_gang_first(pair) for pair in across])
        seats = [seats[0], seats[-1], *seats[1:-1]]
    return rounds * legs


def _with_gang_first(pair: tuple[str | None, str | None]) -> Drawn:
    one, other = pair
    if one is None:
        one, other = other, None
    assert one is not None
    return one, other


@dataclass(frozen=True)
class Completion:
    """The missing part of a round robin: fixtures to add to rounds that have not begun, by their
    number, with those rounds' byes; and further rounds."""

    added: Mapping[int, Sequence[Drawn]]
    rounds: Sequence[Sequence[Drawn]]

    @property
    def is_empty(self) -> bool:
        """Whether nothing is missing."""
        return not self.rounds and not any(self.added.values())


def complete(
    gangs: Sequence[str], matches: Collection[Match], to_come: Collection[int], legs: int = 1
) -> Completion:
    """Find the fixtures that are missing after gangs have joined or left.

    ``gangs``: those that play on; ``matches``: every fixture, without the byes of the rounds
    ``to_come``; those rounds are filled first, each with as many missing pairs as it can take.
    """
    met = count_done(matches)
    missing: Counter[Pair] = Counter()
    for one, other in combinations(gangs, 2):
        pair = frozenset((one, other))
        if met[pair] < legs:
            missing[pair] = legs - met[pair]
    byes = count_byes(matches)
    added: dict[int, list[Drawn]] = {}
    for number in sorted(to_come):
        busy = {gang for match in matches if _occupies(match, number) for gang in match.sides}
        free = [gang for gang in gangs if gang not in busy]
        added[number] = _fill(free, missing, byes, add_byes=bool(busy or missing))
    rounds = []
    while missing:
        rounds.append(_fill(list(gangs), missing, byes, add_byes=True))
    return Completion(added, rounds)


def _occupies(match: Match, number: int) -> bool:
    return match.round == number and match.outcome != "off"


def _fill(
    free: Sequence[str], missing: Counter[Pair], byes: Counter[str], *, add_byes: bool
) -> list[Drawn]:
    """As many missing pairs of free gangs as possible, first of those with most games to come, and
    byes for the rest. Takes the pairs out of ``missing``."""
    to_play = Counter(
        gang for pair, times in missing.items() for gang in pair for _ in range(times)
    )
    place = {gang: number for number, gang in enumerate(free)}
    edges = [pair for pair in missing if all(gang in place for gang in pair)]
    drawn: list[Drawn] = []
    taken: set[str] = set()
    if edges:
        import networkx

        graph: networkx.Graph = networkx.Graph()
        for pair in edges:
            one, other = sorted(pair, key=place.__getitem__)
            # A gang with many games to come must not miss a round; one with byes plays first.
            weight = sum(100 * to_play[gang] + byes[gang] for gang in pair)
            graph.add_edge(one, other, weight=weight)
        for matched in networkx.max_weight_matching(graph, maxcardinality=True):
            one, other = sorted(matched, key=place.__getitem__)
            drawn.append((one, other))
            taken |= {one, other}
            missing[frozenset(matched)] -= 1
        for pair in edges:
            if not missing[pair]:
                del missing[pair]
    drawn.sort(key=lambda pair: place[pair[0]])
    resting = [gang for gang in free if gang not in taken] if add_byes else []
    byes.update(resting)
    return [*drawn, *((gang, None) for gang in resting)]
