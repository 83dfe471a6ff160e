"""How lucky everybody was: what was thrown against what was to be expected, and how likely that is.

Counted is how often something came of dice: what whoever threw hoped for (``RollOutcome.hoped``),
at the table; or that a member is gone for good, after the game. Each attempt has its own chance, so
that hitting somebody in the open is no luck.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import erf, sqrt
from typing import Annotated, Literal

from pydantic import Field

from rules.book.vocabulary import Frozen

# Attempts at a table that went as hoped, or dice of a post-game that cost somebody.
What = Literal["attempt", "fate"]
# Who threw: the application, the players with dice of their own, or a phone without a network.
Source = Literal["app", "table", "phone"]
# Beyond so many attempts their sum is as good as normally distributed.
MOST_EXACT = 2000

Chance = Annotated[float, Field(ge=0, le=1)]


class Tries(Frozen):
    """The attempts of one side of a game that were thrown by somebody: the ``chances`` of what is
    counted, one an attempt, and how often it ``came``. ``side``: its place in the game, from 0."""

    side: Annotated[int, Field(ge=0, le=100)]
    what: What
    source: Source
    chances: Annotated[tuple[Chance, ...], Field(max_length=10_000)]
    came: Annotated[int, Field(ge=0)]


class GameLuck(Frozen):
    """All of a game."""

    tries: Annotated[tuple[Tries, ...], Field(max_length=600)] = ()


@dataclass(frozen=True)
class Luck:
    """So often of so many ``tries`` it ``came``, against what was ``expected``. ``tail``: how
    likely it is to come so often or more, if it came at least as often as expected (``more``); or
    so often or less."""

    tries: int
    came: int
    expected: float
    more: bool
    tail: float


def luck(chances: Sequence[float], came: int) -> Luck:
    """How lucky somebody was for whom something with these ``chances`` ``came`` so often."""
    expected = sum(chances)
    more = came >= expected
    tail = _at_least(chances, came) if more else 1 - _at_least(chances, came + 1)
    return Luck(len(chances), came, expected, more, min(1.0, max(0.0, tail)))


def _at_least(chances: Sequence[float], number: int) -> float:
    """How likely at least so many of independent events are."""
    if number <= 0:
        return 1.0
    if len(chances) > MOST_EXACT:
        spread = sqrt(sum(chance * (1 - chance) for chance in chances))
        if not spread:
            return float(sum(chances) >= number)
        away = (number - 0.5 - sum(chances)) / spread
        return 0.5 * (1 - erf(away / sqrt(2)))
    # How likely each number below is, after one event more at a time.
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
    """Single attempts, each with its chance and whether it came, put together by who threw what."""
    chances: dict[tuple[Who, What, Source], list[float]] = {}
    came: dict[tuple[Who, What, Source], int] = {}
    for who, what, source, chance, did in found:
        # What is certain is no luck.
        if 0 < chance < 1:
            key = who, what, source
            chances.setdefault(key, []).append(chance)
            came[key] = came.get(key, 0) + did
    return {key: (tuple(some), came[key]) for key, some in chances.items()}
