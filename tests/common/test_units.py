"""Numbers with their units in the reader's language."""

from __future__ import annotations

import pytest
from django.utils.translation import override

from common.units import add_unit


@pytest.mark.parametrize(
    ("number", "unit", "english", "french"),
    [
        ("8", "$", "$8", "8\u00a0$"),
        ("-3", "€", "-€3", "-3\u00a0€"),
        ("\u22123", "$", "\u2212$3", "\u22123\u00a0$"),
        ("9", '"', '9"', '9"'),
        ("12", "Po", "12 Po", "12 Po"),
        ("7", "", "7", "7"),
    ],
)
def test_a_unit_is_where_the_language_writes_it(
    number: str, unit: str, english: str, french: str
) -> None:
    with override("en"):
        assert add_unit(number, unit) == english
    with override("fr"):
        assert add_unit(number, unit) == french


def test_a_blank_may_be_one_that_does_not_break() -> None:
    assert add_unit("12", "Po", "\u00a0") == "12\u00a0Po"
