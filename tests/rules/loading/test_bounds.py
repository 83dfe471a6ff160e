"""Values beyond their bounds are mistakes of the rulebook, and never limited silently."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rules.book.model import Book
from rules.loading.reader import BadBook, RawBook, parse
from rules.untrusted import read_version
from tests.rules.small import SMALL, choice, measured, mistakes, row, text

PARTS = [text("fit"), text("hurt")]


def ranked(**values: Any) -> list[Any]:
    return [row("chief", price=1, values=values)]


@pytest.mark.parametrize(
    ("key", "written", "words"),
    [
        ("might", 7, "7 is outside the range of “might”, 1 to 6"),
        ("might", 0, "0 is outside the range of “might”, 1 to 6"),
        ("nerve", "6/1", "6/1 is outside the range of “nerve”: the maximum is 5/1"),
    ],
)
def test_a_rank_beyond_a_characteristics_bounds_is_a_mistake(
    key: str, written: int | str, words: str
) -> None:
    assert mistakes(ranks=ranked(**{key: written})) == {f"ranks.0.values.{key}": [words]}


def test_a_rising_start_of_a_falling_pair_is_a_mistake() -> None:
    falling = measured("pair", "nerve", parts=PARTS, falling=True, start="3/4")
    rows = [falling if one["key"] == "nerve" else one for one in SMALL["characteristics"]]
    assert mistakes(characteristics=rows) == {
        "characteristics.3.start": ["3/4 is outside the range of “nerve”: the maximum is 3/3"]
    }


def test_a_start_beyond_the_bounds_is_a_mistake() -> None:
    rows = [
        {**one, "start": 9} if one["key"] == "might" else one for one in SMALL["characteristics"]
    ]
    assert mistakes(characteristics=rows) == {
        "characteristics.0.start": ["9 is outside the range of “might”, 1 to 6"]
    }


def test_an_option_that_is_never_offered_is_a_mistake() -> None:
    options = [
        *SMALL["settings"],
        choice("moon", "new", "full", gang_only=True, campaign_only=True),
    ]
    assert mistakes(settings=options) == {
        "settings.3.gang_only": [
            "nobody can choose this setting: keep only one of “campaign_only” and “gang_only”"
        ]
    }


def test_a_rulebook_stored_by_0_9_opens_despite_its_mistakes() -> None:
    data = {**SMALL, "ranks": ranked(might=7)}
    with pytest.raises(BadBook):
        parse(RawBook(data, "small"))
    stored = Book.model_validate(data)
    assert read_version(stored.digest, stored.canonical()) == stored
    assert json.loads(stored.canonical())["ranks"][0]["values"] == {"might": 7}
