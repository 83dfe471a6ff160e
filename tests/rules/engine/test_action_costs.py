"""Costs of actions, and the modifiers that change them."""

import pytest

from rules.engine.evening import action_cost
from rules.engine.situations import Side, Situation, names_in
from tests.rules.small import Data, figure, row, small

ROWS: Data = {
    "actions": [row("walk", cost=1), row("shoot", cost="by.might - 1")],
    "modifiers": [
        row("quick", on="cost", actions=["shoot"], amount=-1, given="by.has_trait('quick')"),
        row("lucky", on="cost", amount=-3, given="by.has_trait('lucky')"),
        row("river", on="cost", amount=4, when={"people": ["river"]}),
    ],
}


@pytest.mark.parametrize(
    ("key", "traits", "people", "cost"),
    [
        ("walk", (), "nobody", 1),
        ("shoot", (), "nobody", 2),
        ("walk", ("quick",), "nobody", 1),
        ("shoot", ("quick",), "nobody", 1),
        ("shoot", ("quick", "lucky"), "nobody", 0),
        ("walk", (), "river", 5),
    ],
)
def test_modifiers_change_the_cost_of_an_action(
    key: str, traits: tuple[str, ...], people: str, cost: int
) -> None:
    book = small(**ROWS)
    settings = book.default_settings() | {"people": people}
    names = names_in(book.under(settings), Situation(Side(figure(traits=traits))))
    assert action_cost(book.under(settings), key, names) == cost
