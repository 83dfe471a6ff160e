"""Rows of two imports: the same row keeps its key, with every reference to it."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from rules.catalogues.results import Imported, Note
from rules.editor.data import start_from
from rules.importing.matching import find_keys, with_known_keys
from rules.importing.renaming import rename
from tests.rules.small import SMALL, limit, row, small, text
from tests.world.gangs import GOLD, POINTS, shipped

IDS = {one["key"]: ("items", one["key"]) for one in SMALL["items"]}
OLD = Imported(start_from(small()), ids=IDS)


def items(*keys: str, names: dict[str, str] | None = None) -> dict[str, Any]:
    """Return the small game with these items."""
    rows = [row(key, group="arms", price=1) for key in keys]
    for one in rows:
        if names and one["key"] in names:
            one["name"] = text(names[one["key"]])
    return {**copy.deepcopy(OLD.data), "items": rows}


def keys_of(new: Imported, mine: dict[str, Any] | None = None) -> dict[str, str]:
    return dict(find_keys(OLD, new, mine or OLD.data).get("items", {}))


def test_row_with_a_known_id_keeps_its_key() -> None:
    new = Imported(items("blade", "axe"), ids={"sword": ("items", "blade")})
    assert keys_of(new) == {"blade": "sword"}


def test_row_is_found_by_its_name_when_its_id_is_new() -> None:
    new = Imported(items("blade", names={"blade": "Sword"}), ids={"x": ("items", "blade")})
    assert keys_of(new) == {"blade": "sword"}
    # Two of the name are not the same row.
    two = Imported(items("one", "two", names={"one": "Sword", "two": "Sword"}))
    assert keys_of(two) == {}


def test_new_row_does_not_get_the_key_of_another() -> None:
    ids = {"sword": ("items", "axe"), "new": ("items", "sword")}
    new = Imported(items("axe", "sword", names={"sword": "Sabre"}), ids=ids)
    # The old axe has no id any more, so nothing but its key is left, which the sword has now.
    assert keys_of(new) == {"axe": "sword", "sword": "sword-2"}
    mine = items("sword-2")
    assert keys_of(new, mine)["sword"] == "sword-3"


def test_most_entries_of_a_row_decide() -> None:
    ids = {"a": ("items", "sword"), "b": ("items", "axe"), "c": ("items", "axe")}
    old = Imported(OLD.data, ids=ids)
    new = Imported(items("blade"), ids=dict.fromkeys("abc", ("items", "blade")))
    assert find_keys(old, new, OLD.data)["items"] == {"blade": "axe"}


def test_ids_of_missing_rows_are_ignored() -> None:
    ids = {"sword": ("items", "nothing"), "axe": ("no table", "axe"), "bow": ("ranks", "bow")}
    assert keys_of(Imported(items("sword"), ids=ids)) == {}


def test_import_with_known_keys_has_them_everywhere() -> None:
    ids = {"sword": ("items", "blade"), "chief": ("ranks", "boss")}
    old = Imported(OLD.data, ids={**IDS, "chief": ("ranks", "chief")})
    data = items("blade")
    data["ranks"][0] = {**data["ranks"][0], "key": "boss", "name": text("Boss")}
    data["limits"] = [limit("count", code="boss", of={"ranks": ["boss"]}, maximum=1)]
    data["samples"] = [
        {"key": "one", "name": text("One"), "members": [{"rank": "boss", "items": ["blade"]}]}
    ]
    new = Imported(data, (Note("odd", ("Here",), "items", "blade"),), ids)
    found = with_known_keys(old, new, OLD.data)
    assert found.ids == {"sword": ("items", "sword"), "chief": ("ranks", "chief")}
    assert found.notes[0].key == "sword"
    assert found.data["items"][0]["key"] == "sword"
    assert found.data["limits"][0]["of"]["ranks"] == ["chief"]
    assert found.data["samples"][0]["members"][0] == {"rank": "chief", "items": ["sword"]}
    assert data["items"][0]["key"] == "blade"


@pytest.mark.parametrize("slug", [GOLD, POINTS])
def test_renamed_keys_can_be_renamed_back(slug: str) -> None:
    data = start_from(shipped(slug))
    tables = ("ranks", "items", "traits", "characteristics", "groups", "settings", "tags")
    keys = {
        table: {one["key"]: f"x-{one['key']}"[:40] for one in data.get(table, [])}
        for table in tables
    }
    back = {table: {new: old for old, new in rows.items()} for table, rows in keys.items()}
    changed = rename(data, keys)
    assert changed != data
    assert rename(changed, back) == data


def test_renamed_rows_keep_all_their_references() -> None:
    data = {
        **SMALL,
        "limits": [limit("count", code="chiefs", of={"ranks": ["chief"]}, maximum=1)],
    }
    keys = {
        "ranks": {"chief": "boss"},
        "characteristics": {"might": "force", "grit": "will"},
        "groups": {"arms": "weapons"},
        "settings": {"people": "folk", "purse": "wallet"},
    }
    # The checker finds no reference that leads nowhere.
    book = small(**rename(data, keys))
    assert book.ranks[0].key == "boss" and book.ranks[0].values == {"force": 5, "will": "d10"}
    assert book.origin_setting == "folk" and book.budgets[0].setting == "wallet"


@pytest.mark.parametrize("slug", [GOLD, POINTS])
def test_import_in_which_every_key_changed_is_the_same_game(slug: str) -> None:
    data = start_from(shipped(slug))
    tables = ("ranks", "items", "traits", "characteristics", "groups", "settings", "conditions")
    keys = {
        table: {one["key"]: f"x{number}" for number, one in enumerate(data.get(table, []))}
        for table in tables
    }
    ids = {f"{table}-{key}": (table, key) for table, rows in keys.items() for key in rows}
    new_ids = {one: (table, keys[table][key]) for one, (table, key) in ids.items()}
    new = Imported(rename(data, keys), ids=new_ids)
    found = with_known_keys(Imported(data, ids=ids), new, data)
    assert found.data == data and found.ids == ids
    # Without any id, the names are enough for all rows whose name is unique.
    named = with_known_keys(Imported(data), Imported(new.data), data)
    names = [str(one["name"]).casefold() for one in data["ranks"]]
    for old, one in zip(data["ranks"], named.data["ranks"], strict=True):
        if names.count(str(old["name"]).casefold()) == 1:
            assert one["key"] == old["key"]


def test_renamed_tag_stays_on_its_rows() -> None:
    tagged = [row("axe", group="arms", tags=["heavy"]), row("bow", group="arms", tags=["far"])]
    data = {"items": tagged, "limits": [{"kind": "items", "item_tags": ["heavy"]}]}
    renamed = rename(data, {"tags": {"heavy": "big"}})
    assert [one["tags"] for one in renamed["items"]] == [["big"], ["far"]]
    assert renamed["limits"][0]["item_tags"] == ["big"]
