"""Edited data gives the overlay that its author means: as earlier releases stored it, and again
when it is read back.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.book.model import Book
from rules.editor.overlay import AddRow, Overlay, SetField, SetStatus, apply, find_overlay
from rules.editor.places import (
    OFFERED,
    ORDERED,
    SINGLES,
    Data,
    Written,
    dice_table,
    differences,
    fill_defaults,
    find_fixed,
    is_apart,
    is_dice_rows,
    model_of,
    removable,
    take_apart,
)
from tests.random_cases import random_cases
from tests.rules.editor import changing, stored_overlays
from tests.world.gangs import SLUGS, shipped

WORDS = st.sampled_from(["Bone saw", "Lamp", "Ghost"]).map(lambda word: {"en": word, "fr": word})


@dataclass
class Editing:
    """A variant that is edited: its overlay by the editor, and as earlier releases stored it."""

    base: Book
    found: Overlay = Overlay()
    stored: Overlay = Overlay()

    @property
    def written(self) -> Written:
        """Return the data as it is now."""
        return apply(self.base, self.found)[0]

    def act(self, data: st.DataObject) -> None:
        """Do a random act on a random row."""
        written = self.written
        table = data.draw(st.sampled_from(sorted({*written.tables, *written.singles})))
        rows = list(written.rows(table))
        kind = data.draw(st.sampled_from(["change", "change", "add", "status", "remove", "back"]))
        row = data.draw(st.sampled_from(rows)) if rows else ""
        if kind == "add" and rows and table not in SINGLES:
            self.add(data, table, row)
        elif not rows:
            return
        elif kind == "change":
            self.change(data, table, row)
        elif kind == "back":
            self.put_back(table, row)
        elif kind == "status" and table in OFFERED:
            status = data.draw(st.sampled_from(["offered", "hidden", "banned"]))
            self.set_status(table, row, status)
        elif kind == "remove" and (removable(table) or self.is_added(table, row)):
            self.set_status(table, row, "removed")

    def is_added(self, table: str, row: str) -> bool:
        """Whether the base lacks a row."""
        return take_apart(self.base).row(table, row) is None

    def change(self, data: st.DataObject, table: str, row: str) -> None:
        """Give a field of a row another value."""
        known = copy.deepcopy(self.written.row(table, row))
        assert known is not None
        fields = [
            name
            for name in known
            if name not in find_fixed(table)
            and not is_apart(table, name)
            # The unit of the rating follows the money's.
            and (table, name) != ("money", "unit")
        ]
        if not fields:
            return
        field = data.draw(st.sampled_from(fields))
        value = known[field]
        if isinstance(value, dict) and value and field in ("values", "columns"):
            key = data.draw(st.sampled_from(sorted(value)))
            value = {**value, key: data.draw(st.integers(1, 9))}
            if data.draw(st.booleans()):
                value.pop(key)
        else:
            value = data.draw(st.integers(0, 9) | WORDS | st.just(value))
        if table == "tables" and self.has_changed_parts(row):
            # Earlier releases then stored the rows of the table as a field, which never fitted.
            return
        if table == "campaign" and differences(take_apart(self.base), self.written):
            return
        changed = {**known, field: value}
        self.found = changing.with_row(self.base, self.found, table, row, changed)
        self.stored = stored_overlays.with_row(self.base, self.stored, table, row, changed)

    def has_changed_parts(self, key: str) -> bool:
        """Whether a row of this dice table is changed."""
        parts = f"tables.{key}.rows"
        return any(change.table == parts for change in self.stored.changes)

    def add(self, data: st.DataObject, table: str, row: str) -> None:
        """Add a row that is like another."""
        written = self.written
        known = copy.deepcopy(written.row(table, row))
        assert known is not None
        number = len(self.stored.changes)
        key = f"own-{number}"
        if key in written.tables[table] or not self.is_added(table, key):
            return
        own = {"key": key, "code": key, "source": "house", "name": data.draw(WORDS)}
        known |= {name: value for name, value in own.items() if name in known}
        known |= {"status": "offered"} if "status" in known else {}
        before = ""
        if table in ORDERED:
            before = data.draw(st.sampled_from([*written.tables[table], ""]))
        self.found = changing.edited(
            self.base,
            self.found,
            lambda fresh: changing.edits.add_row(fresh, table, key, known, before),
        )
        self.stored = stored_overlays.with_added(self.stored, table, key, known, before)

    def set_status(self, table: str, row: str, status: str) -> None:
        """Offer, hide, ban or remove a row."""
        self.found = changing.with_status(self.base, self.found, table, row, status)
        self.stored = stored_overlays.with_status(self.base, self.stored, table, row, status)

    def put_back(self, table: str, row: str) -> None:
        """Put a row back as the base has it."""
        self.found = changing.put_back(self.base, self.found, table, row)
        self.stored = stored_overlays.without(self.stored, table, row)


def plain(overlay: Overlay) -> tuple[list[Any], list[Any]]:
    """Return the added rows in order, and the other changes, as they mean the same.

    A removed row has no other change, and an added one has its status and all its defaults. The
    rows of an added dice table are parts of it.
    """
    removed = {
        (change.table, change.row)
        for change in overlay.changes
        if isinstance(change, SetStatus) and change.status == "removed"
    }
    added = {
        (change.table, change.row): change
        for change in overlay.changes
        if isinstance(change, AddRow)
    }

    def is_part(table: str) -> bool:
        return is_dice_rows(table) and ("tables", dice_table(table)) in added

    rows, others = [], []
    for change in overlay.changes:
        place = (change.table, change.row)
        if is_part(change.table):
            continue
        if isinstance(change, AddRow):
            model = model_of(change.table, change.data)
            data = fill_defaults(model, change.data) if model else change.data
            rows.append((*place, change.before, {**data, "status": "", "rows": ""}))
        elif isinstance(change, SetField) and place not in removed:
            others.append((*place, change.field, repr(change.value)))
        elif isinstance(change, SetStatus) and place not in added:
            others.append((*place, ("status",), change.status))
    return rows, sorted(others)


def data_of(base: Book, overlay: Overlay) -> Data:
    """Return the data that an overlay gives, with all its rows."""
    written, misfits = apply(base, overlay)
    assert not misfits
    return written.assembled()


@pytest.mark.parametrize("slug", SLUGS)
@given(data=st.data())
@random_cases(12, 300)
def test_overlay_of_edited_data_equals_the_stored_one(slug: str, data: st.DataObject) -> None:
    editing = Editing(shipped(slug))
    for _act in range(data.draw(st.integers(1, 12))):
        editing.act(data)
    assert plain(editing.found) == plain(editing.stored)
    assert data_of(editing.base, editing.found) == data_of(editing.base, editing.stored)


@pytest.mark.parametrize("slug", SLUGS)
@given(data=st.data())
@random_cases(6, 100)
def test_stored_overlay_that_is_read_and_written_gives_the_same_data(
    slug: str, data: st.DataObject
) -> None:
    editing = Editing(shipped(slug))
    for _act in range(data.draw(st.integers(1, 8))):
        editing.act(data)
    stored = editing.stored
    again = find_overlay(editing.base, apply(editing.base, stored)[0], stored)
    assert plain(again) == plain(stored)
    assert data_of(editing.base, again) == data_of(editing.base, stored)
    assert find_overlay(editing.base, apply(editing.base, again)[0], again) == again


@pytest.mark.parametrize("release", [changing, stored_overlays], ids=["now", "earlier"])
def test_dice_table_can_be_changed_after_its_rows(release: Any) -> None:
    """Earlier releases stored the changed rows as a field of the table, too, which never fits."""
    base = shipped(SLUGS[0])
    written = take_apart(base)
    key = next(iter(written.tables["tables"]))
    parts = f"tables.{key}.rows"
    row, data = next(iter(written.tables[parts].items()))
    name = {"en": "Ghost", "fr": "Ghost"}
    overlay = release.with_row(base, Overlay(), parts, row, {**data, "name": name})
    table = apply(base, overlay)[0].row("tables", key) or {}
    overlay = release.with_row(base, overlay, "tables", key, {**table, "name": name})
    misfits = apply(base, overlay)[1]
    assert [one.why for one in misfits] == ([] if release is changing else ["no_field"])
    found = find_overlay(base, apply(base, overlay)[0], overlay)
    assert {(one.table, one.row) for one in found.changes} == {(parts, row), ("tables", key)}
