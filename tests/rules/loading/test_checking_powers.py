"""The checker finds mistakes in powers."""

from __future__ import annotations

from typing import Any

import pytest

from rules.loading.reader import BadBook
from tests.rules.small import SMALL, row, small, told

CHARM = row("charm", group="goods")
VALUE = {"kind": "value", "amount": 1}


@pytest.mark.parametrize(
    ("traits", "place", "words"),
    [
        ([told("quick", effects=[VALUE])], "traits.0.effects.0", "give at least one trait a value"),
        (
            [told("quick", effects=[VALUE | {"traits": ["lucky"]}]), told("lucky")],
            "traits.0.effects.0.traits",
            "“lucky” has no value",
        ),
        (
            [told("quick", tags=["body"], effects=[VALUE | {"trait_tags": ["body"]}])],
            "traits.0.effects.0.trait_tags",
            "no trait with the tag “body” has a value",
        ),
        ([told("quick", item="spoon")], "traits.0.item", "unknown item “spoon”"),
        ([told("quick", item="fist")], "traits.0.item", "everybody already has “fist”"),
        (
            [told("quick", item="charm"), told("lucky", item="charm")],
            "traits.0.item",
            "“lucky” already gives “charm”",
        ),
        (
            [told("quick", item="charm", gained_at={"characteristic": "might", "value": 6})],
            "traits.0.item",
            "a trait that members gain automatically cannot give an item",
        ),
        ([told("quick", most=0)], "traits.0.most", "must be more than 0"),
    ],
)
def test_the_checker_finds_a_mistake_in_a_power(
    traits: list[dict[str, Any]], place: str, words: str
) -> None:
    items = [*SMALL["items"], CHARM, row("fist", group="arms", innate=True)]
    with pytest.raises(BadBook) as caught:
        small(traits=traits, items=items)
    [mistake] = caught.value.mistakes
    assert mistake.path == place and words in mistake.message


def test_the_checker_refuses_a_column_that_hides_the_value() -> None:
    column = {"key": "power", "name": {"en": "Power", "fr": "Pouvoir"}}
    groups = [row("arms"), row("goods", columns=[column])]
    with pytest.raises(BadBook) as caught:
        small(traits=[told("quick", item="charm")], items=[*SMALL["items"], CHARM], groups=groups)
    assert [mistake.path for mistake in caught.value.mistakes] == ["traits.0.item"]
