"""Overlays of changes made as the editor makes them: by its acts on the data of a rulebook."""

from __future__ import annotations

from collections.abc import Callable

from rules.book.model import Book
from rules.editor import edits
from rules.editor.overlay import AddRow, Overlay, apply, find_overlay
from rules.editor.places import Data, Written


def edited(base: Book, overlay: Overlay, act: Callable[[Written], object]) -> Overlay:
    """Return the overlay after an act; changes that do not fit stay."""
    written, misfits = apply(base, overlay)
    act(written)
    found = find_overlay(base, written, overlay)
    return Overlay(changes=(*found.changes, *(one.change for one in misfits)))


def with_row(base: Book, overlay: Overlay, table: str, row: str, data: Data) -> Overlay:
    """Return the overlay after this row has got other data."""
    return edited(base, overlay, lambda written: edits.put_row(written, table, row, data))


def with_status(base: Book, overlay: Overlay, table: str, row: str, status: str) -> Overlay:
    """Return the overlay after this row was offered, hidden, banned or removed."""
    if status == "removed":
        return edited(base, overlay, lambda written: edits.remove_row(written, table, row))
    return edited(base, overlay, lambda written: edits.set_status(written, table, row, status))


def put_back(base: Book, overlay: Overlay, table: str, row: str, *field: str) -> Overlay:
    """Return the overlay after this row, or a field of it, was put back as the base has it."""
    return edited(base, overlay, lambda written: edits.put_back(written, base, table, row, field))


def with_added(overlay: Overlay, table: str, row: str, data: Data, *, before: str = "") -> Overlay:
    """Return the overlay with one more row, before another or at the end."""
    change = AddRow(kind="add", table=table, row=row, data=data, before=before)
    return Overlay(changes=(*overlay.changes, change))
