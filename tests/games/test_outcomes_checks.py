"""The checker's sentences about outcomes that give, amounts and rolls of the gang."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from rules.book.model import Book
from rules.loading.reader import BadBook, RawBook, open_folder, parse
from tests.games.conftest import FOLDER

Data = dict[str, Any]


@pytest.fixture(scope="module")
def data() -> Data:
    """Return the game of terraces as it is written."""
    return open_folder(FOLDER / "terraces").data


def mistakes(
    data: Data, *outcomes: Data, step: Data | None = None, table: Data | None = None
) -> dict[str, str]:
    """Return the mistakes after changes to the weather: its sun's outcomes, its step, its table."""
    changed = copy.deepcopy(data)
    tables = {row["key"]: row for row in changed["tables"]}
    if outcomes:
        tables["weather"]["rows"][1]["outcomes"] = list(outcomes)
    tables["weather"].update(table or {})
    steps = {row["key"]: row for row in changed["campaign"]["steps"]}
    steps["weather"].update(step or {})
    with pytest.raises(BadBook) as caught:
        parse(RawBook(changed, "terraces"))
    return {mistake.path: mistake.message for mistake in caught.value.mistakes}


HERE = "tables.2.rows.1.outcomes.0"
STEP = "campaign.steps.8"
OUTCOMES = {
    "unknown item": ({"kind": "finds", "item": "crown"}, HERE, "unknown item"),
    "innate item": ({"kind": "finds", "item": "fists"}, f"{HERE}.item", "everybody already has"),
    "too many": ({"kind": "joins", "rank": "picker", "times": "60"}, f"{HERE}.times", "exceed 50"),
    "nobody": ({"kind": "rises", "characteristic": "arm"}, f"{STEP}.table", "falls_to"),
    "no rise": (
        {
            "kind": "falls_to",
            "outcomes": [{"kind": "rises", "characteristic": "arm", "amount": 0}],
        },
        f"{HERE}.outcomes.0.amount",
        "must not be 0",
    ),
    "two counts": (
        {"kind": "earns", "amount": "1", "each": {"tally": "baskets", "members": {}}},
        f"{HERE}.each",
        "only one of these can be counted: “tally”, “members”",
    ),
    "no count": (
        {"kind": "earns", "amount": "1", "each": {}},
        f"{HERE}.each",
        "choose what is counted",
    ),
    "fielded items": (
        {"kind": "earns", "amount": "1", "each": {"items": {}, "fielded": True}},
        f"{HERE}.each",
        "only used with “members”",
    ),
    "matching table": ({"kind": "rolls_on", "table": "gleanings"}, f"{HERE}.table", "several dice"),
}


@pytest.mark.parametrize("case", OUTCOMES)
def test_checker_names_the_place_of_a_wrong_outcome(data: Data, case: str) -> None:
    outcome, path, message = OUTCOMES[case]
    found = mistakes(data, outcome)
    assert path in found, found
    assert message in found[path]


def test_checker_refuses_earnings_without_income(data: Data) -> None:
    poor = copy.deepcopy(data)
    steps = poor["campaign"]["steps"]
    poor["campaign"]["steps"] = [step for step in steps if step["kind"] != "income"]
    found = mistakes(poor, {"kind": "earns", "amount": "1"}, step={"times": "2"})
    assert "step “income”" in found[HERE]


def test_checker_refuses_matching_dice_that_are_added_up(data: Data) -> None:
    found = mistakes(data, table={"matching": 2, "dice": "2d6"})
    assert "a single die" in found["tables.2.dice"]


def test_checker_refuses_rows_that_need_no_more_dice_than_the_table(data: Data) -> None:
    found = mistakes(data, table={"matching": 3, "rows": data["tables"][1]["rows"]})
    assert (
        found["tables.2.rows.6.matching"] == "must be more than 3, the number for the whole table"
    )


def test_checker_refuses_a_table_rolled_too_often(data: Data) -> None:
    assert "exceed 50" in mistakes(data, step={"times": "9d6"})[f"{STEP}.times"]


def test_game_is_read_with_every_new_word(terraces: Book) -> None:
    text = terraces.canonical()
    assert all(f'"{word}"' in text for word in ("rolls", "earns", "finds", "joins", "matching"))
