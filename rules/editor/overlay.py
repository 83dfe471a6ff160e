"""Changes of a variant: a small overlay on its base, which is one pinned version of a rulebook.

``apply`` turns base and overlay into the data that the editor changes, and ``find_overlay`` turns
the changed data into an overlay again.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from rules.book.model import Book
from rules.book.vocabulary import HOUSE, Frozen
from rules.bounds.limits import MOST_CHANGES
from rules.editor.edits import add_row
from rules.editor.places import (
    OFFERED,
    SINGLES,
    SOURCES,
    Data,
    Written,
    differences,
    find_fixed,
    is_apart,
    is_dice_rows,
    leave_out_defaults,
    model_of,
    removable,
    rows_of,
    take_apart,
)

TableName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_.-]{0,79}$")]
RowName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.~-]{0,80}$")]
FieldName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,59}$")]
Status = Literal["offered", "hidden", "banned", "removed"]
FieldPath = Annotated[tuple[FieldName, ...], Field(min_length=1, max_length=2)]


class SetField(Frozen):
    """Gives a field of a row another value. ``field``: its name, and the key inside if it is a
    table of values; the value None removes that key."""

    kind: Literal["set"]
    table: TableName
    row: RowName
    field: FieldPath
    value: Any


class AddRow(Frozen):
    """Adds a row. ``row``: its name, which is its key if it has one; ``before``: the row to put it
    before, if the order matters (at the end, if that does not exist)."""

    kind: Literal["add"]
    table: TableName
    row: RowName
    data: dict[FieldName, Any]
    before: RowName = ""


class SetStatus(Frozen):
    """Hides, bans, offers or removes a row."""

    kind: Literal["status"]
    table: TableName
    row: RowName
    status: Status


Change = Annotated[SetField | AddRow | SetStatus, Field(discriminator="kind")]


class Overlay(Frozen):
    """All changes of a variant."""

    changes: Annotated[tuple[Change, ...], Field(max_length=MOST_CHANGES)] = ()


EMPTY = Overlay()


@dataclass(frozen=True)
class Misfit:
    """A change that does not fit its rulebook.

    ``why``: no_table, no_row, no_field, there_already, unnamed, not_removable or no_status.
    """

    change: Change
    why: str


@dataclass(frozen=True)
class Wrong:
    """One mistake in words, with its table, row and field (empty if it concerns more)."""

    table: str
    row: str
    field: tuple[str, ...]
    message: str


def apply(base: Book, overlay: Overlay) -> tuple[Written, tuple[Misfit, ...]]:
    """Return the data of ``base`` with the changes that fit, and the changes that do not.

    Rows are added first and removed last, regardless of the order of the changes.
    """
    written = take_apart(base)
    misfits = []
    order = {"add": 0, "set": 1, "status": 2}
    # Dice tables are added before their rows.
    for change in sorted(overlay.changes, key=lambda one: (order[one.kind], "." in one.table)):
        match change:
            case AddRow():
                why = _add(written, change)
            case SetField():
                why = _set(written, change)
            case SetStatus():
                why = _status(written, change)
        if why:
            misfits.append(Misfit(change, why))
    return written, tuple(misfits)


def _add(written: Written, change: AddRow) -> str:
    table = change.table
    if table not in written.tables:
        return "no_table"
    if change.row in written.tables[table]:
        return "there_already"
    model = model_of(table, change.data)
    named = model is None or "key" not in model.model_fields or change.data.get("key") == change.row
    if not change.row or not named:
        return "unnamed"
    add_row(written, table, change.row, copy.deepcopy(change.data), change.before)
    return ""


def _set(written: Written, change: SetField) -> str:
    if change.table not in written.tables and change.table not in SINGLES:
        return "no_table"
    row = written.row(change.table, change.row)
    if row is None:
        return "no_row"
    model = model_of(change.table, row)
    first = change.field[0]
    if model is None or first not in model.model_fields:
        return "no_field"
    if first in find_fixed(change.table) or is_apart(change.table, first):
        return "no_field"
    if len(change.field) == 1:
        row[first] = copy.deepcopy(change.value)
    else:
        inner = row.get(first)
        if not isinstance(inner, dict):
            return "no_field"
        inner.pop(change.field[1], None)
        if change.value is not None:
            inner[change.field[1]] = copy.deepcopy(change.value)
    _cite_house(row, change.field[-1] if first == "columns" else first)
    return ""


def _cite_house(row: Data, cell: str) -> None:
    """Show the reader of the row that this cell no longer comes from its source."""
    source = row.get("source")
    if not isinstance(source, str) or source.startswith(HOUSE):
        return
    house = row.get("house")
    if isinstance(house, list):
        if cell not in house:
            house.append(cell)
    elif f"+ {HOUSE}" not in source:
        row["source"] = f"{source} + {HOUSE}"


def _status(written: Written, change: SetStatus) -> str:
    if change.table not in written.tables:
        return "no_table"
    row = written.row(change.table, change.row)
    if row is None:
        return "no_row"
    if change.status == "removed":
        if not removable(change.table):
            return "not_removable"
        del written.tables[change.table][change.row]
    elif change.table in OFFERED:
        row["status"] = change.status
    else:
        return "no_status"
    return ""


def locate(written: Written, path: str, message: str) -> Wrong:
    """Describe a mistake at a path such as "items.3.price" by the names of table and row.

    The data must be as ``written`` has it: rows are found by their position.
    """
    parts = path.split(".")
    best = Wrong("", "", tuple(filter(None, parts)), message)
    longest = 0
    for table in (*SINGLES, *written.tables):
        prefix = [str(part) for part in written.path(table)]
        size = len(prefix)
        if size <= longest or parts[:size] != prefix:
            continue
        row, rest = "", parts[size:]
        names = list(written.tables.get(table, ()))
        if rest and (rest[0] in names if table == SOURCES else names and rest[0].isdecimal()):
            name = rest.pop(0) if table == SOURCES else names[int(rest.pop(0))]
            # Malformed data may have something else instead of a row.
            row = name if written.row(table, name) is not None else ""
        best, longest = Wrong(table, row, tuple(rest), message), size
    return best


def find_overlay(base: Book, written: Written, known: Overlay = EMPTY) -> Overlay:
    """Return the overlay that turns ``base`` into ``written``, as ``apply`` does.

    ``known``: the overlay that ``written`` was made with before it was edited. Rows that it adds
    keep their places in it. The changes that do not fit are for the caller to keep.
    """
    added: dict[tuple[str, str], AddRow] = {}
    changes: list[Change] = []
    for one in differences(take_apart(base), written):
        table, row = one.table, one.row
        status = one.data.get("status", "offered")
        if one.kind == "added":
            added[table, row] = _added(written, table, row)
            if table in OFFERED and status != "offered":
                changes.append(SetStatus(kind="status", table=table, row=row, status=status))
        elif one.kind == "removed":
            changes.append(SetStatus(kind="status", table=table, row=row, status="removed"))
        elif one.field == ("status",):
            changes.append(SetStatus(kind="status", table=table, row=row, status=one.new))
        elif one.field[0] not in find_fixed(table):
            changes.append(
                SetField(kind="set", table=table, row=row, field=one.field, value=one.new)
            )
    rows = []
    for change in known.changes:
        if isinstance(change, AddRow) and (new := added.pop((change.table, change.row), None)):
            rows.append(new.model_copy(update={"before": change.before}))
    return Overlay(changes=(*rows, *added.values(), *changes))


def _added(written: Written, table: str, row: str) -> AddRow:
    """Return the change that adds a row of ``written``, before the row that follows it there."""
    rows = written.tables[table]
    data = dict(rows[row])
    if table == "tables" and rows_of(row) in written.tables:
        data["rows"] = [*written.tables[rows_of(row)].values()]
    if table in OFFERED:
        data.pop("status", None)
    model = model_of(table, data)
    names = [*rows, ""]
    return AddRow(
        kind="add",
        table=table,
        row=row,
        data=leave_out_defaults(model, data) if model else data,
        # The rows of a dice table are in the order of their numbers.
        before="" if is_dice_rows(table) else names[names.index(row) + 1],
    )
