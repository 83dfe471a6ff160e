"""What differs between two states of a rulebook."""

from __future__ import annotations

import pytest

from rules.variants.differences import between, differences
from rules.variants.overlay import Overlay, apply, with_added, with_row, with_status
from rules.variants.places import spread
from tests.make import GOLD, POINTS, shipped

NAME = {"en": "Bone saw", "fr": "Scie à os"}


@pytest.mark.parametrize("slug", [POINTS, GOLD])
def test_a_book_does_not_differ_from_itself(slug: str) -> None:
    assert between(shipped(slug), shipped(slug)) == []


def test_each_change_is_told_once_with_old_and_new() -> None:
    base = shipped(POINTS)
    item, other = base.items[0], base.items[1]
    data = spread(base).row("items", item.key) or {}
    overlay = with_row(base, Overlay(), "items", item.key, {**data, "price": item.price + 2})
    overlay = with_status(base, overlay, "items", other.key, "banned")
    row = {"key": "saw", "name": NAME, "source": "house", "group": item.group}
    overlay = with_added(overlay, "items", "saw", row)
    limit = next(iter(spread(base).tables["limits"]))
    overlay = with_status(base, overlay, "limits", limit, "removed")
    told = differences(spread(base), apply(base, overlay)[0])
    assert [(one.kind, one.table, one.row, one.field) for one in told] == [
        ("changed", "items", item.key, ("price",)),
        ("changed", "items", other.key, ("status",)),
        ("added", "items", "saw", ()),
        ("removed", "limits", limit, ()),
    ]
    assert (told[0].old, told[0].new) == (item.price, item.price + 2)
    assert (told[1].old, told[1].new) == ("offered", "banned")
    assert told[2].data["name"] == NAME and told[3].data["code"] == base.limits[0].code


def test_rows_of_dice_tables_and_single_values_are_told() -> None:
    base = shipped(POINTS)
    table = f"tables.{base.tables[0].key}.rows"
    written = spread(base)
    name = next(iter(written.tables[table]))
    row = written.row(table, name) or {}
    overlay = with_row(base, Overlay(), table, name, {**row, "name": NAME})
    rating = written.row("rating", "") or {}
    overlay = with_row(base, overlay, "rating", "", {**rating, "name": NAME})
    told = differences(written, apply(base, overlay)[0])
    assert [(one.table, one.row, one.field) for one in told] == [
        ("rating", "", ("name",)),
        (table, name, ("name",)),
    ]
