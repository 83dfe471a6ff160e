"""Changes of a variant: a small overlay on one pinned version of a rulebook.

They are applied to the rulebook's data, and the result is read like any rulebook: the checker
accepts it, or lists the mistakes, each with its table, row and field.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, ValidationError

from common.wording.sentences import gettext_noop as _
from rules.book.model import Book, Variation
from rules.book.vocabulary import HOUSE, Frozen
from rules.bounds.limits import MOST_CHANGES
from rules.editor.places import (
    OFFERED,
    SINGLES,
    Data,
    Written,
    changed_fields,
    fill_defaults,
    find_fixed,
    is_apart,
    is_dice_rows,
    model_of,
    name_rows,
    removable,
    rows_of,
    take_apart,
)
from rules.loading import apart
from rules.loading.apart import TooLarge
from rules.loading.reader import BadBook

TOO_LARGE = _("takes too long to work out")
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

    def without(self, table: str, row: str, field: Sequence[str] = ()) -> Overlay:
        """Return the overlay without its changes to a row (or one field of it) and its parts."""
        kept = (change for change in self.changes if not _is_at(change, table, row, field))
        return Overlay(changes=tuple(kept))

    def added(self, table: str, row: str) -> AddRow | None:
        """Return the change that adds this row; None if there is none."""
        rows = (change for change in self.changes if isinstance(change, AddRow))
        return next((one for one in rows if (one.table, one.row) == (table, row)), None)

    def others(self, kind: str, table: str, row: str) -> list[Change]:
        """Return all changes except changes of this kind to this row."""
        place = (kind, table, row)
        return [one for one in self.changes if (one.kind, one.table, one.row) != place]

    def has_added(self, table: str, rows: list[Data]) -> bool:
        """Whether the overlay already adds equal rows, perhaps with other keys."""
        own = ("key", "code", "source")

        def plain(data: Data) -> Data:
            return {name: value for name, value in data.items() if name not in own}

        added = [change for change in self.changes if isinstance(change, AddRow)]
        there = [plain(change.data) for change in added if change.table == table]
        return all(plain(row) in there for row in rows)


def _is_at(change: Change, table: str, row: str, field: Sequence[str]) -> bool:
    same = (change.table, change.row) == (table, row)
    if not field:
        return same or (table == "tables" and change.table == rows_of(row))
    if isinstance(change, SetField):
        # Undoing one value also undoes a change of the whole table of values.
        size = min(len(field), len(change.field))
        return same and change.field[:size] == tuple(field)[:size]
    return same and change.kind == "status" and tuple(field) == ("status",)


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


@dataclass(frozen=True)
class OverlayOutcome:
    """The result of an overlay on a rulebook. ``book``: None if anything is wrong.

    ``formed``: whether the data has the right form, even if its content is wrong; ``too_large``:
    the check would take too long.
    """

    written: Written
    misfits: tuple[Misfit, ...]
    wrong: tuple[Wrong, ...] = ()
    book: Book | None = None
    formed: bool = True
    too_large: bool = False


def apply_overlay(base: Book, overlay: Overlay, variation: Variation) -> OverlayOutcome:
    """Apply ``overlay`` to ``base`` and check the result in another process. Raises Busy."""
    written, misfits = apply(base, overlay)
    data = {**written.assembled(), "variant": variation.model_dump()}
    try:
        book = apart.read_apart(data, "")
    except TooLarge:
        too_large = Wrong("", "", (), TOO_LARGE)
        return OverlayOutcome(written, misfits, (too_large,), formed=False, too_large=True)
    except BadBook as bad:
        wrong = tuple(locate(written, mistake.path, mistake.message) for mistake in bad.mistakes)
        try:
            written = take_apart(Book.model_validate(data), written)
        except ValidationError:
            return OverlayOutcome(written, misfits, wrong, formed=False)
        return OverlayOutcome(written, misfits, wrong)
    return OverlayOutcome(take_apart(book, written), misfits, (), None if misfits else book)


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
    data = copy.deepcopy(change.data)
    model = model_of(table, data)
    if model is not None:
        data = fill_defaults(model, data)
        if "key" in model.model_fields and data.get("key") != change.row:
            return "unnamed"
    if not change.row:
        return "unnamed"
    rows = list(written.tables[table].items())
    rows.insert(_place(written, change), (change.row, data))
    written.tables[table] = dict(rows)
    if table == "tables" and isinstance(data.get("rows"), list):
        inner = rows_of(change.row)
        written.tables[inner] = name_rows(inner, data["rows"])
    return ""


def _place(written: Written, change: AddRow) -> int:
    """Return the index for a new row; rows of a dice table are in the order of their numbers."""
    rows = written.tables[change.table]
    if change.before in rows:
        return list(rows).index(change.before)
    low = change.data.get("low")
    if is_dice_rows(change.table) and isinstance(low, int):
        for place, row in enumerate(rows.values()):
            other = row.get("low") if isinstance(row, dict) else None
            if isinstance(other, int) and low < other:
                return place
    return len(rows)


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
        if table in written.tables and rest and rest[0].isdecimal():
            name = list(written.tables[table])[int(rest.pop(0))]
            # Malformed data may have something else instead of a row.
            row = name if written.row(table, name) is not None else ""
        best, longest = Wrong(table, row, tuple(rest), message), size
    return best


def with_row(base: Book, overlay: Overlay, table: str, row: str, data: Data) -> Overlay:
    """Return the overlay that turns this row into ``data`` with the fewest changes.

    Raises KeyError if there is no such row.
    """
    added = overlay.added(table, row)
    if added is not None:
        changed = added.model_copy(update={"data": data})
        return Overlay(changes=tuple(changed if c is added else c for c in overlay.changes))
    before = _with_added_rows(base, overlay).row(table, row)
    if before is None:
        raise KeyError(row)
    changes = [
        SetField(kind="set", table=table, row=row, field=field, value=value)
        for field, _old, value in changed_fields(before, data)
        if field[0] in data and field[0] not in find_fixed(table)
    ]
    return Overlay(changes=(*overlay.others("set", table, row), *changes))


def _with_added_rows(base: Book, overlay: Overlay) -> Written:
    """Return the rulebook with added rows, but without other changes."""
    return apply(base, Overlay(changes=tuple(c for c in overlay.changes if c.kind == "add")))[0]


def with_added(overlay: Overlay, table: str, row: str, data: Data, *, before: str = "") -> Overlay:
    """Return the overlay with one more row, before another or at the end."""
    change = AddRow(kind="add", table=table, row=row, data=data, before=before)
    return Overlay(changes=(*overlay.changes, change))


def with_status(base: Book, overlay: Overlay, table: str, row: str, status: Status) -> Overlay:
    """Return the overlay with this row offered, hidden, banned or removed."""
    if overlay.added(table, row) and status == "removed":
        return overlay.without(table, row)
    changes = overlay.others("status", table, row)
    before = _with_added_rows(base, overlay).row(table, row) or {}
    if status != before.get("status", "offered"):
        changes.append(SetStatus(kind="status", table=table, row=row, status=status))
    return Overlay(changes=tuple(changes))
