"""Overlays as earlier releases stored them: each act changed the overlay, not the data.

Variants of those releases have such overlays, and the editor must make equal ones.
"""

from __future__ import annotations

from rules.book.model import Book
from rules.editor.overlay import AddRow, Change, Overlay, SetField, SetStatus, apply
from rules.editor.places import Data, Written, changed_fields, find_fixed, rows_of


def without(overlay: Overlay, table: str, row: str) -> Overlay:
    """Return the overlay without its changes to a row and its parts."""
    parts = rows_of(row) if table == "tables" else ""
    kept = [
        change
        for change in overlay.changes
        if (change.table, change.row) != (table, row) and change.table != (parts or None)
    ]
    return Overlay(changes=tuple(kept))


def _added(overlay: Overlay, table: str, row: str) -> AddRow | None:
    rows = (change for change in overlay.changes if isinstance(change, AddRow))
    return next((one for one in rows if (one.table, one.row) == (table, row)), None)


def _others(overlay: Overlay, kind: str, table: str, row: str) -> list[Change]:
    place = (kind, table, row)
    return [one for one in overlay.changes if (one.kind, one.table, one.row) != place]


def _with_added_rows(base: Book, overlay: Overlay) -> Written:
    return apply(base, Overlay(changes=tuple(c for c in overlay.changes if c.kind == "add")))[0]


def with_row(base: Book, overlay: Overlay, table: str, row: str, data: Data) -> Overlay:
    """Return the overlay that turns this row into ``data``."""
    added = _added(overlay, table, row)
    if added is not None:
        changed = added.model_copy(update={"data": data})
        return Overlay(changes=tuple(changed if c is added else c for c in overlay.changes))
    before = _with_added_rows(base, overlay).row(table, row)
    assert before is not None
    changes = [
        SetField(kind="set", table=table, row=row, field=field, value=value)
        for field, _old, value in changed_fields(before, data)
        if field[0] in data and field[0] not in find_fixed(table)
    ]
    return Overlay(changes=(*_others(overlay, "set", table, row), *changes))


def with_added(overlay: Overlay, table: str, row: str, data: Data, before: str) -> Overlay:
    """Return the overlay with one more row, before another or at the end."""
    change = AddRow(kind="add", table=table, row=row, data=data, before=before)
    return Overlay(changes=(*overlay.changes, change))


def with_status(base: Book, overlay: Overlay, table: str, row: str, status: str) -> Overlay:
    """Return the overlay with this row offered, hidden, banned or removed."""
    if _added(overlay, table, row) and status == "removed":
        return without(overlay, table, row)
    changes = _others(overlay, "status", table, row)
    before = _with_added_rows(base, overlay).row(table, row) or {}
    if status != before.get("status", "offered"):
        changes.append(
            SetStatus.model_validate(
                {"kind": "status", "table": table, "row": row, "status": status}
            )
        )
    return Overlay(changes=tuple(changes))
