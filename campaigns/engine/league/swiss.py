"""Swiss rounds: gangs with equal points meet, nobody twice before it is unavoidable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations

from campaigns.engine.league.facts import (
    Entered,
    Match,
    Pair,
    count_byes,
    count_meetings,
)
from campaigns.engine.league.options import StageOptions
from campaigns.engine.league.ranking import draw
from campaigns.engine.league.tables import NOTHING_AROUND, Around, TableLine, stage_table
from campaigns.engine.pairing import Cost, match_all
from rules.engine.costing import Points


@dataclass(frozen=True)
class Wishes:
    """Pairs that an organiser wants, and pairs that the organiser wants to avoid."""

    wanted: frozenset[Pair] = frozenset()
    unwanted: frozenset[Pair] = frozenset()


@dataclass(frozen=True)
class Seat:
    """A gang as it is paired: its points, place and byes so far."""

    entrant: Entered
    points: int
    place: int
    byes: int

    @property
    def gang(self) -> str:
        """The gang's key."""
        return self.entrant.gang


@dataclass(frozen=True)
class DrawnPair:
    """Two gangs that should meet, and everything that a page says about it.

    ``met``: earlier meetings; ``apart``: the difference in rating; ``same_owner``,
    ``is_unwanted``: no better pair was left; ``is_wanted``: an organiser wants it.
    """

    home: Seat
    away: Seat
    met: int
    apart: Points
    same_owner: bool
    is_wanted: bool
    is_unwanted: bool


@dataclass(frozen=True)
class SwissDraw:
    """The pairs of a round, the leaders first, and the gang that has the bye."""

    pairs: tuple[DrawnPair, ...] = ()
    bye: Seat | None = None


@dataclass(frozen=True)
class SwissField:
    """The gangs to pair, and what they have played. ``apart``: how many places apart two gangs
    should be: half of the field, if the top half is to meet the bottom half."""

    seats: Sequence[Seat]
    met: Counter[Pair]
    wishes: Wishes
    apart: int = 0

    def cost(self, one: Seat, other: Seat) -> Cost:
        """The cost of a pair, the most important part first: unwanted by an organiser, one player
        on both sides, not wanted, earlier meetings, points apart (squared, so that two small floats
        are better than a large one), then places apart, as far as they differ from ``apart``."""
        pair = frozenset((one.gang, other.gang))
        return (
            int(pair in self.wishes.unwanted),
            int(_same_owner(one, other)),
            int(pair not in self.wishes.wanted and self._is_wanted(one, other)),
            self.met[pair],
            (one.points - other.points) ** 2,
            abs(abs(one.place - other.place) - self.apart),
        )

    def _is_wanted(self, *seats: Seat) -> bool:
        gangs = {seat.gang for seat in seats}
        return any(gangs & pair for pair in self.wishes.wanted)

    def may_rest(self) -> list[Seat]:
        """The gangs that may have the bye: those with the fewest byes."""
        fewest = min(seat.byes for seat in self.seats)
        return [seat for seat in self.seats if seat.byes == fewest]


def swiss_field(
    entrants: Sequence[Entered],
    matches: Collection[Match],
    options: StageOptions,
    wishes: Wishes = Wishes(),
    free: Collection[str] | None = None,
    around: Around = NOTHING_AROUND,
    *,
    is_first: bool | None = None,
) -> SwissField:
    """The gangs that play on, or those of them that are ``free``, the best first. ``is_first``:
    whether they are paired for the first round; by default, if there are no fixtures yet."""
    by_key = {one.gang: one for one in entrants if not one.has_left}
    byes = count_byes(matches)
    lines: list[TableLine] = stage_table(entrants, matches, options, around)
    here = [line for line in lines if line.gang in by_key and (free is None or line.gang in free)]
    is_first = not matches if is_first is None else is_first
    if is_first and options.first == "lots":
        here.sort(key=lambda line: draw(options.seed, f"first {line.seed}"))
    seats = [
        Seat(by_key[line.gang], line.points, number, byes[line.gang])
        for number, line in enumerate(here)
    ]
    apart = len(seats) // 2 if is_first and options.first == "halves" else 0
    return SwissField(seats, count_meetings(matches), wishes, apart)


def draw_swiss(field: SwissField) -> SwissDraw:
    """Pair the gangs so that the total cost is lowest.

    With an odd number, the lowest gang in the table of those with the fewest byes has the bye,
    unless that forces a clash of wishes, owners or earlier meetings that another gang's bye avoids.
    """
    seats = list(field.seats)
    if len(seats) < 2:
        return SwissDraw(bye=seats[0] if seats else None)
    nobody = len(seats)
    costs: dict[tuple[int, int], Cost] = {}
    for one, other in combinations(range(nobody), 2):
        *clashes, apart, places = field.cost(seats[one], seats[other])
        costs[one, other] = (*clashes, 0, apart, places)
    if nobody % 2:
        resting = field.may_rest()
        for place, seat in enumerate(reversed(seats)):
            if seat in resting:
                costs[nobody - 1 - place, nobody] = (0, 0, 0, 0, place, 0, 0)
    pairs, bye = [], None
    for first, second in match_all(costs):
        if second == nobody:
            bye = seats[first]
        else:
            pairs.append(drawn_pair(field, seats[first], seats[second]))
    return SwissDraw(tuple(sorted(pairs, key=lambda pair: pair.home.place)), bye)


def drawn_pair(field: SwissField, home: Seat, away: Seat) -> DrawnPair:
    """A pair with the facts about it."""
    pair = frozenset((home.gang, away.gang))
    return DrawnPair(
        home=home,
        away=away,
        met=field.met[pair],
        apart=abs(home.entrant.rating - away.entrant.rating),
        same_owner=_same_owner(home, away),
        is_wanted=pair in field.wishes.wanted,
        is_unwanted=pair in field.wishes.unwanted,
    )


def _same_owner(one: Seat, other: Seat) -> bool:
    owner = one.entrant.owner
    return owner is not None and owner == other.entrant.owner
