"""The circumstances that can matter for a roll: no more than these, and never fewer."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from rules.book.model import Book
from rules.engine.figure import Figure
from rules.engine.odds import HOPELESS
from rules.engine.situations import Side
from rules.odds.asking import circumstances
from rules.odds.chances import Question, ways
from rules.odds.relevance import facts_that_matter
from tests.random_cases import SEED, cases
from tests.rules.odds.games import ATTACK, MORALE, POKER, game
from tests.rules.small import figure, row, text
from tests.world.gangs import SLUGS, shipped

CARDS = ("none", "ace")
FACTS = [
    row("cover", kind="number", maximum=2),
    row("close"),
    row("far"),
    row("card", kind="choice", choices=[{"key": key, "name": text(key)} for key in CARDS]),
]
# Some roll reads every circumstance.
READER = row(
    "reader",
    steps=[{"let": "all", "be": "close + far + (card == 'ace')"}],
    numbers=[{"of": "all", "name": text("All")}],
)


def with_attack(*steps: dict[str, Any]) -> Book:
    """A small game whose attack begins with these steps."""
    attack = {**ATTACK, "steps": [*steps, *ATTACK["steps"]]}
    return game(circumstances=FACTS, rolls=[MORALE, POKER, READER, attack])


def question(book: Book, roll: str = "attack", **said: int | str) -> Question:
    by = Side(figure("fighter", items=("sword",)), "sword")
    rules = book.under(book.default_settings())
    return Question(rules, book.roll[roll], by, Side(figure("fighter")), said)


def matter(*steps: dict[str, Any], **said: int | str) -> set[str]:
    """The circumstances that matter for an attack with these steps."""
    asked = question(with_attack(*steps), **said)
    return {*facts_that_matter(asked, asked.rules.circumstances)}


def test_circumstance_matters_where_dice_read_it() -> None:
    assert matter() == {"cover"}
    assert matter({"count": "more", "dice": "1 + close", "target": 4}) == {"cover", "close"}


@pytest.mark.parametrize(
    "formula",
    [
        "close if by.has_trait('lucky') else 0",
        "by.has_trait('lucky') and close",
        "max(0, min(close, 0))",
        "0 if by.might - close > 0 else 5 * far",
        "1 if card == 'queen' else 0",
        "close * 0",
        "max(by.might, close)",
    ],
)
def test_circumstance_does_not_matter_where_the_figures_decide(formula: str) -> None:
    """A fighter has a might of 3 and no traits."""
    assert matter({"count": "more", "dice": formula, "target": 4}) == {"cover"}


@pytest.mark.parametrize("formula", ["close", "min(close, 1)", "1 if card == 'ace' else 0"])
def test_circumstance_matters_through_later_steps(formula: str) -> None:
    steps: list[dict[str, Any]] = [
        {"let": "bonus", "be": formula},
        {"again": "round", "times": 2, "steps": [
            {"count": "more", "dice": "kept", "target": 4},
            {"let": "kept", "be": "bonus"},
        ]},
    ]  # fmt: skip
    name = "card" if "card" in formula else "close"
    assert matter({"let": "kept", "be": 1}, *steps) == {"cover", name}
    # A number that nothing reads decides nothing.
    assert matter(steps[0]) == {"cover"}


def any_question(book: Book, random: Random) -> Question:
    """A random roll of random figures with random items."""
    rules = book.under(book.default_settings())

    def some() -> Figure:
        rank = random.choice(book.ranks).key
        traits = tuple(one.key for one in random.sample(book.traits, min(2, len(book.traits))))
        profession = random.choice([None, *(one.key for one in book.professions)])
        items = tuple(one.key for one in random.sample(book.items, 3))
        return Figure(rank, rank, items=items, traits=traits, profession=profession)

    while True:
        roll, by, at = random.choice(rules.rolls), some(), some()
        uses = [use for use in ways(book, by.items) if roll.using == "item"]
        use = random.choice(uses) if uses else None
        arms = (use.item.key, use.mode) if use else (None, None)
        found = Question(rules, roll, Side(by, *arms), Side(at, random.choice(at.items)))
        if found.usable and circumstances(rules, roll, found.ready):
            return found


def any_value(fact: Any, random: Random) -> int | str:
    if fact.kind == "choice":
        return str(random.choice(fact.choices).key)
    return random.randint(fact.minimum, fact.maximum)


@pytest.mark.random
@pytest.mark.parametrize("slug", SLUGS)
def test_no_other_circumstance_changes_the_odds(slug: str) -> None:
    random, book = Random(f"{slug} {SEED}"), shipped(slug)
    tried = 0
    for _case in range(cases(6, 300)):
        asked = any_question(book, random)
        rows = circumstances(asked.rules, asked.roll, asked.ready)
        kept = facts_that_matter(asked, rows)
        said = {one.key: any_value(one, random) for one in rows}
        others = {one.key: any_value(one, random) for one in rows if one.key not in kept}
        tried += len(others)
        one = Question(asked.rules, asked.roll, asked.by, asked.at, said)
        other = Question(asked.rules, asked.roll, asked.by, asked.at, said | others)
        assert one.usable == other.usable
        if one.usable:
            try:
                assert one.odds == other.odds, (asked.roll.key, others)
            except HOPELESS:
                continue
    assert tried
