"""Renames keys in a rulebook's data: those of rows, and every reference to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any, get_args, get_origin

from pydantic.fields import FieldInfo

from rules.book.labels import KeyOf
from rules.book.model import Book
from rules.book.vocabulary import Frozen
from rules.editor.places import GAME_LISTS, LISTS, Data, find_models, name_rows, reach

# The other key of a key, by table.
type Keys = Mapping[str, Mapping[str, str]]

# Fields whose keys have no mark, as they need a check of their own: the table that they name.
UNMARKED = {
    "origin_setting": "settings",
    "when": "settings",
    "sold_when": "settings",
    "values": "characteristics",
    "rolled": "characteristics",
    "track": "characteristics",
    "tags": "tags",
}


@dataclass(frozen=True)
class Shape:
    """The parts of a type that can contain keys.

    ``tables``: those that a text is a key of; ``models``: those that a table of fields may be;
    ``parts``: the shape of a list's parts; ``inner``: those of a table's keys and values.
    """

    tables: tuple[str, ...] = ()
    models: tuple[type[Frozen], ...] = ()
    parts: Shape | None = None
    inner: tuple[Shape, Shape] | None = None


def rename(data: Data, keys: Keys) -> Data:
    """Return a copy of a rulebook's data with other keys."""
    found: Data = _rename(Shape(models=(Book,)), data, keys)
    for table in (*LISTS, *GAME_LISTS):
        others = keys.get(table, {})
        rows = reach(found, table) if others else None
        for name, row in name_rows(table, rows).items() if isinstance(rows, list) else ():
            if name in others:
                row["key" if "key" in row else "code"] = others[name]
    return found


def _rename(shape: Shape | None, value: Any, keys: Keys) -> Any:
    if isinstance(value, str):
        tables = shape.tables if shape else ()
        return next((keys[one][value] for one in tables if value in keys.get(one, ())), value)
    if isinstance(value, list):
        return [_rename(shape.parts if shape else None, one, keys) for one in value]
    if not isinstance(value, dict):
        return value
    models = shape.models if shape else ()
    # A single model also serves if the table has fields that it does not know.
    if models and (found := [*models] if len(models) == 1 else find_models(models, value)):
        shapes = _fields(found[0])
        return {name: _rename(shapes.get(name), one, keys) for name, one in value.items()}
    of_key, of_value = (shape.inner if shape else None) or (None, None)
    return {
        _rename(of_key, name, keys): _rename(of_value, one, keys) for name, one in value.items()
    }


@cache
def _fields(model: type[Frozen]) -> dict[str, Shape]:
    found = {name: _shape(field) for name, field in model.model_fields.items()}
    for name in found.keys() & UNMARKED.keys():
        table = Shape(tables=(UNMARKED[name],))
        one = found[name]
        inner = (table, one.inner[1] if one.inner else Shape())
        found[name] = replace(one, tables=table.tables, parts=one.parts and table, inner=inner)
    return found


def _shape(annotation: Any) -> Shape:
    if isinstance(annotation, FieldInfo):
        return _marked(_shape(annotation.annotation), annotation.metadata)
    if get_origin(annotation) is Annotated:
        return _marked(_shape(annotation.__origin__), annotation.__metadata__)
    if isinstance(annotation, type) and issubclass(annotation, Frozen):
        return Shape(models=(annotation,))
    inside = [_shape(one) for one in get_args(annotation) if one is not ...]
    if get_origin(annotation) in (tuple, frozenset):
        return Shape(parts=_joined(inside))
    if get_origin(annotation) is dict:
        return Shape(inner=(inside[0], inside[1]))
    return _joined(inside)


def _marked(shape: Shape, metadata: Iterable[object]) -> Shape:
    for mark in metadata:
        if isinstance(mark, FieldInfo):
            shape = _marked(shape, mark.metadata)
        elif isinstance(mark, KeyOf):
            table = "tags" if mark.table.startswith("tag:") else mark.table
            shape = replace(shape, tables=(table,), parts=shape.parts and Shape(tables=(table,)))
    return shape


def _joined(shapes: Iterable[Shape]) -> Shape:
    """Return the shape of a value that has one of the types."""
    found = Shape()
    for one in shapes:
        found = Shape(
            (*found.tables, *one.tables),
            (*found.models, *one.models),
            found.parts or one.parts,
            found.inner or one.inner,
        )
    return found
