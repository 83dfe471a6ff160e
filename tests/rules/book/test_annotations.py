"""Annotations of the vocabulary's fields: each key says which rows it names."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

from pydantic import StringConstraints

from rules.book.annotations import marker, markers, models_in
from rules.book.labels import KeyOf
from rules.book.model import Book
from rules.book.vocabulary import Frozen, Key
from tests.rules.small import small

PATTERN = Key.__metadata__[0].pattern
# Keys that name no row of a table: a row's own key, and keys with a separate check.
OTHERS = {
    "Book.slug",
    "Book.origin_setting",
    "Book.sources",
    "ChoiceSetting.default",
    "Worded.start",
    "Rank.values",
    "Rank.rolled",
    "Item.columns",
    "RollsOn.rerolling",
    "Sample.key",
    "Choice.key",
    "Column.key",
    "Mode.key",
    "Mode.columns",
    "Fitting.columns",
    "Fitting.adds",
    # A role of the scenario.
    "NonPlayer.key",
    "NonPlayer.run_by",
    "Lead.winner",
    # Characteristics or boxes to tick.
    "Activation.track",
    "Spend.track",
    "Sets.track",
    "Changes.track",
}


def reached(model: type[Frozen], seen: set[type[Frozen]]) -> Iterator[type[Frozen]]:
    """Yield ``model`` and every model that it is made of."""
    if model not in seen:
        seen.add(model)
        yield model
        for field in model.model_fields.values():
            for inner in models_in(field.annotation):
                yield from reached(inner, seen)


MODELS = sorted(reached(Book, set()), key=lambda model: model.__name__)
KEYS = {
    f"{model.__name__}.{name}": marker(field, KeyOf)
    for model in MODELS
    for name, field in model.model_fields.items()
    if any(
        isinstance(mark, StringConstraints) and mark.pattern == PATTERN for mark in markers(field)
    )
}


def test_every_key_field_names_its_rows() -> None:
    rows = {f"{model.__name__}.key" for model in MODELS if "source" in model.model_fields}
    silent = {name for name, key_of in KEYS.items() if key_of is None}
    conditions = {name for name in silent if name.endswith(("when", ".tags"))}
    assert silent - rows - conditions == OTHERS


def test_a_key_field_names_an_existing_table() -> None:
    for name, key_of in KEYS.items():
        if key_of:
            table = attrgetter(key_of.table.removeprefix("tag:"))(small())
            assert isinstance(table, tuple), name
            # A book may name a mark that its campaign does not have.
            assert key_of.what or key_of.number or name in ("Recruiting.cap", "Out.mark")
