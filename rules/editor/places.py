"""Places in a rulebook by table, row and field, and the differences between two rulebooks.

The name of a row is its key, the code of a limit, the numbers in a dice table, or else its
position; so a name means the same row in another version of the rulebook, if that has it.
"""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo
from pydantic_core import to_jsonable_python

from rules.book.annotations import models_in
from rules.book.fates import DiceTable
from rules.book.labels import Table
from rules.book.model import Archetype, Book, Sample, Source
from rules.book.season import Campaign
from rules.book.vocabulary import HOUSE, Frozen


def _tables(model: type[Frozen], prefix: str = "") -> Iterator[tuple[str, FieldInfo, Table]]:
    """Yield every field with rows, or a single value, that can be changed."""
    for name, field in model.model_fields.items():
        inner = next(iter(models_in(field.annotation)), Frozen)
        if inner.editing:
            yield f"{prefix}{name}", field, inner.editing
            if inner is Campaign:
                yield from _tables(inner, f"{name}.")


FIELDS = {name: field for name, field, _table in _tables(Book)}
# Their names, and the changes that their rows allow.
TABLES = {name: table for name, _field, table in _tables(Book)}
# The lists of rows, in the order that players expect, and the single values.
LISTS = tuple(name for name, field in FIELDS.items() if get_origin(field.annotation) is tuple)
SINGLES = tuple(name for name in FIELDS if name not in LISTS)
# Tables that only a game has: a variant keeps those of its rulebook. The first two are lists.
SOURCES = "sources"
GAME_TABLES: dict[str, type[Frozen]] = {
    "archetypes": Archetype,
    "samples": Sample,
    SOURCES: Source,
}
GAME_LISTS = tuple(table for table in GAME_TABLES if table != SOURCES)
OFFERED = {name for name, table in TABLES.items() if table.offered}
ORDERED = {name for name, table in TABLES.items() if table.ordered}
# Fields that follow from other changes; then all fields that players never set themselves.
SILENT = {"house", "source"}
FIXED = {"key", "code", "status", *SILENT}

Data = dict[str, Any]


@dataclass(frozen=True)
class Written:
    """A rulebook's data taken apart: its single values by table, and its rows by table and name.

    ``data``: the whole data, with the single values but with rows that may be out of date.
    """

    data: Data
    singles: dict[str, Data]
    tables: dict[str, dict[str, Data]]

    def rows(self, table: str) -> dict[str, Data]:
        """Return the rows of a table by name, in order; a single value is a row without a name."""
        if table in self.singles:
            return {"": self.singles[table]}
        return self.tables.get(table, {})

    def row(self, table: str, name: str = "") -> Data | None:
        """Return a row, or a single value; None if there is none."""
        found = self.rows(table).get(name)
        return found if isinstance(found, dict) else None

    def put_single(self, table: str, value: Data | None) -> None:
        """Replace a single value; None removes it."""
        if value is None:
            self.singles.pop(table, None)
        else:
            self.singles[table] = value
        self._put(self.path(table), value)

    def assembled(self) -> Data:
        """Return the whole rulebook's data, with every table's current rows in its list."""
        for table, rows in self.tables.items():
            self._put(self.path(table), rows if table == SOURCES else list(rows.values()))
        return self.data

    def _put(self, path: list[str | int], value: object) -> None:
        *above, name = path
        inside: Any = self.data
        for part in above:
            inside = inside[part]
        inside[name] = value

    def path(self, table: str) -> list[str | int]:
        """Return the path of a table in the data."""
        if not is_dice_rows(table):
            return [*table.split(".")]
        return ["tables", list(self.tables["tables"]).index(dice_table(table)), "rows"]


def take_apart(book: Book, names: Written | None = None) -> Written:
    """Take the data of ``book`` apart; its rows get their names from ``names``, if given."""
    data: Data = book.model_dump(mode="json")
    lists = {table: reach(data, table) for table in LISTS}
    lists |= {rows_of(table["key"]): table["rows"] for table in data["tables"]}
    singles = {table: value for table in SINGLES if (value := reach(data, table)) is not None}
    if names is not None:
        tables = {key: dict(zip(names.tables[key], lists[key], strict=True)) for key in lists}
    else:
        tables = {key: name_rows(key, rows) for key, rows in lists.items()}
    return Written(data, singles, tables)


def rows_of(key: str) -> str:
    """Return the name of the table with the rows of a dice table."""
    return f"tables.{key}.rows"


def dice_table(table: str) -> str:
    """Return the key of the dice table with these rows."""
    return table.removeprefix("tables.").removesuffix(".rows")


def is_dice_rows(table: str) -> bool:
    """Whether a table contains the rows of a dice table."""
    return table.startswith("tables.") and table.endswith(".rows")


def reach(data: Data, path: str) -> Any:
    """Return the value at a dotted path; None if there is none."""
    here: Any = data
    for part in path.split("."):
        here = here.get(part) if isinstance(here, dict) else None
    return here


def name_rows(table: str, rows: list[Any]) -> dict[str, Any]:
    """Name rows; the second of the same name ends in ``~2``."""
    counts: Counter[str] = Counter()
    found = {}
    for number, row in enumerate(rows, start=1):
        name = _name(table, row, number)
        counts[name] += 1
        found[name if counts[name] == 1 else f"{name}~{counts[name]}"] = row
    return found


def _name(table: str, row: Any, number: int) -> str:
    if isinstance(row, dict):
        if isinstance(row.get("key"), str):
            return str(row["key"])
        if isinstance(row.get("code"), str):
            return re.sub(r"[^A-Za-z0-9_.-]+", "-", row["code"])[:60]
        if is_dice_rows(table):
            return f"{row.get('low')}-{row.get('high')}"
    return str(number)


def model_of(table: str, data: Data) -> type[Frozen] | None:
    """Return the model of a row, by its kind if the table has several."""
    models = models_of(table)
    if len(models) > 1:
        return models.get(str(data.get("kind")))
    return next(iter(models.values()), None)


@cache
def models_of(table: str) -> dict[str, type[Frozen]]:
    """Return the models of a table's rows by kind ("" if there is only one)."""
    if table in GAME_TABLES:
        return {"": GAME_TABLES[table]}
    field = DiceTable.model_fields["rows"] if is_dice_rows(table) else FIELDS.get(table)
    models = models_in(field.annotation) if field else []
    if len(models) < 2:
        return dict.fromkeys([""], *models) if models else {}
    return {
        kind: model for model in models for kind in get_args(model.model_fields["kind"].annotation)
    }


def find_fixed(table: str) -> set[str]:
    """Return the fields that players never set; in a table of several kinds also the kind."""
    return FIXED | {"kind"} if len(models_of(table)) > 1 else FIXED


def is_apart(table: str, field: str) -> bool:
    """Whether a field is a separate table, with rows that are changed and listed one by one."""
    return (table, field) == ("tables", "rows") or f"{table}.{field}" in FIELDS


# The source of the rows of a player's own game; a variant has none of its own.
OWN_SOURCE = "own"


def source_of_new(written: Written) -> str:
    """Return the source that new rows cite: the game's own rules, or a house value in a variant."""
    return OWN_SOURCE if OWN_SOURCE in written.tables.get("sources", ()) else HOUSE


@cache
def defaults_of(model: type[Frozen]) -> Data:
    """Return the defaults of a model's fields, as in a rulebook's own data; never change them."""
    return {
        name: to_jsonable_python(field.get_default(call_default_factory=True))
        for name, field in model.model_fields.items()
        if not field.is_required()
    }


def fill_defaults(model: type[Frozen], data: Data) -> Data:
    """Return ``data`` with the defaults that it leaves out."""
    full = {
        name: data[name] if name in data else _copy(value)
        for name, value in defaults_of(model).items()
    }
    return {**full, **data}


def leave_out_defaults(model: type[Frozen], data: Data) -> Data:
    """Return ``data`` without the values that ``fill_defaults`` would fill in again."""
    defaults = defaults_of(model)
    return {
        name: value
        for name, value in data.items()
        if name not in defaults or defaults[name] != value
    }


def leave_out_inner_defaults(model: type[Frozen], data: Data) -> Data:
    """Return ``data`` without the defaults of the tables of fields inside it, which forms fill in
    and files leave out. Its own fields stay."""
    inner = _inner_models(model)
    return {
        name: _leave_out(inner[name], value) if name in inner else value
        for name, value in data.items()
    }


def keep_equal(model: type[Frozen], before: Data, after: Data) -> Data:
    """Return a row with the values of ``after`` and all defaults. A value that differs from that of
    ``before`` only in written defaults stays as it is there."""
    full = fill_defaults(model, after)
    old, new = (leave_out_inner_defaults(model, row) for row in (before, full))
    return {
        name: before[name] if name in before and old[name] == new[name] else value
        for name, value in full.items()
    }


def _leave_out(models: Sequence[type[Frozen]], value: Any) -> Any:
    if isinstance(value, list):
        return [_leave_out(models, one) for one in value]
    found = find_models(models, value) if isinstance(value, dict) else []
    if len(found) != 1:
        return value
    return leave_out_defaults(found[0], leave_out_inner_defaults(found[0], value))


@cache
def _inner_models(model: type[Frozen]) -> dict[str, list[type[Frozen]]]:
    fields = model.model_fields.items()
    return {name: inner for name, field in fields if (inner := models_in(field.annotation))}


def find_models(models: Sequence[type[Frozen]], value: Data) -> list[type[Frozen]]:
    """Return the models that have all fields of a table of fields, and its kind."""
    return [
        model
        for model in models
        if value.keys() <= model.model_fields.keys()
        and (not (kinds := _kinds_of(model)) or value.get("kind", kinds[0]) in kinds)
    ]


@cache
def _kinds_of(model: type[Frozen]) -> tuple[Any, ...]:
    field = model.model_fields.get("kind")
    return get_args(field.annotation) if field else ()


def _copy(value: Any) -> Any:
    # Nearly all defaults are no containers, and deepcopy takes long to find that out.
    return copy.deepcopy(value) if isinstance(value, list | dict) else value


def removable(table: str) -> bool:
    """Whether a variant can remove its base's rows from this table."""
    return is_dice_rows(table) or (table in TABLES and TABLES[table].removable)


def changed_fields(before: Data, after: Data) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    """Yield the fields in which two states of a row differ, with their old and new values.

    The values in a table of values come one by one: the field's name, and the key inside.
    """
    for name in [*before, *(name for name in after if name not in before)]:
        old, new = before.get(name), after.get(name)
        if name in ("values", "columns") and isinstance(old, dict) and isinstance(new, dict):
            inner = changed_fields(old, new)
            yield from (((name, *path), was, now) for path, was, now in inner)
        elif old != new:
            yield (name,), old, new


@dataclass(frozen=True)
class Difference:
    """One difference between two states of a rulebook.

    ``field``: its name, and the key inside it if it is a table of values; empty for a whole row.
    ``data``: the row now (or before, if it was removed), for its name.
    """

    kind: Literal["added", "removed", "changed"]
    table: str
    row: str
    field: tuple[str, ...]
    old: Any
    new: Any
    data: Data


def between(old: Book, new: Book) -> list[Difference]:
    """List the differences between two rulebooks of one game."""
    return differences(take_apart(old), take_apart(new))


def differences(old: Written, new: Written, further: Sequence[str] = ()) -> list[Difference]:
    """List the differences, in the order of the tables. ``further``: also compare these."""
    tables = [*_compare(old, new), *further]
    return [one for table in tables for one in _differences_in(table, old, new)]


def _compare(old: Written, new: Written) -> Iterator[str]:
    """Yield single values, then lists; after the list of dice tables, the rows of each table that
    is in both."""
    for table in (*SINGLES, *LISTS):
        yield table
        if table == "tables":
            yield from filter(is_dice_rows, (inner for inner in new.tables if inner in old.tables))


def _differences_in(table: str, old: Written, new: Written) -> Iterator[Difference]:
    before, after = old.rows(table), new.rows(table)
    for name, row in after.items():
        if name not in before:
            yield Difference("added", table, name, (), None, row, row)
            continue
        for field, was, now in changed_fields(before[name], row):
            if field[0] not in SILENT and not is_apart(table, field[0]):
                yield Difference("changed", table, name, field, was, now, row)
    for name, row in before.items():
        if name not in after:
            yield Difference("removed", table, name, (), row, None, row)
