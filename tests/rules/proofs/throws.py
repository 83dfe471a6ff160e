"""Pearson's chi-square test of played rolls against their odds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from random import Random
from statistics import NormalDist

from rules.book.model import Book
from rules.book.rolls import Roll
from rules.engine.compiling import Ready, ready
from rules.engine.expressions import Value
from rules.engine.odds import odds
from rules.engine.playing import play
from rules.loading.try_rolls import situations

# Cells with fewer expected throws are joined.
FEWEST = 5


def limit(degrees: int, significance: float) -> float:
    """Return the chi-square that honest dice rarely exceed, after Wilson and Hilferty."""
    part = 2 / (9 * degrees)
    return degrees * (1 - part + NormalDist().inv_cdf(1 - significance) * part**0.5) ** 3


@dataclass(frozen=True)
class Fit:
    """Fit of throws to odds; ``impossible`` counts throws with a chance of zero."""

    chi_square: float
    degrees: int
    impossible: tuple[Hashable, ...] = ()

    def passes(self, significance: float) -> bool:
        """Whether honest dice differ this much with at least this probability."""
        if self.impossible:
            return False
        return self.degrees == 0 or self.chi_square <= limit(self.degrees, significance)


def fit(thrown: Mapping[Hashable, int], chances: Mapping[Hashable, Fraction]) -> Fit:
    """Return the fit of the throws to the chances."""
    impossible = tuple(key for key, times in thrown.items() if times and not chances.get(key))
    total = sum(thrown.values())
    chi_square, cells, few, few_expected = 0.0, 0, 0, 0.0
    for key, chance in chances.items():
        expected = float(chance * total)
        times = thrown.get(key, 0)
        if expected < FEWEST:
            few, few_expected = few + times, few_expected + expected
            continue
        chi_square += (times - expected) ** 2 / expected
        cells += 1
    if few_expected >= FEWEST:
        chi_square += (few - few_expected) ** 2 / few_expected
        cells += 1
    return Fit(chi_square, max(0, cells - 1), impossible)


def fits(
    made: Ready, facts: Mapping[str, Value], throws: int, random: Random
) -> Iterator[tuple[str, Fit]]:
    """Yield the fit of a roll's outcomes and of each of its numbers after some throws."""
    draw: Callable[[], float] = random.random
    outcomes: Counter[Hashable] = Counter()
    numbers: dict[str, Counter[Hashable]] = {name: Counter() for name in made.numbers}
    for _time in range(throws):
        played = play(made, facts, lambda sides: int(draw() * sides) + 1)
        outcomes[played.outcome] += 1
        for name, value in played.numbers.items():
            numbers[name][value] += 1
    said = odds(made, facts)
    if said.outcomes:
        yield "outcomes", fit(outcomes, dict(said.outcomes))
    for name, found in numbers.items():
        yield name, fit(found, dict(said.numbers[name]))


def typical(book: Book, roll: Roll, number: int, random: Random) -> list[dict[str, Value]]:
    """Return ``number`` situations in which a roll of the book may be thrown."""
    every = [*situations(book.usual, roll)]
    return random.sample(every, min(number, len(every)))


def rolls_of(books: Iterable[Book]) -> Iterator[tuple[Book, Roll, Ready]]:
    """Yield every roll of some books, compiled under their default options."""
    for book in books:
        for roll in book.rolls:
            yield book, roll, ready(book.usual, roll.key)


def folders() -> list[Path]:
    """Return the shipped rulebooks and the rulebook of the tests."""
    root = Path(__file__).parents[3]
    inside = (*(root / "rules" / "books").iterdir(), *(root / "tests" / "sixth").iterdir())
    return sorted(folder for folder in inside if (folder / "book.toml").exists())
