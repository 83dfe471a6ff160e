"""Luck: how often dice succeeded, how often they should have, and how likely the difference is.

At the table, a success is the outcome that the thrower hoped for (``RollOutcome.hoped``); after the
game, it is the loss of a member for good. Each attempt has its own chance, so that an easy shot
that hits does not count as luck.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import erf, sqrt
from typing import Annotated, Literal

from pydantic import Field

from rules.book.vocabulary import Frozen

# Attempts at a table that went as hoped, or dice of a post-game that cost a gang a member.
What = Literal["attempt", "fate"]
# The thrower: the application, players with their own dice, or a phone without a network.
Source = Literal["app", "table", "phone"]
# With more attempts than this, their sum is practically normally distributed.
MOST_EXACT = 2000

Chance = Annotated[float, Field(ge=0, le=1)]


class Tries(Frozen):
    """The attempts of one side of a game from one source. ``chances``: the chance of success of
    each attempt; ``came``: the number of successes; ``side``: its place in the game, from 0."""

    side: Annotated[int, Field(ge=0, le=100)]
    what: What
    source: Source
    chances: Annotated[tuple[Chance, ...], Field(max_length=10_000)]
    came: Annotated[int, Field(ge=0)]


class GameLuck(Frozen):
    """All attempts in a game."""

    tries: Annotated[tuple[Tries, ...], Field(max_length=600)] = ()


@dataclass(frozen=True)
class Luck:
    """The successes (``came``) among ``tries``, and the ``expected`` number of them.

    ``more``: at least as many as expected; ``tail``: the probability of as many successes or more
    if ``more``, else of as many or fewer.
    """

    tries: int
    came: int
    expected: float
    more: bool
    tail: float


def luck(chances: Sequence[float], came: int) -> Luck:
    """The luck of attempts with these ``chances``, when ``came`` of them succeeded."""
    expected = sum(chances)
    more = came >= expected
    tail = _at_least(chances, came) if more else 1 - _at_least(chances, came + 1)
    return Luck(len(chances), came, expected, more, min(1.0, max(0.0, tail)))


def _at_least(chances: Sequence[float], number: int) -> float:
    """The probability that at least ``number`` of independent events happen."""
    if number <= 0:
        return 1.0
    if len(chances) > MOST_EXACT:
        spread = sqrt(sum(chance * (1 - chance) for chance in chances))
        if not spread:
            return float(sum(chances) >= number)
        away = (number - 0.5 - sum(chances)) / spread
        return 0.5 * (1 - erf(away / sqrt(2)))
    # The probability of each smaller number, updated with one event at a time.
    ways = [1.0] + [0.0] * (number - 1)
    for chance in chances:
        for place in range(number - 1, 0, -1):
            ways[place] += chance * (ways[place - 1] - ways[place])
        ways[0] *= 1 - chance
    return 1 - sum(ways)


def together(some: Iterable[Tries]) -> Luck:
    """The luck of several sides or games together."""
    found = list(some)
    chances = [chance for tries in found for chance in tries.chances]
    return luck(chances, sum(tries.came for tries in found))


def tries_of[Who](
    found: Iterable[tuple[Who, What, Source, float, bool]],
) -> Mapping[tuple[Who, What, Source], tuple[tuple[float, ...], int]]:
    """Group single attempts by who threw what: their chances, and the number of successes.

    ``found``: who, what, source, the chance and whether the attempt succeeded.
    """
    chances: dict[tuple[Who, What, Source], list[float]] = {}
    came: dict[tuple[Who, What, Source], int] = {}
    for who, what, source, chance, did in found:
        # A certain outcome takes no luck.
        if 0 < chance < 1:
            key = who, what, source
            chances.setdefault(key, []).append(chance)
            came[key] = came.get(key, 0) + did
    return {key: (tuple(some), came[key]) for key, some in chances.items()}
