"""Names of new rows, and the kinds to choose from before a row is added."""

from __future__ import annotations

from collections.abc import Collection

from rules.book.vocabulary import Frozen
from rules.editor.forms import key_for, key_sign
from rules.editor.languages import text_of
from rules.editor.places import (
    SOURCES,
    Data,
    Written,
    is_dice_rows,
    models_of,
    name_rows,
)
from rules.editor.text import kind_label


def rename(table: str, answered: Data, row: str) -> str:
    """Return the name that a row of a game has from now on: it may change with its numbers."""
    if table == SOURCES or not (is_dice_rows(table) or "code" in answered):
        return row
    return next(iter(name_rows(table, [answered])))


def is_named(table: str, model: type[Frozen]) -> bool:
    """Whether the rows of a table have names of their own, not only numbers."""
    return table == SOURCES or not {"key", "code"}.isdisjoint(model.model_fields)


def name_new(table: str, model: type[Frozen], answered: Data, taken: Collection[str]) -> str:
    """Return the name of a new row: a key made from its text, or else a number. ``taken``: the
    names of the table's rows, here and in the base."""
    name = answered.get("name") or answered.get("title") or answered.get("text")
    sign = key_sign(model) if "key" in model.model_fields else "-"
    return key_for(text_of(name) if name and is_named(table, model) else "own", taken, sign)


def list_sorts(written: Written, table: str) -> dict[str, str]:
    """The choices before a new row: kinds of items, kinds of limits and so on."""
    if table == "items":
        groups = written.rows("groups").items()
        return {key: text_of(row.get("name", key)) for key, row in groups if isinstance(row, dict)}
    models = models_of(table)
    return {kind: kind_label(table, kind) for kind in models} if len(models) > 1 else {}


def start_row(table: str, sort: str) -> Data:
    """Return the data that a new row of this kind begins with."""
    if not sort:
        return {}
    return {"group" if table == "items" else "kind": sort}
