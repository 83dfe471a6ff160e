"""Differences between two states of a rulebook."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

import pytest

from rules.editor.overlay import Overlay, apply
from rules.editor.places import Data, between, differences, take_apart
from rules.editor.text import difference_line
from tests.rules.editor.changing import with_added, with_row, with_status
from tests.world.gangs import GOLD, POINTS, shipped

NAME = {"en": "Bone saw", "fr": "Scie à os"}


@pytest.mark.parametrize("slug", [POINTS, GOLD])
def test_a_book_has_no_differences_from_itself(slug: str) -> None:
    assert between(shipped(slug), shipped(slug)) == []


def test_each_change_is_listed_once_with_old_and_new_value() -> None:
    base = shipped(POINTS)
    item, other = base.items[0], base.items[1]
    data = take_apart(base).row("items", item.key) or {}
    overlay = with_row(base, Overlay(), "items", item.key, {**data, "price": item.price + 2})
    overlay = with_status(base, overlay, "items", other.key, "banned")
    row = {"key": "saw", "name": NAME, "source": "house", "group": item.group}
    overlay = with_added(overlay, "items", "saw", row)
    limit = next(iter(take_apart(base).tables["limits"]))
    overlay = with_status(base, overlay, "limits", limit, "removed")
    told = differences(take_apart(base), apply(base, overlay)[0])
    assert [(one.kind, one.table, one.row, one.field) for one in told] == [
        ("changed", "items", item.key, ("price",)),
        ("changed", "items", other.key, ("status",)),
        ("added", "items", "saw", ()),
        ("removed", "limits", limit, ()),
    ]
    assert (told[0].old, told[0].new) == (item.price, item.price + 2)
    assert (told[1].old, told[1].new) == ("offered", "banned")
    assert told[2].data["name"] == NAME and told[3].data["code"] == base.limits[0].code


def test_changes_of_dice_tables_and_single_values_are_listed() -> None:
    base = shipped(POINTS)
    table = f"tables.{base.tables[0].key}.rows"
    written = take_apart(base)
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


def changed(table: str, row: str, change: Callable[[Data], None]) -> list[tuple[str, str, str]]:
    """Return the listed changes of a variant of Blackwater Gulch with this change to a row."""
    base = shipped(POINTS)
    data = deepcopy(take_apart(base).row(table, row) or {})
    change(data)
    written = apply(base, with_row(base, Overlay(), table, row, data))[0]
    told = [difference_line(written, one) for one in differences(take_apart(base), written)]
    return [(one.what, one.old, one.new) for line in told for one in line.changes]


def test_a_changed_amount_is_listed_like_a_price() -> None:
    assert changed("modifiers", "light_cover", lambda row: row.update(amount=2)) == [
        ("Amount", "1", "2")
    ]


def test_a_changed_roll_lists_only_its_differences() -> None:
    """The changed threshold is listed, instead of two long lists with the same beginning."""

    def harder(row: Data) -> None:
        out = next(one for one in row["outcomes"] if one["key"] == "out")
        out["given"] = "lost > at.life"
        end = next(step for step in row["steps"] if step.get("sum") == "horse_die")
        end["sides"] = 8

    assert changed("rolls", "shot", harder) == [
        ("Steps · horse_die · sides", "6", "8"),
        ("Outcomes · Out of action · Only if", "lost >= at.life", "lost > at.life"),
    ]
    aimed = changed("procedures", "aim", lambda row: row["steps"][-1].update(target=3))
    assert aimed == [("Steps · hits · target", "4", "3")]


def test_an_added_or_removed_outcome_is_listed_by_its_name() -> None:
    def without(row: Data) -> None:
        row["outcomes"] = [one for one in row["outcomes"] if one["key"] != "stray"]

    ((what, old, new),) = changed("rolls", "shot", without)
    assert (what, new) == ("Outcomes · Missed, a bystander is hit", "–")
    assert old.startswith('{"key": "stray"')
