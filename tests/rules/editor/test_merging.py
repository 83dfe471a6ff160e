"""Merging two changes of one game: nothing is lost, and only real conflicts are asked about."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from rules.editor.data import assemble, start_from, take_apart_data
from rules.editor.merging import Conflict, find_differences, join_orders, merge
from rules.editor.places import Data
from tests.rules.small import limit, row, small, text

ROWS = [
    {"low": low, "high": low, "name": text(f"Result {low}"), "source": "house"} for low in (1, 2)
]
TABLE = row("finds", dice="1d2", rows=ROWS)
BASE = start_from(small(tables=[TABLE]))
ITEMS = [one["key"] for one in BASE["items"]]
RANK = BASE["ranks"][0]["key"]
NAMES = ["lamp", "wick", "snuffer"]
WORDS = st.sampled_from(["Lamp", "Wick", "Snuffer"])
type Edit = tuple[str, str, str | int]
EDITS = st.lists(
    st.one_of(
        st.tuples(st.just("price"), st.sampled_from(ITEMS), st.integers(1, 2)),
        st.tuples(st.just("name"), st.sampled_from(ITEMS), WORDS),
        st.tuples(
            st.just("source"), st.sampled_from(ITEMS), st.sampled_from(["house 1", "house 2"])
        ),
        st.tuples(st.just("remove"), st.sampled_from(ITEMS), st.just("")),
        st.tuples(st.just("move"), st.sampled_from(ITEMS), st.integers(0, 5)),
        st.tuples(st.just("add"), st.sampled_from(NAMES), st.integers(0, 5)),
        st.tuples(st.just("value"), st.sampled_from(["might", "aim"]), st.integers(3, 4)),
        st.tuples(st.just("unit"), st.just(""), WORDS),
        st.tuples(st.just("summary"), st.just(""), WORDS),
        st.tuples(st.just("result"), st.sampled_from("01"), WORDS),
    ),
    max_size=6,
)


def edited(edits: list[Edit]) -> Data:
    """Return the game after some edits; those of missing rows change nothing."""
    data = copy.deepcopy(BASE)
    items = data["items"]
    for kind, key, value in edits:
        found = row_of(data, key)
        match kind, value:
            case (("price" | "name" | "source"), _) if found:
                found[kind] = text(str(value)) if kind == "name" else value
            case "remove", _ if found:
                items.remove(found)
            case "move", int() if found:
                items.remove(found)
                items.insert(value, found)
            case "add", int() if not found:
                items.insert(value, row(key, group="arms", price=value))
            case "value", _:
                rank = data["ranks"][0]
                rank["values"] = {**rank["values"], key: value}
            case "unit", str():
                data["money"] = {**data["money"], "unit": text(value)}
            case "summary", str():
                data["summary"] = text(value)
            case "result", str():
                data["tables"][0]["rows"][int(key)]["name"] = text(value)
    return data


def theirs(_conflict: Conflict) -> bool:
    return True


def plain(data: Data) -> Data:
    """Return the data as the editor stores it."""
    return assemble(take_apart_data(copy.deepcopy(data)))


def row_of(data: Data, key: str, table: str = "items") -> Any:
    return next((one for one in data[table] if one["key"] == key), None)


@given(EDITS)
def test_merge_without_own_changes_gives_the_new_state(news: list[Edit]) -> None:
    new = edited(news)
    found = merge(BASE, new, BASE)
    assert not found.conflicts and not found.own
    assert assemble(found.written) == plain(new)


@given(EDITS)
def test_merge_without_news_gives_the_authors_state(own: list[Edit]) -> None:
    mine = edited(own)
    found = merge(BASE, BASE, mine)
    assert not found.conflicts and not found.taken
    assert assemble(found.written) == plain(mine)


@given(EDITS)
def test_merge_of_equal_changes_asks_nothing(edits: list[Edit]) -> None:
    both = edited(edits)
    found = merge(BASE, both, both)
    assert not found.conflicts
    assert assemble(found.written) == plain(both)


@given(EDITS, EDITS)
def test_merge_keeps_the_authors_changes(news: list[Edit], edits: list[Edit]) -> None:
    new, mine = edited(news), edited(edits)
    before = json.dumps([BASE, new, mine])
    found = merge(BASE, new, mine)
    assert json.dumps([BASE, new, mine]) == before
    result = take_apart_data(assemble(found.written))
    own = take_apart_data(copy.deepcopy(mine))
    old = take_apart_data(copy.deepcopy(BASE))
    # All that the author added or changed is there, with the author's value.
    for one in find_differences(old, own):
        if one.kind == "removed":
            assert result.row(one.table, one.row) is None
        elif one.field:
            value: Any = result.row(one.table, one.row) if one.table else result.data
            for part in one.field:
                value = value[part]
            assert value == one.new
        else:
            assert result.row(one.table, one.row) == one.new
    # No row is missing, unless the author or only the new state removed it.
    removed = {one.row for one in [*found.own, *found.taken] if one.kind == "removed"}
    assert own.tables["items"].keys() - result.tables["items"].keys() <= removed


@given(EDITS, EDITS)
def test_merge_for_the_new_state_loses_only_conflicts(news: list[Edit], edits: list[Edit]) -> None:
    new, mine = edited(news), edited(edits)
    found = merge(BASE, new, mine, theirs)
    result, there = take_apart_data(assemble(found.written)), take_apart_data(copy.deepcopy(new))
    old = take_apart_data(copy.deepcopy(BASE))
    for one in find_differences(old, there):
        if one.kind == "removed":
            assert result.row(one.table, one.row) is None
        elif not one.field:
            assert {**result.row(one.table, one.row), "source": ""} == {**one.new, "source": ""}
    rows = {(one.table, one.row) for one in found.conflicts}
    for one in found.own:
        if one.kind == "added" and (one.table, one.row) not in rows:
            assert result.row(one.table, one.row) == one.new


def test_conflicts_name_both_values() -> None:
    new, mine = copy.deepcopy(BASE), copy.deepcopy(BASE)
    first, second, third = ITEMS[:3]
    row_of(new, first)["price"], row_of(mine, first)["price"] = 77, 88
    row_of(new, second)["price"] = 77
    mine["items"].remove(row_of(mine, second))
    new["items"].remove(row_of(new, third))
    row_of(mine, third)["price"] = 88
    found = merge(BASE, new, mine)
    asked = [(one.row, one.field) for one in found.conflicts]
    assert asked == [(first, ("price",)), (second, ()), (third, ())]
    assert (found.conflicts[0].mine, found.conflicts[0].theirs) == (88, 77)
    assert found.conflicts[1].mine is None and found.conflicts[2].theirs is None
    chosen = merge(BASE, new, mine, lambda conflict: conflict.row != third)
    result = assemble(chosen.written)
    assert [row_of(result, key)["price"] for key in (first, second, third)] == [77, 77, 88]


def test_values_of_one_table_are_merged_one_by_one() -> None:
    new, mine = copy.deepcopy(BASE), copy.deepcopy(BASE)
    one, other = "might", "aim"
    new["ranks"][0]["values"][one] = 1
    mine["ranks"][0]["values"][other] = 2
    found = merge(BASE, new, mine)
    values = assemble(found.written)["ranks"][0]["values"]
    assert not found.conflicts and (values[one], values[other]) == (1, 2)
    # A state that replaces the whole table of values shares all of them.
    mine["ranks"][0]["values"] = None
    assert [one.field for one in merge(BASE, new, mine).conflicts] == [("values",)]


def test_dice_table_that_one_state_removed_is_asked_about_as_a_whole() -> None:
    new, mine = copy.deepcopy(BASE), copy.deepcopy(BASE)
    table = BASE["tables"][0]["key"]
    new["tables"][0]["rows"][0]["name"] = text("Lamp")
    del mine["tables"][0]
    for old, other in ((new, mine), (mine, new)):
        found = merge(BASE, old, other)
        assert [(one.table, one.row, one.field) for one in found.conflicts] == [
            ("tables", table, ())
        ]
        assert assemble(found.written) == plain(other)
        there = merge(BASE, old, other, theirs)
        assert assemble(there.written) == plain(old)


def test_languages_that_the_author_added_are_no_conflict() -> None:
    mine = {**copy.deepcopy(BASE), "languages": ["en", "fr", "de"]}
    for item in mine["items"]:
        item["name"] = {**item["name"], "de": item["name"]["en"]}
    new = copy.deepcopy(BASE)
    row_of(new, ITEMS[0])["name"] = {"en": "Lamp", "fr": "Lampe"}
    found = merge(BASE, new, mine)
    assert not found.conflicts
    assert row_of(assemble(found.written), ITEMS[0])["name"]["de"] == "Lamp"


def test_defaults_that_a_form_fills_in_are_no_changes() -> None:
    old = {**copy.deepcopy(BASE), "limits": [limit("count", of={"ranks": ["chief"]}, maximum=1)]}
    mine, new = copy.deepcopy(old), copy.deepcopy(old)
    mine["limits"][0]["of"] |= {"not_ranks": [], "traits": []}
    new["limits"][0]["of"]["ranks"] = ["chief", "scout"]
    found = merge(old, new, mine)
    assert not found.conflicts and not found.own
    assert assemble(found.written)["limits"][0]["of"] == {"ranks": ["chief", "scout"]}


def test_join_orders_puts_others_behind_their_neighbours() -> None:
    assert join_orders("abc", "xaybz") == [*"xaybzc"]
    assert join_orders("cab", "abxc") == [*"cabx"]
