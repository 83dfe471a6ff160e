"""Files of lists say what the evaluator found, in both formats."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.rules.catalogues.lists.by_hand import Worked, lists
from tests.rules.catalogues.lists.rosters import SAVED, as_json, as_ros, evaluate

SPACE = "{http://www.battlescribe.net/schema/rosterSchema}"


def test_at_least_ten_lists_are_saved() -> None:
    assert len(SAVED) >= 10
    assert len({one.game.key for one in SAVED}) >= 3


@pytest.mark.parametrize("worked", SAVED, ids=lambda one: one.name)
def test_roster_has_the_costs_of_the_list(worked: Worked) -> None:
    root = ElementTree.fromstring(as_ros(evaluate(worked), worked.name))
    totals = {one.get("typeId"): float(one.get("value", "")) for one in root[0]}
    assert totals == {key: total for key, (_working, total) in worked.costs.items()}
    for key, total in totals.items():
        costs = root.iterfind(f".//{SPACE}selection/{SPACE}costs/{SPACE}cost[@typeId='{key}']")
        assert sum(float(one.get("value", "")) for one in costs) == total


@pytest.mark.parametrize("worked", SAVED, ids=lambda one: one.name)
def test_json_has_the_selections_of_the_roster(worked: Worked) -> None:
    found = evaluate(worked)
    root = ElementTree.fromstring(as_ros(found, worked.name))
    written = [(one.get("entryId"), one.get("number")) for one in root.iter(f"{SPACE}selection")]
    (force,) = json.loads(as_json(found, worked.name))["roster"]["forces"]
    assert [(one["entryId"], str(one["number"])) for one in _selections(force)] == written
    assert len(written) == len(found.all)


def _selections(holder: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for one in holder.get("selections", ()):
        yield one
        yield from _selections(one)


def test_roster_names_links_groups_and_categories() -> None:
    (worked,) = (one for one in lists() if one.name.startswith("A silver badge, a prism"))
    root = ElementTree.fromstring(as_ros(evaluate(worked), worked.name))
    found = {one.get("entryId", ""): one for one in root.iter(f"{SPACE}selection")}
    assert found["n-keeper::k-lantern::oil"].get("entryGroupId") == "n-keeper::k-lantern::fuel"
    assert found["n-keeper::k-arms::a-pole::pole"].get("entryGroupId") == "n-keeper::k-arms::arms"
    assert found["n-lighter::l-arms::a-knife::knife"].get("number") == "2"
    (category,) = found["n-keeper::keeper"].findall(f"{SPACE}categories/{SPACE}category")
    assert (category.get("entryId"), category.get("primary")) == ("c-keeper", "true")
