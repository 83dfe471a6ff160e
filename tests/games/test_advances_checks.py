"""The checker's sentences about thresholds, prices in experience and members who stand."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from rules.loading.examining import notes
from rules.loading.reader import BadBook, RawBook, open_folder, parse
from tests.games.conftest import FOLDER

Data = dict[str, Any]


@pytest.fixture(scope="module")
def data() -> Data:
    """Return the game of terraces as it is written."""
    return open_folder(FOLDER / "terraces").data


def changed(data: Data, among: str, row: str, **fields: object) -> RawBook:
    """Return the game with other fields in one row."""
    copied = copy.deepcopy(data)
    outer, _dot, name = among.rpartition(".")
    rows = (copied[outer] if outer else copied)[name]
    next(one for one in rows if one["key"] == row).update(fields)
    return RawBook(copied, "terraces")


@pytest.mark.parametrize(
    ("table", "key", "fields", "place", "message"),
    [
        ("campaign.advancements", "hands", {"at": []}, "", "give “at” or “every”"),
        (
            "campaign.advancements",
            "hands",
            {"at": [5, 5]},
            "at",
            "each number must be higher than the one before",
        ),
        ("campaign.advancements", "hands", {"at": [*range(1, 102)]}, "at", "at most 100"),
        ("campaign.advancements", "hands", {"grows": 1}, "grows", "with “every”"),
        ("campaign.advancements", "hands", {"table": "lessons"}, "table", "dice decide"),
        ("campaign.advancements", "kin", {"table": "gleanings"}, "table", "several dice"),
        (
            "campaign.advancements",
            "hands",
            {"cycle": ["rank"]},
            "cycle",
            "“rank” needs a promotion",
        ),
        ("traits", "counting", {"dearer": 1}, "dearer", "with “experience”"),
        (
            "traits",
            "practice",
            {"gained_at": {"characteristic": "arm", "value": 4}},
            "most",
            "must be 1",
        ),
        ("ranks", "steward", {"experience": 3}, "starts_with", "the most experience"),
        ("campaign.marks", "fled", {"dies": True}, "stands", "either “stands” or “dies”"),
    ],
)
def test_checker_names_the_place_of_a_mistake(
    data: Data, table: str, key: str, fields: Data, place: str, message: str
) -> None:
    with pytest.raises(BadBook) as caught:
        parse(changed(data, table, key, **fields))
    (mistake,) = caught.value.mistakes
    assert mistake.path.startswith(table)
    assert mistake.path.endswith(place)
    assert message in mistake.message


def test_checker_notes_a_bought_trait_that_makes_its_owner_worse(data: Data) -> None:
    worse = [{"kind": "add", "characteristic": "arm", "amount": -1}]
    found = notes(parse(changed(data, "traits", "practice", effects=worse)))
    assert any("makes its owner worse" in sentence for _path, sentence in found)


def test_checker_accepts_a_lower_value_where_low_is_better(data: Data) -> None:
    lower = [{"kind": "add", "characteristic": "arm", "amount": -1}]
    copied = copy.deepcopy(data)
    arm = next(row for row in copied["characteristics"] if row["key"] == "arm")
    arm["better"] = "low"
    book = parse(changed(copied, "traits", "practice", effects=lower))
    assert not any("owner worse" in sentence for _path, sentence in notes(book))


def test_checker_notes_an_advance_that_makes_a_member_worse(data: Data) -> None:
    assert not any(
        "worse" in sentence for _path, sentence in notes(parse(RawBook(data, "terraces")))
    )
    copied = copy.deepcopy(data)
    arm = next(row for row in copied["characteristics"] if row["key"] == "arm")
    arm["better"] = "low"
    found = [sentence for _path, sentence in notes(parse(RawBook(copied, "terraces")))]
    assert "this advance makes “arm” worse: check the sign" in found


def test_checker_notes_thresholds_that_no_step_uses(data: Data) -> None:
    steps = [row for row in data["campaign"]["steps"] if row["kind"] != "advances"]
    without = {**data, "campaign": {**data["campaign"], "steps": steps}}
    found = [sentence for _path, sentence in notes(parse(RawBook(without, "terraces")))]
    assert any("add a step “advances”" in sentence for sentence in found)
