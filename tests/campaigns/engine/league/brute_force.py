"""An independent calculation of brackets, tables and draws, from the words of the documents.

Nothing here uses the league's engine: only its values, ``Entered`` and ``Match``. Each function
looks at everything again, however long that takes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from campaigns.engine.how import ResultRules
from campaigns.engine.league.facts import Entered, Match
from campaigns.engine.league.options import StageOptions

# A seat of a knock-out holds a gang, stays empty, or is not known yet.
EMPTY, UNKNOWN = "", None
Sent = str | None
Spot = tuple[int, int]

# Manners in which the gangs have met.
FOUGHT = ("played", "recorded")


# Knock-outs


@dataclass(frozen=True)
class Cup:
    """A knock-out with its fixtures. ``first``: the fixtures that its first round has room for;
    ``is_open``: a part of the first round is still to be drawn."""

    entrants: Sequence[Entered]
    matches: Sequence[Match]
    first: int
    is_open: bool

    @property
    def last(self) -> int:
        """The round of the final."""
        rounds, left = 1, self.first
        while left > 1:
            rounds, left = rounds + 1, left // 2
        return rounds

    def fixture(self, spot: Spot) -> Match | None:
        """The fixture at a spot."""
        found = [one for one in self.matches if (one.round, one.number) == spot]
        return found[0] if found else None

    def plays(self, gang: str) -> bool:
        """Whether a gang plays on."""
        return any(one.gang == gang and not one.has_left for one in self.entrants)

    def sent(self, spot: Spot, *, losers: bool = False) -> list[Sent]:
        """The gangs that the two fixtures before this one send, whether they play on or not."""
        number, place = spot[0] - 1, 1 if losers else spot[1]
        before = [(number, 2 * place - 1), (number, 2 * place)]
        return [self.loser(one) if losers else self.winner(one) for one in before]

    def seats(self, spot: Spot, *, losers: bool = False) -> list[Sent]:
        """The gangs that belong in a fixture of a later round."""
        sent = self.sent(spot, losers=losers)
        return [EMPTY if gang and not self.plays(gang) else gang for gang in sent]

    def is_wrong(self, match: Match) -> bool:
        """Whether the gangs of a fixture no longer follow from the results before it."""
        if not match.follows:
            return False
        if match.outcome == "off" and not match.advances:
            return False
        spot = (match.round, match.number)
        if any(gang not in self.sent(spot, losers=match.losers) for gang in match.sides):
            return True
        # A gang with a bye: the seat across from it must be empty for good.
        across = [
            seat
            for gang, seat in zip(
                self.sent(spot, losers=match.losers),
                self.seats(spot, losers=match.losers),
                strict=True,
            )
            if gang != match.home
        ]
        return match.away is None and any(seat != EMPTY for seat in across)

    def winner(self, spot: Spot, *, losers: bool = False) -> Sent:
        """The gang that goes on from a spot."""
        return self._result(spot, losers)[0]

    def loser(self, spot: Spot) -> Sent:
        """The gang that has lost at a spot."""
        return self._result(spot, False)[1]

    def _result(self, spot: Spot, losers: bool) -> tuple[Sent, Sent]:
        match = self.fixture(spot)
        if match is None and spot[0] == 1:
            return (UNKNOWN, UNKNOWN) if self.is_open else (EMPTY, EMPTY)
        if match is None:
            seats = self.seats(spot, losers=losers)
            if UNKNOWN in seats or EMPTY not in seats:
                return UNKNOWN, UNKNOWN
            return max(seats[0] or "", seats[1] or ""), EMPTY
        if spot[0] > 1 and self.is_wrong(match):
            return UNKNOWN, UNKNOWN
        return read_result(match, [gang for gang in match.sides if self.plays(gang)])

    def to_make(self) -> dict[Spot, frozenset[str]]:
        """The fixtures of later rounds that can be made now, with their gangs."""
        found: dict[Spot, frozenset[str]] = {}
        spots = [
            (number, place)
            for number in range(2, self.last + 1)
            for place in range(1, self.first // 2 ** (number - 1) + 1)
        ]
        for spot in spots:
            seats = self.seats(spot)
            gangs = [gang for gang in seats if gang]
            if self.fixture(spot) is not None or UNKNOWN in seats or not gangs:
                continue
            if len(gangs) == 1 and spot[0] == self.last:
                continue
            number, place = spot[0] - 1, spot[1]
            sources = [(number, 2 * place - 1), (number, 2 * place)]
            if all(
                self.fixture(source) for source, gang in zip(sources, seats, strict=True) if gang
            ):
                found[spot] = frozenset(gangs)
        return found


def read_result(match: Match, there: Sequence[str]) -> tuple[Sent, Sent]:
    """The gang that goes on from a fixture, and the one that does not. ``there``: those of its
    gangs that play on."""
    if match.advances and match.advances in (match.home, match.away):
        other = [gang for gang in match.sides if gang != match.advances]
        return match.advances, other[0] if other else EMPTY
    if match.outcome == "off":
        return EMPTY, EMPTY
    if match.away is None:
        return match.home, EMPTY
    if match.outcome == "home":
        return match.home, match.away
    if match.outcome == "away":
        return match.away, match.home
    if match.outcome == "open":
        return UNKNOWN, UNKNOWN
    if match.outcome == "level" and len(there) == 2:
        return UNKNOWN, UNKNOWN
    if match.outcome == "level" and len(there) == 1:
        return there[0], EMPTY
    return EMPTY, EMPTY


# Tables


@dataclass
class Score:
    """The sums that the fixtures of a stage bring one gang. ``met``: the gangs that it has fought,
    once for each game; ``own``: its match points from these, by the usual three and one."""

    points: int = 0
    won: int = 0
    level: int = 0
    lost: int = 0
    byes: int = 0
    own: int = 0
    met: list[str] | None = None

    def count(self, ending: str) -> None:
        """Count a game that was won, lost or drawn."""
        self.won += ending == "won"
        self.lost += ending == "lost"
        self.level += ending == "drawn"


def score(
    gangs: Sequence[str],
    matches: Sequence[Match],
    options: StageOptions,
    club: Mapping[str, ResultRules],
    *,
    has_ended: bool = False,
) -> dict[str, Score]:
    """Return the sums of each gang."""
    found = {gang: Score(met=[]) for gang in gangs}
    for match in matches:
        if match.outcome == "off":
            continue
        if match.away is None:
            waits = [
                other
                for other in matches
                if other.round == match.round and other.away and other.outcome == "open"
            ]
            if match.home in found and (has_ended or not waits):
                found[match.home].points += options.bye
                found[match.home].byes += 1
            continue
        for gang, other, mine in (
            (match.home, match.away, "home"),
            (match.away, match.home, "away"),
        ):
            if gang in found and match.outcome != "open":
                _score_side(found[gang], other, match, mine, options, club)
    return found


def _score_side(
    line: Score,
    other: str,
    match: Match,
    mine: str,
    options: StageOptions,
    club: Mapping[str, ResultRules],
) -> None:
    """Count one game for one of its gangs."""
    if match.how in FOUGHT:
        if match.outcome == "void":
            return
        ending = "drawn" if match.outcome == "level" else "won" if match.outcome == mine else "lost"
        line.count(ending)
        line.points += {"won": options.win, "drawn": options.draw, "lost": options.loss}[ending]
        line.own += {"won": 3, "drawn": 1, "lost": 0}[ending]
        assert line.met is not None
        line.met.append(other)
        return
    terms = club.get(match.how)
    if terms is None or match.how == "void":
        return
    if match.outcome == mine:
        line.points += options.win if terms.winner_points is None else terms.winner_points
        line.count("won")
    elif match.how == "abandoned":
        line.points += terms.each_points
        line.count("drawn" if terms.counts_draw else "")
    else:
        # The gang that was absent or conceded; both, if nobody came.
        line.points += terms.loser_points
        line.count("lost" if terms.counts_loss else "")


def strengths(scores: Mapping[str, Score]) -> dict[str, Fraction]:
    """Each gang's opponents: their mean share of the points that they could have won, each at least
    a third; a third without a fought game."""
    shares = {
        gang: max(Fraction(1, 3), Fraction(line.own, 3 * len(line.met)))
        for gang, line in scores.items()
        if line.met
    }
    return {
        gang: sum((shares[one] for one in line.met), Fraction(0)) / len(line.met)
        if line.met
        else Fraction(1, 3)
        for gang, line in scores.items()
    }


def order(
    gangs: Sequence[str],
    values: Mapping[str, Mapping[str, int | Fraction]],
    ranking: Sequence[str],
    matches: Sequence[Match],
) -> list[list[str]]:
    """Return the groups of gangs that stay level, the best first; ``gangs``: by their seeds.

    The criteria are read from the left. Once one has split a group, its parts begin again with
    their games against each other, if the criteria up to there name them."""
    done: list[list[str]] = []
    waiting = [(list(gangs), 0)]
    while waiting:
        group, at = waiting.pop(0)
        if len(group) == 1 or at == len(ranking):
            done.append(group)
            continue
        worth = {
            gang: _balance(gang, group, matches)
            if ranking[at] == "head_to_head"
            else values[gang][ranking[at]]
            for gang in group
        }
        parts: list[list[str]] = []
        for best in sorted(set(worth.values()), reverse=True):
            parts.append([gang for gang in group if worth[gang] == best])
        after = at + 1
        if len(parts) > 1 and "head_to_head" in ranking[:after]:
            after = list(ranking).index("head_to_head")
        waiting = [(part, after) for part in parts] + waiting
    return done


def _balance(gang: str, group: Collection[str], matches: Sequence[Match]) -> int:
    """Wins less defeats of a gang against the others of its group."""
    balance = 0
    for match in matches:
        if match.away is None or gang not in match.sides or match.outcome not in ("home", "away"):
            continue
        other = match.away if match.home == gang else match.home
        if other in group:
            mine = "home" if match.home == gang else "away"
            balance += 1 if match.outcome == mine else -1
    return balance


# Swiss


def pair_swiss(
    seats: Sequence[tuple[str, int]], matches: Sequence[Match], *, first: bool
) -> list[int]:
    """Return the cost of the best draw of these gangs, given with their points, the best first:
    rematches; the places between the bye and the lowest gang; squares of differences in points;
    places by which the pairs are too near or too far.

    In the ``first`` round the top half meets the bottom half; later, neighbours meet.
    """
    rested = [one.home for one in matches if one.away is None and one.outcome != "off"]
    byes = {gang: rested.count(gang) for gang, _points in seats}
    fewest = min(byes.values())
    costs = []
    for pairs, bye in _all_draws(list(range(len(seats)))):
        if bye is None or byes[seats[bye][0]] == fewest:
            costs.append(cost_of_draw(seats, matches, pairs, bye, first=first))
    return min(costs)


def cost_of_draw(
    seats: Sequence[tuple[str, int]],
    matches: Sequence[Match],
    pairs: Sequence[tuple[int, int]],
    bye: int | None,
    *,
    first: bool,
) -> list[int]:
    """Return the cost of a draw, as ``pair_swiss``."""
    wanted = len(seats) // 2 if first else 0
    met = [
        {one.home, one.away}
        for one in matches
        if one.away is not None
        if one.outcome == "open" or (one.how in FOUGHT and one.outcome in ("home", "away", "level"))
    ]
    return [
        sum(met.count({seats[one][0], seats[other][0]}) for one, other in pairs),
        0 if bye is None else len(seats) - 1 - bye,
        sum((seats[one][1] - seats[other][1]) ** 2 for one, other in pairs),
        sum(abs(abs(one - other) - wanted) for one, other in pairs),
    ]


def _all_draws(seats: list[int]) -> Iterator[tuple[list[tuple[int, int]], int | None]]:
    """Yield all ways to pair these seats, one of which has a bye if their number is odd."""
    if len(seats) % 2:
        for bye in seats:
            for pairs, _none in _all_draws([seat for seat in seats if seat != bye]):
                yield pairs, bye
        return
    if not seats:
        yield [], None
        return
    for other in seats[1:]:
        for pairs, _none in _all_draws([one for one in seats[1:] if one != other]):
            yield [(seats[0], other), *pairs], None


# Ladders


def climb(entrants: Sequence[Entered], matches: Sequence[Match], *, swaps: bool) -> list[str]:
    """Return the gangs of a ladder from the top down, by the number of the rung of each."""
    seeded = sorted(entrants, key=lambda one: one.seed)
    rung = {one.gang: number for number, one in enumerate(seeded)}
    played = [one for one in matches if one.outcome in ("home", "away")]
    played.sort(key=lambda one: (one.day or date.min, one.round, one.key))
    for game in played:
        assert game.away is not None
        winner, loser = game.home, game.away
        if game.outcome == "away":
            winner, loser = loser, winner
        low, high = rung[winner], rung[loser]
        if low < high:
            continue
        if swaps:
            rung[winner], rung[loser] = high, low
            continue
        for gang, number in rung.items():
            if high <= number < low:
                rung[gang] = number + 1
        rung[winner] = high
    there = [one.gang for one in entrants if not one.has_left]
    return sorted(there, key=rung.__getitem__)
