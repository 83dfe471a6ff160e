"""Every field of the vocabulary, found in its models, and values for it: sound ones and odd ones.

A new field needs nothing here: its annotation says which values it accepts. A new sort of
annotation raises an error, which fails the test that draws every field.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import annotated_types
from pydantic import StringConstraints
from pydantic.fields import FieldInfo

from rules.book.annotations import marker, markers, models_in
from rules.book.labels import KeyOf
from rules.book.vocabulary import Frozen, Text
from rules.editor.places import LISTS, SINGLES, is_apart, models_of
from tests.hostile.rulebooks.formulas import formula
from tests.hostile.rulebooks.sizes import KEYS, odd_text
from tests.hostile.rulebooks.writing import Base, Data, text

# The place of a row of the vocabulary, its model, and one of its fields.
Place = tuple[str, type[Frozen], str]
# Never written by the author of a variant: the row's own name.
NAMES = ("key", "code", "source")
DEEPEST = 6
# The rows of any dice table, as a place.
DICE_ROWS = "tables.x.rows"
# Patterns of texts, each with a text that matches. A field with another pattern gets its own.
PATTERNS = {
    r"^[a-z][a-z0-9_-]{0,39}$": ("x", "own-key", "a" * 40),
    r"^[a-z][a-z0-9_]{0,39}$": ("x", "n1", "b" * 40),
    r"^\d{1,2}(/[12])?$": ("1", "1/2", "99", "99/2", "0"),
    r"^(\d{1,4}|[1-9]\d?d[1-9]\d?(x[1-9]\d{0,2})?([+-][1-9]\d{0,2})?)$": (
        "1",
        "1d3",
        "9999",
        "99d99",
        "0",
        "2d6x10",
        "1d6-6",
        "99d99x999+999",
    ),
    r"^[1-9]\d?d[1-9]\d?$": ("1d6", "2d6", "99d99", "1d1"),
    r"^([1-9]\d?d[1-9]\d?|d(44|66|88))$": ("1d6", "d66", "d88", "2d99"),
    r"^[1-9]\d?d[1-9]\d? [<>]= \d{1,4}$": ("2d6 >= 9", "1d6 <= 1", "99d99 >= 9999"),
    r"^[A-Z]$": ("W", "Z"),
    r"^[a-z][a-z0-9_]*(\.[a-z_]+)?$": ("cost", "x", "x.dice"),
}
FORMULAS = ("1", "0", "2 + 1", "by.leads()", "1 if by.leads() else 2")
ODD_NUMBERS = (-1, 0, 1, 99, 100, 2**31, 10**9, -(10**9), 10**9 + 1, 2**63, 10**30)


@cache
def places() -> tuple[Place, ...]:
    """Return every field of a row, or of a single value, that a variant can change."""
    tables = [*SINGLES, *LISTS, DICE_ROWS]
    return tuple(
        (table, model, name)
        for table in tables
        for model in dict.fromkeys(models_of(table).values())
        for name in model.model_fields
        if name not in NAMES and not is_apart(table, name)
    )


@cache
def fields() -> frozenset[tuple[str, str]]:
    """Return these fields and the fields inside them, by the names of model and field."""
    found: set[tuple[str, str]] = set()
    waiting = [model for _table, model, _name in places()]
    known: set[type[Frozen]] = set()
    apart = {
        (model, name)
        for table in (*LISTS, *SINGLES)
        for model in models_of(table).values()
        for name in model.model_fields
        if is_apart(table, name) and table != "tables"
    }
    while waiting:
        model = waiting.pop()
        if model in known:
            continue
        known.add(model)
        for name, field in model.model_fields.items():
            if (model, name) not in apart:
                found.add((_name(model), name))
                waiting += models_in(field.annotation)
    return frozenset(found)


class Maker:
    """Makes values from annotations. ``odd``: the probability that a part is odd; ``seen``: the
    fields that were made, by the names of model and field.
    """

    def __init__(self, dice: Random, on: Base, odd: float = 0.0) -> None:
        self.dice, self.on, self.odd = dice, on, odd
        self.seen: set[tuple[str, str]] = set()

    def row(self, table: str, model: type[Frozen], key: str) -> Data:
        """Return a new row of a table, all of whose parts are made."""
        data = self.model(model)
        for name in ("key", "code"):
            if name in model.model_fields:
                data[name] = key
        return data

    def model(self, model: type[Frozen], depth: int = 0) -> Data:
        """Return a value of a model: its required fields, and some optional ones."""
        if hasattr(model, "word"):
            # The word of a step is its first key, which identifies it.
            ordered = sorted(model.model_fields.items(), key=lambda each: each[0] != model.word)
        else:
            ordered = list(model.model_fields.items())
        wanted = 0.6 if depth < 2 else 0.3
        return {
            name: self.field(model, name, depth)
            for name, field in ordered
            if field.is_required() or (self.dice.random() < wanted and self._may_be(field))
        }

    def field(self, model: type[Frozen], name: str, depth: int = 0) -> Any:
        """Return a value for a field of a model."""
        self.seen.add((_name(model), name))
        if name == "source":
            return "house"
        if name in ("when", "sold_when") and self.dice.random() >= self.odd:
            return self._when()
        if name == "house" and self.dice.random() >= self.odd:
            return self.dice.sample(["name"], self.dice.randrange(2))
        field = model.model_fields[name]
        return self.value(field.annotation, field.metadata, depth + 1)

    def value(self, annotation: Any, metadata: list[Any], depth: int) -> Any:  # noqa: PLR0911
        """Return a value of a type."""
        origin, arguments = get_origin(annotation), get_args(annotation)
        if origin is Annotated:
            return self.value(arguments[0], [*metadata, *_flat(arguments[1:])], depth)
        if origin in (Union, types.UnionType):
            arms = [arm for arm in arguments if arm is not type(None)]
            if len(arms) < len(arguments) and self.dice.random() < 0.1:
                return None
            return self.value(self._arm(arms, depth), metadata, depth)
        if origin is Literal:
            return self._odd(lambda: self.dice.choice(("", "x", 1, None))) or self.dice.choice(
                arguments
            )
        if origin in (tuple, frozenset):
            return self._list(arguments, metadata, depth)
        if origin is dict:
            return self._table(arguments, depth)
        if annotation is Text:
            return self._words()
        if isinstance(annotation, type) and issubclass(annotation, Frozen):
            return self.model(annotation, depth)
        return self._plain(annotation, metadata)

    def _words(self) -> Any:
        """Return a text in both languages, or rarely something that is not quite one."""
        made: Any = text(self._text())
        odd = ({"en": made["en"]}, {**made, "fr_own": self._text()}, {**made, "de": "x"}, "x", {})
        return made if self.dice.random() < 0.9 else self.dice.choice(odd)

    def _when(self) -> Data:
        """Return a condition: an option of the rulebook, and some of its choices."""
        rows = self.on.written.rows("settings")
        choices = {key: row["choices"] for key, row in rows.items() if "choices" in row}
        if not choices or self.dice.random() < 0.3:
            return {}
        key = self.dice.choice(sorted(choices))
        return {key: [self.dice.choice(choices[key])["key"]]}

    def _may_be(self, field: FieldInfo) -> bool:
        """Whether the rulebook has rows that a field may name, or the field may name none. An odd
        value may name what does not exist."""
        key_of = marker(field, KeyOf)
        if key_of is None or field.default == () or self._known(key_of.table):
            return True
        return self.dice.random() < self.odd

    def _odd(self, make: Callable[[], Any]) -> Any:
        return make() if self.dice.random() < self.odd else None

    def _arm(self, arms: list[Any], depth: int) -> Any:
        """Return one of several types: deep inside a value, a type without parts."""
        if depth >= DEEPEST:
            arms = sorted(arms, key=lambda arm: len(_lists_inside(arm)))[:2]
        return self.dice.choice(arms)

    def _list(self, arguments: tuple[Any, ...], metadata: list[Any], depth: int) -> list[Any]:
        inner = [arm for arm in arguments if arm is not Ellipsis]
        if len(inner) > 1:
            return [self.value(arm, metadata, depth) for arm in inner]
        low = max(
            (mark.min_length for mark in metadata if isinstance(mark, annotated_types.MinLen)),
            default=0,
        )
        key_of = next((mark for mark in markers(inner[0]) if isinstance(mark, KeyOf)), None)
        if key_of is not None and not self._known(key_of.table):
            return []
        high = max(low, 1 if depth >= DEEPEST else self.dice.choice((0, 1, 2, 3)))
        if self.dice.random() < self.odd:
            high = self.dice.choice((0, 13, 60, 400)) if depth < 3 else 13
            return [self.value(inner[0], metadata, DEEPEST)] * high
        return [self.value(inner[0], metadata, depth) for _ in range(high)]

    def _table(self, arguments: tuple[Any, ...], depth: int) -> Data:
        many = self.dice.choice((0, 1, 2))
        if self.dice.random() < self.odd:
            many = 40
        made = (
            (self.value(arguments[0], [], depth), self.value(arguments[1], [], depth))
            for _ in range(many)
        )
        return {str(key): value for key, value in made}

    def _plain(self, annotation: Any, metadata: list[Any]) -> Any:
        if annotation is bool:
            return self.dice.random() < 0.5
        if annotation in (int, float):
            return self._number(metadata, whole=annotation is int)
        if annotation is str:
            return self._string(metadata)
        raise NotImplementedError(f"a value of {annotation}")

    def _number(self, metadata: list[Any], *, whole: bool) -> Any:
        low, high = -5, 12
        for mark in metadata:
            low = getattr(mark, "ge", getattr(mark, "gt", low))
            high = getattr(mark, "le", getattr(mark, "lt", high))
        found = self.dice.choice((low, low + 1, high, high - 1, 0, 1, 2, 3))
        # Just beyond the annotation's limit, and far beyond.
        found = self._odd(lambda: self.dice.choice((low - 1, high + 1, *ODD_NUMBERS))) or found
        return found if whole else float(found)

    def _string(self, metadata: list[Any]) -> Any:
        marks = {type(mark): mark for mark in metadata}
        if self.dice.random() < self.odd:
            return self.dice.choice(
                (odd_text(self.dice), self.dice.choice(KEYS), formula(self.dice))
            )
        if KeyOf in marks:
            return self._key(marks[KeyOf].table)
        pattern = next((mark.pattern for mark in metadata if getattr(mark, "pattern", None)), None)
        if pattern is not None:
            return self.dice.choice(PATTERNS[str(pattern)])
        if any(isinstance(mark, StringConstraints) and mark.max_length == 500 for mark in metadata):
            return self.dice.choice(FORMULAS)
        return self._text()

    def _text(self) -> str:
        return self.dice.choice(("Old Tom", "x", "word " * 40, "1", "–"))

    def _key(self, table: str) -> str:
        return self.dice.choice(self._known(table) or ["nothing"])

    def _known(self, table: str) -> list[str]:
        """Return the keys of a table's rows, or their tags."""
        name = table.removeprefix("tag:")
        if name == table:
            return self.on.keys(table)
        rows = self.on.written.rows(name).values()
        return sorted({tag for row in rows for tag in row["tags"]})


def _flat(marks: Any) -> Iterator[Any]:
    """Return the metadata, including that of a ``Field``."""
    for mark in marks:
        if isinstance(mark, FieldInfo):
            yield from mark.metadata
        else:
            yield mark


def _lists_inside(arm: Any) -> list[type[Frozen]]:
    """Return the models inside a type of a union."""
    return [
        inner
        for model in models_in(arm)
        for field in model.model_fields.values()
        for inner in models_in(field.annotation)
    ]


def _name(model: type[Frozen]) -> str:
    """Return a model's name with its module, since models of different modules may share a name."""
    return f"{model.__module__.rpartition('.')[2]}.{model.__name__}"
