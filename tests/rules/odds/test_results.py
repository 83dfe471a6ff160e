"""Chances in words."""

from fractions import Fraction

import pytest
from django.utils.translation import override

from rules.odds.results import (
    format_average,
    format_chance,
    format_difference,
    format_exact,
)
from rules.percent import percent


@pytest.mark.parametrize(
    ("chance", "said", "exact"),
    [
        (Fraction(0), "0%", ""),
        (Fraction(1, 1296), "<1%", ""),
        (Fraction(1, 250), "<1%", "1 in 250"),
        (Fraction(1, 100), "1%", "1 in 100"),
        (Fraction(3, 16), "19%", "3 in 16"),
        (Fraction(1, 8), "13%", "1 in 8"),
        (Fraction(999, 1000), ">99%", "999 in 1000"),
        (Fraction(1295, 1296), ">99%", ""),
        (Fraction(1), "100%", ""),
    ],
)
def test_a_chance_is_never_rounded_to_certainty(chance: Fraction, said: str, exact: str) -> None:
    with override("en"):
        assert (percent(chance), format_exact(chance)) == (said, exact)


@pytest.mark.parametrize(
    ("language", "both", "average", "change"),
    [
        ("en", "3 in 16 (19%)", "0.33", "+11%"),
        ("fr", "3 sur 16 (19\N{NO-BREAK SPACE}%)", "0,33", "+11\N{NO-BREAK SPACE}%"),
    ],
)
def test_numbers_are_written_in_the_form_of_the_language(
    language: str, both: str, average: str, change: str
) -> None:
    with override(language):
        assert format_chance(Fraction(3, 16)) == both
        assert format_average(Fraction(1, 3)) == average
        assert format_difference(Fraction(0), Fraction(1, 9), chance=True) == change
        assert format_difference(Fraction(1), Fraction(2, 3), chance=False)[0] == "−"
