"""The format that a file needs for its words: an older site does not know newer words.

Format 1 has the vocabulary of 0.9.0, format 2 that of 1.0.0, and format 3 everything else.
``format_1.json`` and ``format_2.json`` list the fields of each model, each with the words that it
takes: [] for any text, null for none, otherwise words, and patterns that begin with "^".
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, get_args, get_origin

from pydantic import RootModel

from rules.book.annotations import models_in
from rules.book.model import Book
from rules.book.vocabulary import Frozen

NEWEST = 3
# A number to reach.
REACHED = re.compile(r"\d{1,2}\+")


@dataclass(frozen=True)
class Vocabulary:
    """The words of a format, by model and field. ``spelled_out``: its files have fields with their
    defaults, too, so that a site refuses each field that it does not know."""

    fields: Mapping[str, Mapping[str, Sequence[str] | None]]
    spelled_out: bool = False

    @classmethod
    def read(cls, file: Path, *, spelled_out: bool = False) -> Self:
        """Return the words that a list names."""
        return cls(json.loads(file.read_text("utf-8")), spelled_out)

    def has_model(self, models: Sequence[type[Frozen]]) -> bool:
        """Whether it has one of ``models``."""
        return any(model.__name__ in self.fields for model in models)

    def says(self, models: Sequence[type[Frozen]], data: object) -> bool:
        """Whether it has words for the data of one of ``models``."""
        if not isinstance(data, dict):
            return _is_known((), data)
        model = _model_of(models, data)
        if model is None or model.__name__ not in self.fields:
            return False
        return all(
            self.says_field([model], name, value)
            for name, value in data.items()
            if name in model.model_fields
            and (self.spelled_out or not _is_default(model, name, value))
        )

    def says_field(self, models: Sequence[type[Frozen]], name: str, value: object) -> bool:
        """Whether it has words for the value of a field of one of ``models``."""
        having = (one for one in models if name in self.fields.get(one.__name__, ()))
        model = next(having, None)
        if model is None or name not in model.model_fields:
            return False
        annotation = model.model_fields[name].annotation
        return self._says_value(annotation, self.fields[model.__name__][name], value)

    def _says_value(self, annotation: Any, words: Sequence[str] | None, value: object) -> bool:
        match value:
            case dict() if _is_table(annotation):
                inside = _inside(annotation)
                return all(self._says_value(inside, words, one) for one in value.values())
            case dict() if models := models_in(annotation):
                return self.says(models, value)
            case dict() if _is_text(annotation):
                # A text, or names, by language.
                return value.keys() <= self.fields["Text"].keys()
            case list() | tuple():
                return all(self._says_value(annotation, words, one) for one in value)
        return _is_known(words, value)


FORMATS = tuple(
    Vocabulary.read(Path(__file__).with_name(f"format_{number}.json"))
    for number in range(1, NEWEST)
)


def is_too_new(version: object) -> bool:
    """Whether a file of this format needs a newer site than this one."""
    return isinstance(version, int) and version > NEWEST


def format_needed(data: object, model: type[Frozen] = Book) -> int:
    """Return the lowest format for the data of a rulebook, or of another ``model``."""
    if model is Book and _has_numbers_to_reach(data):
        return NEWEST
    formats = enumerate(FORMATS, start=1)
    return next((number for number, words in formats if words.says([model], data)), NEWEST)


def _has_numbers_to_reach(data: object) -> bool:
    """Whether a cell of a column of numbers is a number to reach ("4+"), which 1.0 cannot read."""

    def rows(owner: object, name: str) -> list[Any]:
        found = owner.get(name) if isinstance(owner, dict) else None
        return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []

    typed = {
        (group.get("key"), column.get("key"))
        for group in rows(data, "groups")
        for column in rows(group, "columns")
        if column.get("kind", "text") != "text"
    }
    for item in rows(data, "items") if typed else ():
        for part in (item, *rows(item, "modes")):
            group, cells = part.get("group") or item.get("group"), part.get("columns")
            for key, written in cells.items() if isinstance(cells, dict) else ():
                is_reached = isinstance(written, str) and REACHED.fullmatch(written.strip())
                if is_reached and (group, key) in typed:
                    return True
    return False


def _is_known(words: Sequence[str] | None, value: object) -> bool:
    """Whether a field that takes ``words`` takes this value. Numbers are not compared."""
    if not isinstance(value, str) or (words is not None and not words):
        return True
    return any(
        re.search(word, value) is not None if word.startswith("^") else word == value
        for word in words or ()
    )


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


def _is_text(annotation: Any) -> bool:
    """Whether a type is, or contains, a text in several languages."""
    is_class = isinstance(annotation, type)
    if is_class and issubclass(annotation, RootModel):
        return True
    return any(map(_is_text, get_args(annotation)))


def _inside(annotation: Any) -> Any:
    """The type of the values of such a table."""
    if get_origin(annotation) is dict:
        return get_args(annotation)[1]
    return next((_inside(one) for one in get_args(annotation) if _is_table(one)), annotation)
