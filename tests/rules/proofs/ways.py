"""Odds of a roll by playing every possible throw: slow, but certain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from math import factorial

from rules.book.model import Book
from rules.book.rolls import Roll
from rules.bounds.work import TooMuch
from rules.engine.compiling import Ready, make_ready
from rules.engine.expressions import Value
from rules.engine.odds import Odds
from rules.engine.playing import Missing, tell
from tests.rules.small import text

Chances = dict[int, Fraction]
MOST_WAYS = 2_000


@cache
def falls(dice: int, sides: int) -> tuple[tuple[tuple[int, ...], Fraction], ...]:
    """Return every throw, without regard to order, and its chance."""
    found = []
    for faces in combinations_with_replacement(range(1, sides + 1), dice):
        ways = factorial(dice)
        for count in Counter(faces).values():
            ways //= factorial(count)
        found.append((faces, Fraction(ways, sides**dice)))
    return tuple(found)


def every_way(ready: Ready, facts: Mapping[str, Value]) -> Odds:
    """Return the chances of outcomes and numbers, by ``tell`` for every possible throw.

    Raises TooMuch where there are too many ways to play it.
    """
    outcomes: dict[str, Fraction] = {row.key: Fraction(0) for row in ready.outcomes}
    numbers: dict[str, Chances] = {name: {} for name in ready.numbers}
    ahead: list[tuple[tuple[tuple[int, ...], ...], Fraction]] = [((), Fraction(1))]
    for _way in range(MOST_WAYS):
        if not ahead:
            break
        told, chance = ahead.pop()
        try:
            played = tell(ready, facts, told)
        except Missing as missing:
            wanted = missing.wanted
            for faces, part in falls(wanted.dice, wanted.sides):
                ahead.append(((*told, faces), chance * part))
            continue
        if outcomes:
            outcomes[played.outcome] += chance
        for name, value in played.numbers.items():
            numbers[name][value] = numbers[name].get(value, Fraction(0)) + chance
    else:
        raise TooMuch("can be played in too many ways")
    return Odds(outcomes, {name: dict(sorted(found.items())) for name, found in numbers.items()})


def every_throw(dice: int, sides: int) -> list[tuple[int, ...]]:
    """Return every throw of ``dice`` dice in every order."""
    return [*product(range(1, sides + 1), repeat=dice)]


def roll(steps: list[object], *numbers: str, outcomes: list[object] | None = None) -> Roll:
    """Return a roll of these steps that gives these numbers."""
    given = [{"of": name, "name": text(name)} for name in numbers]
    named = {"key": "trial", "name": text("Trial"), "source": "house"}
    return Roll.model_validate(
        {**named, "steps": steps, "numbers": given, "outcomes": outcomes or []}
    )


def ready_in(book: Book, made: Roll) -> Ready:
    """Return the roll compiled under the book's default options."""
    return make_ready(book.usual, made)
