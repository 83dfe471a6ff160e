"""The fields of a form for a row of a rulebook, derived from the row's model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

import annotated_types
from pydantic.fields import FieldInfo

from rules.book.annotations import marker, markers
from rules.book.labels import KeyOf, Label, Values
from rules.book.vocabulary import Formula, Frozen, Text
from rules.variants.places import Data, Written, find_fixed, is_apart, models_of

Kind = Literal[
    "text", "line", "number", "yes", "choice", "choices", "key", "keys", "tags", "values",
    "columns", "formula", "expert",
]  # fmt: skip

LONG = {"text", "victory", "leads_text"}
PLAIN: dict[object, Kind] = {Text: "text", bool: "yes", int: "number", Formula: "formula"}
MOST = 1_000_000


@dataclass(frozen=True)
class FieldSpec:
    """One field of a row. ``table``: the table of the keys that it names; ``values``: its possible
    values; ``needed``: every row must have it; ``optional``: it may be None."""

    name: str
    kind: Kind
    needed: bool = False
    optional: bool = False
    minimum: int = -MOST
    maximum: int = MOST
    values: Mapping[str, Label] = field(default_factory=dict)
    table: str = ""

    @property
    def long(self) -> bool:
        """Whether its text has several lines."""
        return self.name in LONG


def specs(table: str, model: type[Frozen], *, adding: bool = False) -> list[FieldSpec]:
    """List the fields for rows of this model, the name first.

    A form asks for the rows of a dice table only when it adds the table.
    """
    fields = [
        _spec(name, field)
        for name, field in model.model_fields.items()
        if name not in find_fixed(table)
        and (not is_apart(table, name) or (adding and table == "tables"))
    ]
    return sorted(fields, key=lambda spec: spec.name != "name")


def _spec(name: str, info: FieldInfo) -> FieldSpec:
    annotation, optional = _plain(info.annotation)
    key_of, values = marker(info, KeyOf), marker(info, Values)
    low, high = _bounds(info)
    return FieldSpec(
        name,
        _kind(name, annotation, key_of, values),
        info.is_required(),
        optional,
        low,
        high,
        values.labels if values else {},
        key_of.table if key_of else "",
    )


def _plain(annotation: Any) -> tuple[Any, bool]:
    """Return a type without its markers, and whether None is allowed."""
    inner = get_args(annotation)
    if NoneType in inner:
        rest = reduce(or_, (part for part in inner if part is not NoneType))
        return _plain(rest)[0], True
    return (_plain(inner[0])[0] if get_origin(annotation) is Annotated else annotation), False


def _kind(name: str, annotation: Any, key_of: KeyOf | None, values: Values | None) -> Kind:
    origin = get_origin(annotation)
    if annotation in PLAIN:
        return PLAIN[annotation]
    if annotation is str:
        return "key" if key_of else "line"
    if origin is Literal:
        return "choice"
    if origin is frozenset:
        return "tags"
    if origin is dict and name in ("values", "columns"):
        return "values" if name == "values" else "columns"
    # There are too many items for boxes to tick; and a list whose order matters has no labels.
    if origin is tuple and key_of and key_of.table != "items":
        return "keys"
    return "choices" if origin is tuple and values else "expert"


def _bounds(info: FieldInfo) -> tuple[int, int]:
    low, high = -MOST, MOST
    for mark in markers(info):
        match mark:
            case annotated_types.Ge(bound):
                low = int(str(bound))
            case annotated_types.Gt(bound):
                low = int(str(bound)) + 1
            case annotated_types.Le(bound):
                high = int(str(bound))
    return low, high


def of_field[T](table: str, name: str, kind: type[T]) -> T | None:
    """Return the marker of this kind on a table's field; None if there is none."""
    fields = (model.model_fields.get(name) for model in models_of(table).values())
    return next((mark for info in fields if info and (mark := marker(info, kind))), None)


def keys_of(written: Written, table: str) -> list[tuple[str, Data | None]]:
    """List the keys that a field may name, each with its row (None for a tag)."""
    if table.startswith("tag:"):
        return [(tag, None) for tag in tags_of(written, table.removeprefix("tag:"))]
    return list(written.rows(table).items())


def tags_of(written: Written, table: str) -> list[str]:
    """List the tags of a table's rows."""
    return sorted({tag for row in written.rows(table).values() for tag in row.get("tags", ())})
