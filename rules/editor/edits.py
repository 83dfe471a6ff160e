"""Acts on the data of a rulebook that is edited. Each returns whether it changes anything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rules.book.model import Book
from rules.book.vocabulary import Frozen
from rules.editor.places import (
    SINGLES,
    Data,
    Written,
    fill_defaults,
    is_dice_rows,
    model_of,
    name_rows,
    rows_of,
    source_of_new,
    take_apart,
)

# The parts of a row that its place gives it: equal rows differ in them.
OWN_PARTS = {"key", "code", "source"}


def put_row(written: Written, table: str, row: str, data: Data) -> bool:
    """Give a row, or a single value, other data."""
    if written.row(table, row) == data:
        return False
    if table not in SINGLES:
        written.tables[table][row] = data
        return True
    before, rating = written.singles.get(table), written.singles.get("rating")
    if table == "money" and before and rating and rating.get("unit") == before.get("unit"):
        # A rating has the unit of the money until it has one of its own.
        written.put_single("rating", {**rating, "unit": data.get("unit")})
    written.put_single(table, data)
    return True


def make_new(written: Written, model: type[Frozen], key: str) -> Data:
    """Return the parts of a new row that its form does not ask for."""
    extra = {"key": key, "code": key, "source": source_of_new(written)}
    return {name: value for name, value in extra.items() if name in model.model_fields}


def add_row(written: Written, table: str, row: str, data: Data, before: str = "") -> bool:
    """Add a row before another, or at the end; a row of a dice table by its numbers."""
    model = model_of(table, data)
    data = fill_defaults(model, data) if model else data
    rows = list(written.tables[table].items())
    rows.insert(_find_place(written.tables[table], table, data, before), (row, data))
    written.tables[table] = dict(rows)
    parts = data.get("rows")
    if table == "tables" and isinstance(parts, list):
        written.tables[rows_of(row)] = name_rows(rows_of(row), parts)
    return True


def _find_place(rows: dict[str, Data], table: str, data: Data, before: str) -> int:
    if before in rows:
        return list(rows).index(before)
    low = data.get("low")
    if is_dice_rows(table) and isinstance(low, int):
        for place, row in enumerate(rows.values()):
            other = row.get("low") if isinstance(row, dict) else None
            if isinstance(other, int) and low < other:
                return place
    return len(rows)


def has_equal(written: Written, table: str, data: Data) -> bool:
    """Whether a table has an equal row, perhaps with another key."""
    return has_all(written, table, [data])


def has_all(written: Written, table: str, wanted: Sequence[Data]) -> bool:
    """Whether a table has rows equal to all these, perhaps with other keys."""

    def plain(row: Data) -> Data:
        model = model_of(table, row)
        full = fill_defaults(model, row) if model else row
        return {name: value for name, value in full.items() if name not in OWN_PARTS}

    rows = [plain(row) for row in written.tables[table].values() if isinstance(row, dict)]
    return all(plain(data) in rows for data in wanted)


def remove_row(written: Written, table: str, row: str) -> bool:
    """Remove a row with its parts, or a single value."""
    if table in SINGLES:
        written.put_single(table, None)
        return True
    del written.tables[table][row]
    if table == "tables":
        written.tables.pop(rows_of(row), None)
    return True


def move_row(written: Written, table: str, row: str, step: int) -> bool:
    """Let a row change places with the one before (-1) or after it (1); an item, with the next of
    its kind."""
    return move_to(written, table, row, _names_beside(written, table, row).index(row) + step)


def move_to(written: Written, table: str, row: str, place: int) -> bool:
    """Move a row to a place from 0, an item among those of its kind. Others keep their order."""
    rows = written.tables[table]
    names = _names_beside(written, table, row)
    before = names.index(row)
    if place == before or not 0 <= place < len(names):
        return False
    order = [name for name in names if name != row]
    order.insert(place, row)
    # Items of other kinds stay where they are among them.
    sorted_names = iter(order)
    beside = set(names)
    written.tables[table] = {
        name: rows[name]
        for name in (next(sorted_names) if one in beside else one for one in list(rows))
    }
    return True


def _names_beside(written: Written, table: str, row: str) -> list[str]:
    """Return the names of the rows among which a row is moved: all, or the items of its kind."""
    rows = written.tables[table]
    if table != "items":
        return [*rows]
    return [name for name in rows if _group(rows[name]) == _group(rows[row])]


def _group(row: object) -> object:
    return row.get("group") if isinstance(row, dict) else None


def set_for_all(
    written: Written, table: str, rows: Sequence[str], values: Data, *, added: bool = False
) -> int:
    """Give several rows the same values of some fields, and return how many it changes. A table of
    values keeps its other cells; ``added``: a list keeps what it has, too."""
    changed = 0
    for name in rows:
        before = written.row(table, name)
        if before is None:
            continue
        after = {**before, **{key: _join(before.get(key), values[key], added) for key in values}}
        changed += put_row(written, table, name, after)
    return changed


def _join(before: Any, value: Any, added: bool) -> Any:
    if isinstance(before, dict) and isinstance(value, dict):
        return {**before, **value}
    if added and isinstance(before, list) and isinstance(value, list):
        return [*before, *(one for one in value if one not in before)]
    return value


def set_status(written: Written, table: str, row: str, status: str) -> bool:
    """Offer, hide or ban a row."""
    data = written.tables[table][row]
    if data.get("status", "offered") == status:
        return False
    data["status"] = status
    return True


def put_back(
    written: Written, base: Book, table: str, row: str, field: tuple[str, ...] = ()
) -> bool:
    """Give a row, or one field of it, the value of its base; remove a row that the base lacks."""
    old = take_apart(base)
    before, now = old.row(table, row), written.row(table, row)
    if before is None:
        return now is not None and remove_row(written, table, row)
    if field and now is not None:
        return put_row(written, table, row, _put_field_back(before, now, field))
    inner, is_changed = rows_of(row), False
    if table == "tables" and written.tables.get(inner) != old.tables[inner]:
        written.tables[inner], is_changed = old.tables[inner], True
    if now is not None:
        return put_row(written, table, row, before) or is_changed
    rows = list(written.tables[table].items())
    above = [*old.tables[table]]
    above = above[: above.index(row)]
    # It follows the nearest row that was above it.
    place = next((n for n, (name, _row) in reversed([*enumerate(rows, 1)]) if name in above), 0)
    rows.insert(place, (row, before))
    written.tables[table] = dict(rows)
    return True


def _put_field_back(before: Data, now: Data, field: tuple[str, ...]) -> Data:
    name, *inside = field
    if not inside:
        return {**now, name: before.get(name)} if name in before or name in now else now
    if not isinstance(before.get(name), dict) or not isinstance(now.get(name), dict):
        # Neither row has such a table of values, or another tab has changed it.
        return now
    values = {key: value for key, value in now[name].items() if key != inside[0]}
    if inside[0] in before[name]:
        values[inside[0]] = before[name][inside[0]]
    return {**now, name: values}
