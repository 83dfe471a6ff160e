"""The checker finds prices that make money, and prices of things that nobody buys."""

from __future__ import annotations

import pytest

from tests.rules.small import SMALL, Data, mistakes, row, small

FREE = {"adjustments": [row("free", on="items", less="1", first=1)]}


def item(**fields: object) -> Data:
    """Return the small rulebook's items with one more."""
    return {"items": [*SMALL["items"], row("jar", group=SMALL["groups"][0]["key"], **fields)]}


@pytest.mark.parametrize(
    ("changes", "field", "part"),
    [
        (item(price=4, resale="3/2"), "resale", "could buy and sell it for ever"),
        (item(price=4, resale="1/2") | FREE, "resale", "“free” makes it cheaper"),
        (item(innate=True, uses=2), "uses", "everybody has this one"),
        (item(innate=True, next_prices=[3]), "next_prices", "everybody has this one"),
        (item(uses=0), "uses", "at least 1"),
        (item(resale="1/3"), "resale", "of the form"),
    ],
)
def test_check_refuses_a_price_or_use_without_sense(changes: Data, field: str, part: str) -> None:
    place = f"items.{len(SMALL['items'])}.{field}"
    found = mistakes(**changes)
    assert found.keys() == {place} and part in found[place][0]


def test_check_accepts_resale_beside_prices_of_the_founding() -> None:
    founding = {"adjustments": [row("free", on="items", less="1", phase="founding")]}
    assert small(**item(price=4, resale="1/2", uses=2, next_prices=[5, 6]), **founding)
