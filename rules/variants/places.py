"""Where things stand in a rulebook: its tables, and a name for each of their rows.

A variant says what it changes by table, row and field. Rows with a key are known by it; limits by
their code, rows of dice tables by their numbers, others by their place. So a name means the same
row in another version of the rulebook, as far as that has it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args, get_origin

from pydantic.fields import FieldInfo
from pydantic_core import to_jsonable_python

from rules.book.annotations import models_in
from rules.book.fates import DiceTable
from rules.book.labels import Table
from rules.book.model import Book
from rules.book.season import Campaign
from rules.book.vocabulary import Frozen


def _tables(model: type[Frozen], prefix: str = "") -> Iterator[tuple[str, FieldInfo, Table]]:
    """Every field whose rows, or single value, can be changed."""
    for name, field in model.model_fields.items():
        inner = next(iter(models_in(field.annotation)), Frozen)
        if inner.editing:
            yield f"{prefix}{name}", field, inner.editing
            if inner is Campaign:
                yield from _tables(inner, f"{name}.")


FIELDS = {name: field for name, field, _table in _tables(Book)}
# What each is called, and what may become of its rows.
TABLES = {name: table for name, _field, table in _tables(Book)}
# The lists of rows, in the order in which players look for them, and the single values.
LISTS = tuple(name for name, field in FIELDS.items() if get_origin(field.annotation) is tuple)
SINGLES = tuple(name for name in FIELDS if name not in LISTS)
OFFERED = {name for name, table in TABLES.items() if table.offered}
ORDERED = {name for name, table in TABLES.items() if table.ordered}
# What is never set by hand: who a row is, and what follows from its being changed.
FIXED = {"key", "code", "status", "house", "source"}

Data = dict[str, Any]


@dataclass(frozen=True)
class Written:
    """A rulebook's data taken apart: its single values by table, and its rows by table and name.

    ``data`` is what they were taken from: single values are still in it, rows are not looked for
    there.
    """

    data: Data
    singles: dict[str, Data]
    tables: dict[str, dict[str, Data]]

    def rows(self, table: str) -> dict[str, Data]:
        """The rows of a table by name, in order; a single value is a row without a name."""
        if table in self.singles:
            return {"": self.singles[table]}
        return self.tables.get(table, {})

    def row(self, table: str, name: str = "") -> Data | None:
        """One row, or a single value; None if there is none."""
        found = self.rows(table).get(name)
        return found if isinstance(found, dict) else None

    def assembled(self) -> Data:
        """The whole rulebook's data, with every table's rows in its list."""
        for table, rows in self.tables.items():
            inside: Any = self.data
            *above, name = self.path(table)
            for part in above:
                inside = inside[part]
            inside[name] = list(rows.values())
        return self.data

    def path(self, table: str) -> list[str | int]:
        """Where a table stands in the data."""
        if not is_dice_rows(table):
            return [*table.split(".")]
        return ["tables", list(self.tables["tables"]).index(dice_table(table)), "rows"]


def take_apart(book: Book, names: Written | None = None) -> Written:
    """The data of ``book`` taken apart; its rows are called as in ``names``, if that is given."""
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
    """The table that the rows of a dice table make."""
    return f"tables.{key}.rows"


def dice_table(table: str) -> str:
    """The dice table whose rows these are."""
    return table.removeprefix("tables.").removesuffix(".rows")


def is_dice_rows(table: str) -> bool:
    """Whether these are the rows of a dice table."""
    return table.startswith("tables.") and table.endswith(".rows")


def reach(data: Data, path: str) -> Any:
    """What stands at a dotted path; None if nothing does."""
    here: Any = data
    for part in path.split("."):
        here = here.get(part) if isinstance(here, dict) else None
    return here


def name_rows(table: str, rows: list[Any]) -> dict[str, Any]:
    """Rows by name; the second of the same name has ``~2`` behind it."""
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
    """The model of a row with this data: where there are several kinds, by its kind."""
    models = models_of(table)
    if len(models) > 1:
        return models.get(str(data.get("kind")))
    return next(iter(models.values()), None)


@cache
def models_of(table: str) -> dict[str, type[Frozen]]:
    """The models that a table's rows may have, by kind ("" if there is one only)."""
    field = DiceTable.model_fields["rows"] if is_dice_rows(table) else FIELDS.get(table)
    models = models_in(field.annotation) if field else []
    if len(models) < 2:
        return dict.fromkeys([""], *models) if models else {}
    return {kind: model for model in models for kind in _kinds(model)}


def _kinds(model: type[Frozen]) -> tuple[str, ...]:
    return get_args(model.model_fields["kind"].annotation)


def find_fixed(table: str) -> set[str]:
    """The fields that are not set by hand. Where rows are of several kinds, a row keeps its own."""
    return FIXED | {"kind"} if len(models_of(table)) > 1 else FIXED


def is_apart(table: str, field: str) -> bool:
    """Whether a field is a table of its own, whose rows are changed and listed one by one."""
    return (table, field) == ("tables", "rows") or f"{table}.{field}" in FIELDS


def fill_defaults(model: type[Frozen], data: Data) -> Data:
    """``data`` with the defaults that it leaves out, as a rulebook's own data has them."""
    full = {
        name: to_jsonable_python(field.get_default(call_default_factory=True))
        for name, field in model.model_fields.items()
        if not field.is_required()
    }
    return {**full, **data}


def removable(table: str) -> bool:
    """Whether rows of the rulebook itself can be taken out of this table."""
    return is_dice_rows(table) or (table in TABLES and TABLES[table].removable)


def changed_fields(before: Data, after: Data) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    """The fields in which two states of a row differ, each with its old and new value.

    Single values of a table of values are told one by one: the field's name, and the key inside.
    """
    for name in [*before, *(name for name in after if name not in before)]:
        old, new = before.get(name), after.get(name)
        if name in ("values", "columns") and isinstance(old, dict) and isinstance(new, dict):
            inner = changed_fields(old, new)
            yield from (((name, *path), was, now) for path, was, now in inner)
        elif old != new:
            yield (name,), old, new
