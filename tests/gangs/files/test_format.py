"""Files of gangs name the lowest format that has all words of their entries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from gangs.engine.entries import KINDS, Bought, Entry
from gangs.files.format import FORMAT_2, format_needed

# The kinds of entry of 0.9.0, with their fields. ``roll`` has had a reason since.
ENTRIES_OF_1: Mapping[str, str] = {
    "bought": "item member paid",
    "died": "gear member",
    "discarded": "item",
    "dismissed": "member",
    "earned": "amount key why",
    "fined": "member paid roll",
    "founded": "name settings",
    "hired": "game gang member name paid rank",
    "item_declared": "columns group hands level name price tags text",
    "item_lost": "item member roll",
    "joined": "campaign elsewhere name settings",
    "learned": "amount award member roll",
    "left": "departure gear member roll",
    "moved": "item member",
    "named": "member name",
    "noted": "member text",
    "origin": "member origin",
    "played": "fielded game marks result scenario side taken_out title",
    "points": "amount characteristic member",
    "profession": "member profession",
    "promoted": "advance keeps_price member paid profile rank restarts",
    "recovered": "condition member paid",
    "recruited": "name origin paid rank",
    "renamed": "name",
    "reordered": "member position",
    "rolled": "member roll table",
    "settings": "settings",
    "squad": "member squad",
    "suffered": "against captors condition games member roll",
    "trait_dropped": "member trait",
    "trait_taken": "advance member paid trait",
    "upgraded": "digest",
}


def test_entries_of_0_9_need_format_1() -> None:
    for kind, fields in ENTRIES_OF_1.items():
        data: dict[str, Any] = {name: {} if name == "roll" else 1 for name in fields.split()}
        assert format_needed(kind, data) == 1, kind


def test_later_kinds_and_fields_of_entries_need_format_2() -> None:
    for kind, model in KINDS.items():
        if kind not in ENTRIES_OF_1:
            assert format_needed(kind, {}) >= 2
            continue
        newer = model.model_fields.keys() - ENTRIES_OF_1[kind].split()
        assert all(format_needed(kind, {name: 1}) >= 2 for name in newer), kind


def test_entries_with_words_after_1_0_need_format_3(monkeypatch: pytest.MonkeyPatch) -> None:
    class LaterBought(Bought, kind="bought_later"):
        mount: int = 0

    class Praised(Entry, kind="praised"):
        member: int

    LaterBought.__name__ = "Bought"
    del KINDS["bought_later"], KINDS["praised"]
    monkeypatch.setitem(KINDS, "bought", LaterBought)
    monkeypatch.setitem(KINDS, "praised", Praised)
    assert format_needed("bought", {"item": "axe", "mount": 3}) == 3
    assert format_needed("praised", {"member": 1}) == 3
    assert format_needed("bought", {"item": "axe", "included": True}) == 2
    assert format_needed("bought", {"item": "axe"}) == 1


def test_entry_fields_after_1_0_are_left_out_where_they_say_nothing() -> None:
    """Otherwise, 1.0 could read no file with such an entry."""
    for kind, model in KINDS.items():
        known = FORMAT_2.fields.get(model.__name__)
        for name, field in model.model_fields.items():
            is_newer = known is not None and name not in known
            assert not is_newer or field.exclude_if is not None, (kind, name)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("earned", {"why": "yield"}),
        ("earned", {"why": "haul"}),
        ("earned", {"why": "roll"}),
        ("earned", {"why": "unfought"}),
        ("played", {"result": ""}),
        ("fined", {"member": None}),
        ("suffered", {"roll": {"dice": "1d6", "faces": [1], "thrown_by": "app", "why": "Cocked"}}),
    ],
)
def test_later_reasons_need_format_2(kind: str, data: dict[str, Any]) -> None:
    assert format_needed(kind, data) == 2
