"""The number of cases that a test looks at: a few by default, many in ``script/prove``."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from random import SystemRandom
from typing import Any

import pytest
from hypothesis import settings

MANY = bool(os.environ.get("PROOFS"))
# The seed of the random cases: a new one for each run with many cases, unless script/prove sets it.
SEED = os.environ.get("PROOFS_SEED") or (SystemRandom().randrange(10**9) if MANY else 20261126)


def cases(few: int, many: int) -> int:
    """Return the number of cases to look at."""
    return many if MANY else few


def random_cases(few: int, many: int) -> Callable[[Any], Any]:
    """Mark a test that is given random cases."""

    def marked(test: Any) -> Any:
        number = cases(few, many)
        return pytest.mark.random(cases=number)(settings(max_examples=number)(test))

    return marked


def in_pairs[A, B](these: Sequence[A], those: Sequence[B]) -> list[tuple[A, B]]:
    """Return pairs in which each value of either sequence occurs at least once; with PROOFS set,
    every pair.
    """
    if MANY:
        return [(one, other) for one in these for other in those]
    longest = max(len(these), len(those))
    return [(these[place % len(these)], those[place % len(those)]) for place in range(longest)]


def two[A](these: Sequence[A]) -> Sequence[A]:
    """Return the first and the last value; with PROOFS set, all. For slow tests that are much the
    same for each value, such as a browser's way through every game.
    """
    return these if MANY else (these[0], these[-1])


def one_soon(these: Iterable[Any]) -> list[Any]:
    """Return all values, all but the first marked as long; if a test takes several values at a
    time, each is a tuple.
    """
    first, *others = these
    return [
        first,
        *(
            pytest.param(*(one if isinstance(one, tuple) else (one,)), marks=pytest.mark.long)
            for one in others
        ),
    ]
