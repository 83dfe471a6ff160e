"""How many cases a test looks at: a few whenever the tests run, many by ``script/prove``."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from random import SystemRandom
from typing import Any

import pytest
from hypothesis import settings

MANY = bool(os.environ.get("PROOFS"))
# Of the random cases: another each time when they are many, unless script/prove says which.
SEED = os.environ.get("PROOFS_SEED") or (SystemRandom().randrange(10**9) if MANY else 20261126)


def cases(few: int, many: int) -> int:
    """How many to look at."""
    return many if MANY else few


def random_cases(few: int, many: int) -> Callable[[Any], Any]:
    """Of a test that is given random cases."""

    def marked(test: Any) -> Any:
        number = cases(few, many)
        return pytest.mark.random(cases=number)(settings(max_examples=number)(test))

    return marked


def in_pairs[A, B](these: Sequence[A], those: Sequence[B]) -> list[tuple[A, B]]:
    """Pairs in which each of both comes at least once; with PROOFS set, every pair there is."""
    if MANY:
        return [(one, other) for one in these for other in those]
    longest = max(len(these), len(those))
    return [(these[place % len(these)], those[place % len(those)]) for place in range(longest)]


def two[A](these: Sequence[A]) -> Sequence[A]:
    """The first and the last of them; with PROOFS set, all. For what takes long and is much the
    same for each, as a browser's way through every game."""
    return these if MANY else (these[0], these[-1])


def two_soon(these: Sequence[Any]) -> list[Any]:
    """All of them, of which those between the first and the last are marked long; where a test
    takes several values at once, each is a tuple."""
    between = [
        pytest.param(*(one if isinstance(one, tuple) else (one,)), marks=pytest.mark.long)
        for one in these[1:-1]
    ]
    return [these[0], *between, these[-1]]
