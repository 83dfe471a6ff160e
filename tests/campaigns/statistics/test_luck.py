"""The probability of luck, compared with an enumeration of all outcomes."""

from __future__ import annotations

from itertools import product
from math import comb, prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.statistics.luck import MOST_EXACT, Luck, Tries, luck, together, tries_of


def enumerate_chances(chances: list[float], came: int) -> tuple[float, float]:
    """Return the chances of at least and of at most this number of successes, by enumeration."""
    more = fewer = 0.0
    for ways in product((0, 1), repeat=len(chances)):
        share = prod(one if way else 1 - one for one, way in zip(chances, ways, strict=True))
        more += share * (sum(ways) >= came)
        fewer += share * (sum(ways) <= came)
    return more, fewer


@given(st.lists(st.floats(0, 1), max_size=8), st.data())
def test_luck_equals_the_enumerated_probability(chances: list[float], data: st.DataObject) -> None:
    came = data.draw(st.integers(0, len(chances)))
    found = luck(chances, came)
    more, fewer = enumerate_chances(chances, came)
    assert found.expected == pytest.approx(sum(chances))
    assert found.more == (came >= found.expected)
    assert found.tail == pytest.approx(more if found.more else fewer, abs=1e-9)


def test_equal_chances_give_a_binomial_distribution() -> None:
    tail = sum(comb(12, number) for number in range(9, 13)) / 2**12
    assert luck([0.5] * 12, 9) == Luck(12, 9, 6.0, True, pytest.approx(tail))
    assert luck([0.5] * 12, 3) == Luck(12, 3, 6.0, False, pytest.approx(tail))
    assert luck([], 0) == Luck(0, 0, 0, True, 1.0)


def test_many_attempts_are_approximated_closely() -> None:
    exact, rough = luck([0.3] * MOST_EXACT, 650), luck([0.3] * MOST_EXACT + [0.0], 650)
    assert rough.tail == pytest.approx(exact.tail, abs=0.001)
    assert luck([0.0] * (MOST_EXACT + 1), 1).tail == 0.0


def test_attempts_are_grouped_by_thrower_and_roll() -> None:
    found = tries_of(
        [
            (1, "attempt", "app", 0.5, True),
            (1, "attempt", "app", 0.25, False),
            (1, "attempt", "table", 0.5, True),
            (2, "fate", "app", 1 / 6, True),
            # Certain and impossible outcomes are not luck.
            (2, "fate", "app", 1.0, True),
            (2, "attempt", "app", 0.0, False),
        ]
    )
    assert found == {
        (1, "attempt", "app"): ((0.5, 0.25), 1),
        (1, "attempt", "table"): ((0.5,), 1),
        (2, "fate", "app"): ((1 / 6,), 1),
    }
    some = [
        Tries(side=0, what="attempt", source="app", chances=(0.5, 0.25), came=1),
        Tries(side=0, what="attempt", source="app", chances=(0.25,), came=1),
    ]
    assert together(some) == luck([0.5, 0.25, 0.25], 2)
