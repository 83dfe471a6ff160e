"""The fields of a form for a row of a rulebook, derived from the row's model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import annotated_types
from pydantic.fields import FieldInfo

from common.wording.sentences import Label
from rules.book.annotations import marker, markers, models_in
from rules.book.labels import KeyOf, Values
from rules.book.rolls import STEPS, Step
from rules.book.vocabulary import Formula, Frozen, Text
from rules.editor.inner_labels import value_label_of
from rules.editor.places import Data, Written, find_fixed, is_apart, models_of

Kind = Literal[
    "text", "line", "number", "yes", "choice", "choices", "key", "keys", "tags", "values",
    "columns", "formula", "when", "settings", "part", "rows", "dice", "numbers", "lines", "texts",
    "names", "float", "ordered", "colour", "formulas", "pairs", "grid",
]  # fmt: skip

LONG = {"text", "victory", "leads_text"}
PLAIN: dict[object, Kind] = {
    Text: "text", bool: "yes", int: "number", float: "float", Formula: "formula",
}  # fmt: skip
MOST = 1_000_000


@dataclass(frozen=True)
class FieldSpec:
    """One field of a row. ``table``: the table of the keys that it names; ``values``: its possible
    values; ``needed``: every row must have it; ``optional``: it may be None; ``models``: the
    models of a part, or of its rows by kind; ``pattern``: the form of its text; ``also``: keys that
    it may name without a row."""

    name: str
    kind: Kind
    needed: bool = False
    optional: bool = False
    minimum: int = -MOST
    maximum: int = MOST
    values: Mapping[str, Label] = field(default_factory=dict)
    table: str = ""
    models: Mapping[str, type[Frozen]] = field(default_factory=dict)
    pattern: str = ""
    also: Mapping[str, Label] = field(default_factory=dict)

    @property
    def long(self) -> bool:
        """Whether its text has several lines."""
        return self.name in LONG


def specs(table: str, model: type[Frozen], *, adding: bool = False) -> list[FieldSpec]:
    """List the fields for rows of this model, the name first.

    A form asks for the rows of a dice table only when it adds the table.
    """
    fields = [
        replace(_spec(name, field), kind="dice")
        if (table, name) == ("tables", "rows")
        else _spec(name, field)
        for name, field in model.model_fields.items()
        if name not in find_fixed(table)
        and (not is_apart(table, name) or (adding and table == "tables"))
    ]
    return sorted(fields, key=lambda spec: spec.name != "name")


def _spec(name: str, info: FieldInfo) -> FieldSpec:
    annotation, optional = _plain(info.annotation)
    key_of, values = marker(info, KeyOf), marker(info, Values)
    low, high = _bounds(info)
    kind = _kind(name, annotation, key_of, values)
    labels = values.labels if values else {}
    if kind in ("choice", "ordered") and not labels:
        labels = {word: value_label_of(word) for word in _words(annotation)}
    return FieldSpec(
        name,
        kind,
        info.is_required(),
        optional,
        low,
        high,
        labels,
        key_of.table if key_of else "",
        _by_kind(models_in(annotation)) if kind in ("part", "rows") else {},
        _pattern(info) if kind == "line" else "",
        key_of.also if key_of else {},
    )


def _pattern(info: FieldInfo) -> str:
    """Return the regular expression of a text; "" if it has none."""
    found = (getattr(mark, "pattern", None) for mark in markers(info))
    return next((one for one in found if isinstance(one, str)), "")


def _words(annotation: Any) -> list[str]:
    """List the words of a literal, or of the literals inside a list."""
    if get_origin(annotation) is Literal:
        return [str(word) for word in get_args(annotation)]
    return [word for inner in get_args(annotation) for word in _words(inner)]


def _by_kind(models: list[type[Frozen]]) -> dict[str, type[Frozen]]:
    """Return the models of an inner list by kind ("" if there is only one); those of a roll's steps
    by their word."""
    if len(models) == 1:
        return {"": models[0]}
    if issubclass(models[0], Step):
        return {model.word: model for model in STEPS}
    return {
        kind: model for model in models for kind in get_args(model.model_fields["kind"].annotation)
    }


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
        return "key" if key_of else "colour" if name in ("light", "dark") else "line"
    if isinstance(annotation, type) and issubclass(annotation, Frozen):
        return "part"
    if origin is Literal:
        return "choice"
    if origin is frozenset:
        return "tags"
    if origin is dict:
        return "pairs" if get_args(annotation)[1] == Formula else DICTS[name]
    if origin in (Union, UnionType):
        return "formula"
    return _kind_of_list(annotation, key_of, values)


DICTS: dict[str, Kind] = {
    "values": "values",
    "points": "values",
    "rolled": "values",
    "costs": "values",
    "adds": "values",
    "columns": "columns",
    "when": "when",
    "sold_when": "when",
    "settings": "settings",
    "names": "pairs",
}


def _kind_of_list(annotation: Any, key_of: KeyOf | None, values: Values | None) -> Kind:
    inner = _plain(get_args(annotation)[0])[0]
    if key_of:
        # There are too many items for boxes to tick, and a member may have two of one.
        return "names" if key_of.table == "items" else "keys"
    if inner in (Text, str | Text):
        return "texts"
    if models_in(inner):
        return "rows"
    if get_origin(inner) is Literal:
        return "choices" if values else "ordered"
    if inner == Formula:
        return "formulas"
    return "grid" if get_origin(inner) is tuple else LISTED[inner]


LISTED: dict[object, Kind] = {int: "numbers", str: "lines"}


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
    """List the tags of a table's rows, and those that a row gives to rows that it is fitted to."""
    rows = written.rows(table).values()
    fitted = (row["fits"] for row in rows if isinstance(row.get("fits"), dict))
    return sorted({tag for one in (*rows, *fitted) for tag in one.get("tags", ())})
