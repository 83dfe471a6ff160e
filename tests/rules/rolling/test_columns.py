"""Columns and characteristics in words: what they are read as, and which rows do not agree."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from rules.loading.reader import RawBook, parse
from rules.rolling.columns import ReadColumn, apply_columns, find_worded
from rules.rolling.words import read_words
from tests.rules.rolling.guns import COLUMNS, GUNS, column, make_guns, tables_of
from tests.rules.small import Data, measured, row, text


@pytest.mark.parametrize(
    ("written", "kind", "becomes"),
    [
        ("–", "empty", "-"),
        ("", "empty", "-"),
        ("4+", "target", "4+"),
        ('12"', "length", '12"'),
        ("12''", "length", '12"'),
        ("12″", "length", '12"'),
        ("18 inches", "length", '18"'),
        ("S+1", "number", "S+1"),
        ("s − 1", "number", "s - 1"),
        ("2D6", "number", "2D6"),
        ("D3+1", "number", "D3+1"),
        ("−2", "number", "-2"),
        ("S+D3", "number", "S+D3"),
        ("S+2W6", "number", "S+2D6"),
    ],
)
def test_cell_is_read(written: str, kind: str, becomes: str) -> None:
    found = read_words(written, {"s": "by.strength"})
    assert found is not None and (found.kind, found.text) == (kind, becomes)


@pytest.mark.parametrize(
    "written",
    ["Assault 2", "S x 2", "x2", "User", '6-12"', "*", "4+/5+", "D6xD3", "1/2", "9" * 200],
)
def test_cell_in_other_words_is_not_read(written: str) -> None:
    assert read_words(written, {"s": "by.strength"}) is None


def read(data: Data) -> dict[str, ReadColumn]:
    """Return what can be read of a game, by place."""
    return {one.place: one for one in find_worded(tables_of(data))}


def retype(data: Data) -> Data:
    """Return a game with all columns read that can be."""
    changed = copy.deepcopy(data)
    tables = {**tables_of(changed)}
    own: dict[str, dict[str, Any]] = {name: {**rows} for name, rows in tables.items()}
    assert apply_columns(own, find_worded(tables))
    for name in ("groups", "items", "characteristics", "ranks", "traits"):
        changed[name] = [*own[name].values()]
    return changed


def test_columns_are_typed_where_all_rows_agree() -> None:
    data = make_guns(typed=False, grids=[], states=[])
    found = read(data)
    assert [*found] == [f"guns.{key}" for key in COLUMNS]
    assert found["guns.range"].kind == "length" and found["guns.skill"].kind == "number"
    assert found["guns.strength"].names == {"Str": "by.strength"}
    book = parse(RawBook(retype(data), "small"))
    columns = {one.key: one for one in book.group["guns"].columns}
    assert {one.kind for one in columns.values()} == {"number", "length"}
    assert columns["strength"].names == {"Str": "by.strength"}
    assert book.item["rifle"].columns == GUNS["rifle"]


def test_rows_that_disagree_are_named_and_keep_the_column() -> None:
    data = make_guns(typed=False, grids=[], states=[])
    data["items"][-1]["columns"] = {**data["items"][-1]["columns"], "strength": "User"}
    data["items"][-2]["columns"] = {**data["items"][-2]["columns"], "skill": '12"'}
    found = read(data)
    assert found["guns.strength"].strays == (("Laser", "User"),)
    assert found["guns.skill"].strays == (("Pistol", '12"'),)
    changed = retype(data)
    kinds = {one["key"]: one["kind"] for one in changed["groups"][-1]["columns"]}
    assert kinds["strength"] == kinds["skill"] == "text" and kinds["attacks"] == "number"


def test_column_without_a_number_is_not_listed() -> None:
    groups = [row("arms"), row("goods"), row("guns", columns=[column("note", "text")])]
    data = make_guns(typed=False, groups=groups, grids=[], states=[])
    data["items"] = [row("rope", group="guns", columns={"note": "Long"})]
    assert read(data) == {}


def test_other_ways_to_use_an_item_and_fitted_items_are_read_too() -> None:
    data = make_guns(typed=False, grids=[], states=[])
    mode = {"key": "burst", "name": text("Burst"), "columns": {"range": "6''"}}
    data["items"][-1]["modes"] = [mode]
    data["items"].append(
        row("sight", group="goods", fits={"groups": ["guns"], "columns": {"range": "long"}})
    )
    found = read(data)["guns.range"]
    assert found.strays == (("Sight", "long"),)
    data["items"][-1]["fits"]["columns"]["range"] = "30 in"
    changed = retype(data)
    assert changed["items"][-2]["modes"][0]["columns"]["range"] == '6"'
    assert changed["items"][-1]["fits"]["columns"]["range"] == '30"'


def test_characteristic_in_words_becomes_a_number() -> None:
    words = [{"key": f"w{number}", "name": text(f"{number}+")} for number in (3, 4, 5)]
    data = make_guns(grids=[], states=[])
    data["characteristics"] += [measured("word", "resolve", words=words, start="w4")]
    data["ranks"][0]["values"] = {"resolve": "w3"}
    effect = {"kind": "set", "characteristic": "resolve", "value": "w5"}
    data["traits"][0]["effects"] = [effect]
    found = read(data)[".resolve"]
    assert found.kind == "target" and not found.strays
    book = parse(RawBook(retype(data), "small"))
    nerve = book.characteristic["resolve"]
    assert (nerve.kind, nerve.start) == ("number", 4)
    assert nerve.kind == "number" and (nerve.unit, nerve.better) == ("+", "low")
    assert book.ranks[0].values["resolve"] == 3


def test_characteristic_with_other_words_stays() -> None:
    words = [{"key": "w4", "name": text("4+")}, {"key": "never", "name": text("Never")}]
    data = make_guns(grids=[], states=[])
    data["characteristics"] += [measured("word", "resolve", words=words, start="w4")]
    assert read(data)[".resolve"].strays == (("Never", "Never"),)


def test_malformed_rows_are_left_out() -> None:
    data: Any = make_guns(typed=False, grids=[], states=[])
    data["items"] += [{"group": "guns", "columns": "none"}, {"group": "guns", "modes": ["x"]}, 7]
    data["groups"].append({"key": "odd", "columns": [3, {"name": "x"}]})
    data["characteristics"] += [{"kind": "word", "key": "odd", "words": "x"}]
    assert read(data).keys() == {f"guns.{key}" for key in COLUMNS}
