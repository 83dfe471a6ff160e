"""The format that a file needs for its rulebooks: an older site does not know newer words.

Format 1 has the vocabulary of 0.9.0. ``format_1.json`` lists it: the fields of each model, with
their possible words where only some are allowed. Everything else needs format 2.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args, get_origin

from rules.book.annotations import models_in
from rules.book.model import Book
from rules.book.vocabulary import Frozen

FORMAT_1: Mapping[str, Mapping[str, Sequence[str]]] = json.loads(
    Path(__file__).with_name("format_1.json").read_text()
)
# Amounts that calculate: "2d6x10", "3d6+20".
CALCULATION = re.compile(r"\d+d\d+[x+-][\dx+-]+")


def format_needed(data: object, model: type[Frozen] = Book) -> int:
    """Return the lowest format for the data of a rulebook, or of another ``model``."""
    return 2 if is_newer([model], data) else 1


def is_newer(models: Sequence[type[Frozen]], data: object) -> bool:
    """Whether format 1 has no words for the data of one of ``models``."""
    if not isinstance(data, dict):
        return _is_newer_word((), data)
    model = _model_of(models, data)
    if model is None or model.__name__ not in FORMAT_1:
        return True
    return any(
        is_newer_field([model], name, value)
        for name, value in data.items()
        if name in model.model_fields and not _is_default(model, name, value)
    )


def is_newer_field(models: Sequence[type[Frozen]], name: str, value: object) -> bool:
    """Whether format 1 has no words for the value of a field of one of ``models``."""
    model = next((one for one in models if name in FORMAT_1.get(one.__name__, ())), None)
    if model is None or name not in model.model_fields:
        return True
    annotation = model.model_fields[name].annotation
    return _is_newer_value(annotation, FORMAT_1[model.__name__][name], value)


def _is_newer_value(annotation: Any, words: Sequence[str], value: object) -> bool:
    match value:
        case dict() if (models := models_in(annotation)) and not _is_table(annotation):
            return is_newer(models, value)
        case dict() if not _is_table(annotation):
            # A text, or names, by language.
            return not value.keys() <= FORMAT_1["Text"].keys()
        case dict() as values:
            return any(_is_newer_value(_inside(annotation), words, one) for one in values.values())
        case list() | tuple() as values:
            return any(_is_newer_value(annotation, words, one) for one in values)
    return _is_newer_word(words, value)


def _is_newer_word(words: Sequence[str], value: object) -> bool:
    if not isinstance(value, str):
        return False
    return (bool(words) and value not in words) or CALCULATION.fullmatch(value) is not None


def _model_of(models: Sequence[type[Frozen]], data: Mapping[str, Any]) -> type[Frozen] | None:
    """The model of some data: the only one, that of their kind, or the one that has all fields."""
    if len(models) == 1:
        return models[0]
    kind = data.get("kind")
    for model in models:
        field = model.model_fields.get("kind")
        if kind in get_args(field.annotation) if field else model.model_fields.keys() >= {*data}:
            return model
    return None


def _is_default(model: type[Frozen], name: str, value: object) -> bool:
    """Whether the value says nothing, so that a file may leave it out."""
    default = model.model_fields[name].get_default(call_default_factory=True)
    return value == default or (not value and not default)


def _is_table(annotation: Any) -> bool:
    """Whether a type is a table whose keys the author chooses."""
    return get_origin(annotation) is dict or any(map(_is_table, get_args(annotation)))


def _inside(annotation: Any) -> Any:
    """The type of the values of such a table."""
    if get_origin(annotation) is dict:
        return get_args(annotation)[1]
    return next((_inside(one) for one in get_args(annotation) if _is_table(one)), annotation)
