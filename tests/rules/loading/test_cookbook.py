"""The cookbook works: its answers, added to the tutorial's game, make a rulebook.

The checker refuses the rules that the page calls impossible.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

import pytest

from rules.loading.examining import notes
from rules.loading.reader import BadBook, RawBook, parse
from tests.rules.loading.documents import (
    COOKBOOK,
    MISSING,
    Data,
    blocks,
    parts,
    whole_game,
    with_more,
)

GAME = whole_game()
ANSWERS = parts(COOKBOOK)
# The place where the checker refuses each impossible rule, by heading.
REFUSED = {
    "Rolled profiles of founders": "characteristics.3.start",
    "Rolls on a table with a modifier": "campaign.steps.8.plus",
    "Money from the other gang": "campaign.results.1.takes",
    "Trade between gangs": "campaign.trades",
    "Healing for money": "tables.2.rows.0.outcomes.0",
    "Losing a holding by chance": "tables.2.rows.0.outcomes.0",
    "Income for a set of holdings": "campaign.yields.1.together",
    "Upkeep that grows with the gang": "campaign.upkeep.0.beyond",
    "Standings by holdings": "campaign.standings.0",
    "Events for the whole campaign": "campaign.events",
    "Cards instead of dice": "tables.2.dice",
    "Figures aboard others": "ranks.2.seats",
    "Secret orders": "scenarios.1.secret",
    "Turns that differ from each other": "phases.0.every",
    "Scores that depend on positions": "alarms.0.given",
}


def row_of(text: str) -> Data:
    [block] = blocks(text, "toml")
    return tomllib.loads(block)


def keys(data: object) -> Iterator[str]:
    """Yield the keys of all rows in some data."""
    for row in data if isinstance(data, list) else [data]:
        if isinstance(row, dict):
            yield from [row["key"]] if "key" in row else []
            for inside in row.values():
                yield from keys(inside)


def test_the_cookbook_has_as_many_answers_as_it_says() -> None:
    assert len(ANSWERS) == 69
    assert all(heading.startswith("… ") for heading in ANSWERS)


@pytest.mark.parametrize("heading", ANSWERS)
def test_each_answer_makes_a_valid_rulebook(heading: str) -> None:
    added = row_of(ANSWERS[heading])
    book = parse(RawBook(with_more(GAME, added), "river-rats"))
    assert book != parse(RawBook(GAME, "river-rats"))
    # Something uses every row that an answer adds; rows that it replaces may leave unused ones.
    brought = set(keys(added))
    assert not [words for _path, words in notes(book) if words.split("”")[0][1:] in brought]


@pytest.mark.parametrize("heading", parts(MISSING))
def test_each_impossible_rule_is_refused(heading: str) -> None:
    with pytest.raises(BadBook) as caught:
        parse(RawBook(with_more(GAME, row_of(parts(MISSING)[heading])), "river-rats"))
    assert {mistake.path for mistake in caught.value.mistakes} == {REFUSED[heading]}


def test_the_page_explains_every_refusal() -> None:
    assert parts(MISSING).keys() == REFUSED.keys()
    assert all("Workaround: " in text for text in parts(MISSING).values())
