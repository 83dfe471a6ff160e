"""The checker finds prices that make money, and prices of things that nobody buys."""

from __future__ import annotations

import pytest

from tests.rules.small import SMALL, Data, mistakes, row, small, told

FREE = {"adjustments": [row("free", on="items", less="1", first=1)]}


def item(**fields: object) -> Data:
    """Return the small rulebook's items with one more."""
    return {"items": [*SMALL["items"], row("jar", group=SMALL["groups"][0]["key"], **fields)]}


@pytest.mark.parametrize(
    ("changes", "field", "part"),
    [
        (item(price=4, resale="3/2"), "resale", "could buy and sell this item forever"),
        (item(price=4, resale="1/2") | FREE, "resale", "“free” makes the item cheaper"),
        (item(innate=True, uses=2), "uses", "everybody already has this one"),
        (item(innate=True, next_prices=[3]), "next_prices", "everybody already has this one"),
        (item(uses=0), "uses", "at least 1"),
        (item(resale="1/3"), "resale", "have the form"),
    ],
)
def test_check_refuses_a_price_or_use_without_sense(changes: Data, field: str, part: str) -> None:
    place = f"items.{len(SMALL['items'])}.{field}"
    found = mistakes(**changes)
    assert found.keys() == {place} and part in found[place][0]


def test_check_accepts_resale_beside_prices_of_the_founding() -> None:
    founding = {"adjustments": [row("free", on="items", less="1", phase="founding")]}
    assert small(**item(price=4, resale="1/2", uses=2, next_prices=[5, 6]), **founding)


def offer(**fields: object) -> Data:
    return {"offers": [row("deal", **fields)]}


FIRST = SMALL["items"][0]["key"]


@pytest.mark.parametrize(
    ("changes", "place", "part"),
    [
        (offer(price=1), "offers.0", "to offer"),
        (offer(items=[FIRST]), "offers.0", "has no effect: give “price”"),
        (offer(items=["moon"], only=True), "offers.0.items", "unknown item “moon”"),
        (
            offer(groups=[SMALL["groups"][0]["key"]], included=True),
            "offers.0.included",
            "name them in “items”",
        ),
        (
            offer(items=[FIRST], included=True, only=True),
            "offers.0.included",
            "combined with “price”",
        ),
        (
            offer(items=[FIRST], availability="2d6 >= 9"),
            "offers.0.availability",
            "needs a step “search”",
        ),
        (offer(items=[FIRST], availability="often"), "offers.0.availability", "have the form"),
    ],
)
def test_check_refuses_an_offer_without_sense(changes: Data, place: str, part: str) -> None:
    found = mistakes(**changes)
    assert found.keys() == {place} and part in found[place][0]


@pytest.mark.parametrize(("dice", "word"), [("2d6 >= 2", "always"), ("1d6 <= 0", "never")])
def test_check_refuses_a_search_that_dice_do_not_decide(dice: str, word: str) -> None:
    search = {"campaign__steps": [*SMALL["campaign"]["steps"], told("look", kind="search")]}
    changes = offer(items=[FIRST], availability=dice) | search
    found = mistakes(**changes)
    assert found == {"offers.0.availability": [f"{word} finds the item: change the number"]}
    assert small(**offer(items=[FIRST], availability="2d6 >= 9"), **search).offers


def test_check_refuses_resale_above_the_price_of_an_offer() -> None:
    deal = offer(items=["jar"], price=1)
    found = mistakes(**item(price=4, resale="1/2"), **deal)
    assert "“deal” offers the item for less" in found[f"items.{len(SMALL['items'])}.resale"][0]
    assert small(**item(price=4, resale="0"), **deal)


def test_check_compares_resale_with_the_least_of_a_price_by_dice() -> None:
    deal = offer(items=["jar"], availability="2d6 >= 9", price_dice="1d6")
    found = mistakes(**item(price=4, resale="1/2"), **deal)
    assert "“deal” offers the item for less" in found[f"items.{len(SMALL['items'])}.resale"][0]
    dear = offer(items=["jar"], availability="2d6 >= 9", price_dice="1d6+1")
    assert f"items.{len(SMALL['items'])}.resale" not in mistakes(
        **item(price=4, resale="1/2"), **dear
    )
