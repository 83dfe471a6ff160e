"""Entrants and fixtures of a stage as values, for everything that is worked out from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Literal
from uuid import UUID

from campaigns.engine.how import FORFEITS, FOUGHT, Manner
from rules.book.season import SideKind
from rules.engine.costing import Points

# The result of a fixture: nothing yet, a winner, a draw, nothing for anybody, or no game at all.
Outcome = Literal["open", "home", "away", "level", "void", "off"]
Pair = frozenset[str]


@dataclass(frozen=True)
class Entered:
    """A gang in a stage. ``seed``: its place at the start; ``owner``: its player; ``has_left``: it
    plays no more rounds here; ``is_annulled``: its results count for nobody."""

    gang: str
    seed: int
    rating: Points = 0
    owner: str | None = None
    has_left: bool = False
    is_annulled: bool = False


def key_of(gang: UUID | None, name: str) -> str:
    """Return the key of a gang in a stage's values: its name, if it was deleted."""
    return str(gang) if gang is not None else f"name:{name}"


def standing_matches(entrants: Iterable[Entered], matches: Iterable[Match]) -> list[Match]:
    """Return the matches that count: all but those of gangs whose results are annulled."""
    annulled = {one.gang for one in entrants if one.is_annulled}
    return [match for match in matches if annulled.isdisjoint(match.sides)]


@dataclass(frozen=True)
class Match:
    """A fixture. ``away``: None for a bye; ``day``: the day of its game; ``key``: its row;
    ``advances``: the gang that goes on, whatever the outcome; "" if nobody decided that; ``how``:
    whether its game was fought; ``follows``: its gangs came from fixtures before it in a knock-out;
    ``losers``: as the losers of those."""

    key: int
    round: int
    number: int
    home: str
    away: str | None = None
    outcome: Outcome = "open"
    day: date | None = None
    advances: str = ""
    how: Manner = "played"
    follows: bool = False
    losers: bool = False

    @property
    def is_bye(self) -> bool:
        """Whether one gang has no opponent. A bye that was called off does not count."""
        return self.away is None and self.outcome != "off"

    @property
    def is_decided(self) -> bool:
        """Whether its game counts: somebody has won, or it was drawn."""
        return self.outcome in ("home", "away", "level")

    @property
    def is_fought(self) -> bool:
        """Whether the two gangs have met."""
        return self.is_decided and self.how in FOUGHT

    @property
    def kinds(self) -> list[tuple[str, SideKind]]:
        """Its gangs, and how it ended for each. Only once it is over, and not for a bye. Without a
        winner, both are level; both have lost if neither came, as in the standings."""
        both: SideKind = "level"
        if self.outcome == "void" and self.how in FORFEITS:
            both = "loser"
        home, away = both, both
        if self.outcome in ("home", "away"):
            home, away = ("winner", "loser") if self.outcome == "home" else ("loser", "winner")
        return [] if self.away is None else [(self.home, home), (self.away, away)]

    @property
    def sides(self) -> tuple[str, ...]:
        """Its gangs."""
        return (self.home,) if self.away is None else (self.home, self.away)

    @property
    def winner(self) -> str | None:
        """The gang that won or goes on; None if nobody has yet."""
        if self.advances in self.sides:
            return self.advances
        if self.is_bye:
            return self.home
        return {"home": self.home, "away": self.away}.get(self.outcome)

    @property
    def loser(self) -> str | None:
        """The gang that does not go on; None without a winner or in a bye."""
        winner = self.winner
        if winner is None or self.away is None:
            return None
        return next((side for side in self.sides if side != winner), None)


def count_meetings(matches: Iterable[Match]) -> Counter[Pair]:
    """How often each pair meets in these fixtures, those to come included. Without a battle they
    have not met."""
    return Counter(
        frozenset(match.sides)
        for match in matches
        if match.away is not None and (match.outcome == "open" or match.is_fought)
    )


def count_done(matches: Iterable[Match]) -> Counter[Pair]:
    """How many fixtures of each pair are done, or are to come: a game that somebody missed is done,
    even if both did; one that was called off, is void or was abandoned is still to be played."""
    return Counter(
        frozenset(match.sides)
        for match in matches
        if match.away is not None
        if match.outcome != "off" and (match.outcome != "void" or match.how == "no-show")
    )


def count_byes(matches: Iterable[Match]) -> Counter[str]:
    """The number of byes of each gang."""
    return Counter(match.home for match in matches if match.is_bye)
