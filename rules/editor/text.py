"""Sentences of the editor, in the reader's language: tables, rows, differences, mistakes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from common.wording.sentences import Label
from common.wording.translating import translate
from rules.book.annotations import marker
from rules.book.labels import KeyOf, Values
from rules.book.rolls import STEPS
from rules.book.vocabulary import Frozen
from rules.editor.data import Basics
from rules.editor.fields import of_field
from rules.editor.inner_labels import FIELDS, STEP_KINDS
from rules.editor.languages import is_text, text_of
from rules.editor.overlay import Change, Misfit, SetStatus, Wrong
from rules.editor.places import (
    SOURCES,
    TABLES,
    Data,
    Difference,
    Written,
    dice_table,
    is_dice_rows,
    model_of,
    models_of,
)
from rules.editor.refusals import MISFITS, complaint
from rules.loading.check_rolls import PARTS

LONGEST = 140
# The tables that only games have: their names, and the labels for adding a row.
OWN_NAMES: dict[str, tuple[Promise, Promise]] = {
    "archetypes": (gettext_lazy("Ready-made recruits"), gettext_lazy("Add a ready-made recruit")),
    "samples": (gettext_lazy("Ready-made gangs"), gettext_lazy("Add a ready-made gang")),
    SOURCES: (gettext_lazy("Sources"), gettext_lazy("Add a source")),
}
# Better labels for some parts of values.
INSIDE: dict[str, Promise] = {"given": gettext_lazy("Only if")}


@dataclass(frozen=True)
class Changed:
    """A change of a row: its label, the old and the new value in words."""

    what: str
    old: str
    new: str


@dataclass(frozen=True)
class DifferenceLine:
    """A difference in words: the row's name and its changes; empty for a whole row."""

    name: str
    changes: tuple[Changed, ...]
    difference: Difference
    kind: str


def short(text: str) -> str:
    """Cut a long text."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"


def price_unit(written: Written) -> str:
    """Return the unit of prices."""
    row = written.row("money") or written.row("rating") or {}
    return text_of(row.get("unit", ""))


def row_name(written: Written, table: str, key: str) -> str:
    """Return the name of a row; its key if there is no such row."""
    row = written.row(table, key)
    return text_of(row.get("name", "")) if row else key


def table_label(written: Written, table: str) -> str:
    """Return the name of a table; "" for the game's name and words, which have none."""
    if not table:
        return _("Name and words")
    if is_dice_rows(table):
        return row_name(written, "tables", dice_table(table))
    if table in OWN_NAMES:
        return str(OWN_NAMES[table][0])
    return translate(TABLES[table].name) if table in TABLES else table


def add_label(table: str) -> str:
    """Return the label for adding a row to a table."""
    if is_dice_rows(table):
        return _("Add a row")
    return str(OWN_NAMES[table][1]) if table in OWN_NAMES else translate(TABLES[table].add)


def row_label(table: str, data: Data | None, row: str = "") -> str:
    """Return the label of a row: its name, its sentence or its numbers."""
    if not isinstance(data, dict):
        return row
    if is_dice_rows(table):
        low, high = data.get("low"), data.get("high")
        span = f"{low}" if low == high else f"{low}–{high}"
        return f"{span} · {text_of(data.get('name', ''))}"
    if table in OWN_NAMES:
        return text_of(data.get("name") or data.get("title") or row)
    for key in ("name", "text"):
        if isinstance(data.get(key), dict):
            return short(text_of(data[key]))
    if table == "budgets" and data.get("amount") is not None:
        return _("A budget of %(amount)s") % {"amount": data["amount"]}
    return translate(TABLES[table].name) if table in TABLES else row


def field_label(table: str, field: str) -> str:
    """Return the label of a field."""
    if not table and field in Basics.model_fields:
        return label_in(Basics, field)
    label = of_field(table, field, Label)
    return translate(label) if label else field.replace("_", " ")


def label_in(model: type[Frozen], field: str) -> str:
    """Return the label of a field of a model."""
    label = marker(model.model_fields[field], Label) or FIELDS.get(field)
    return translate(label) if label else field.replace("_", " ")


def value_label(table: str, field: str, value: str) -> str:
    """Return the label of a value of a field."""
    values = of_field(table, field, Values)
    return translate(values.labels[value]) if values and value in values.labels else value


def place_label(written: Written, table: str, field: tuple[str, ...], data: Data) -> str:
    """Return the label of a field, or of a value inside it."""
    if len(field) > 1 and field[0] == "values":
        return row_name(written, "characteristics", field[1])
    if len(field) > 1 and field[0] == "costs":
        return row_name(written, "currencies", field[1])
    if len(field) > 1 and field[0] == "columns":
        group = written.row("groups", str(data.get("group"))) or {}
        for column in group.get("columns", []):
            if isinstance(column, dict) and column.get("key") == field[1]:
                return text_of(column.get("name", ""))
        return field[1]
    return field_label(table, field[0]) if field else ""


def value_text(written: Written, table: str, field: tuple[str, ...], value: Any) -> str:
    """Describe a value."""
    if value is None or value in ("", [], {}):
        return "–"
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if is_text(value):
        return short(text_of(value))
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return short(", ".join(_key_text(written, table, field, part) for part in value))
    if isinstance(value, dict | list):
        return short(json.dumps(value, ensure_ascii=False))
    if isinstance(value, str):
        return short(_key_text(written, table, field, value))
    return str(value)


def _key_text(written: Written, table: str, field: tuple[str, ...], value: str) -> str:
    if len(field) > 1:
        return value
    key_of = of_field(table, field[0], KeyOf)
    row = written.row(key_of.table, value) if key_of else None
    if row is not None and "name" in row:
        return text_of(row["name"])
    if key_of and value in key_of.also:
        return translate(key_of.also[value])
    if field[0] == "tags" or (key_of and key_of.table.startswith("tag:")):
        return tag_label(written, value)
    return value_label(table, field[0], value)


def tag_label(written: Written, tag: str) -> str:
    """Return the name of a tag, or else the tag in plain words."""
    row = written.row("tags", tag)
    return text_of(row.get("name", "")) if row else tag.replace("_", " ").replace("-", " ")


def difference_line(written: Written, difference: Difference) -> DifferenceLine:
    """Describe a difference."""
    name = row_label(difference.table, difference.data, difference.row)
    if difference.kind != "changed":
        return DifferenceLine(name, (), difference, difference.kind)
    table, field = difference.table, difference.field
    what = place_label(written, table, field, difference.data)
    kind = str(difference.new) if field == ("status",) else "changed"
    changes = tuple(
        Changed(
            " · ".join((what, *place)),
            value_text(written, table, field, old),
            value_text(written, table, field, new),
        )
        for place, old, new in _inside(difference.old, difference.new)
    )
    return DifferenceLine(name, changes, difference, kind)


type Inside = Iterator[tuple[tuple[str, ...], Any, Any]]


def _inside(old: Any, new: Any) -> Inside:
    """Yield the changes inside a value, each with its path in words, so that one changed number
    among many steps is visible."""
    if _is_table(old) and _is_table(new):
        for key in [*old, *(key for key in new if key not in old)]:
            if old.get(key) != new.get(key):
                label = str(INSIDE.get(key, key.replace("_", " ")))
                for place, was, now in _inside(old.get(key), new.get(key)):
                    yield (label, *place), was, now
    elif _are_tables(old) and _are_tables(new):
        yield from _among(old, new)
    else:
        yield (), old, new


def _among(old: list[Data], new: list[Data]) -> Inside:
    """Yield the changes in a list of tables: parts added or removed, and changes inside parts."""
    before, after = ([json.dumps(part, sort_keys=True) for part in parts] for parts in (old, new))
    for _tag, start, end, begin, stop in SequenceMatcher(None, before, after).get_opcodes():
        for was, now in zip_longest(old[start:end], new[begin:stop]):
            if was == now:
                continue
            label = _part_label(was or now)
            for place, one, other in _inside(was, now) if was and now else [((), was, now)]:
                yield (label, *place), one, other


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) and not is_text(value)


def _are_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_table, value))


def _part_label(part: Data) -> str:
    """Return the label of a part of a list: its name, or the first word that describes it."""
    if isinstance(part.get("name"), dict):
        return text_of(part["name"])
    words = (*(step.word for step in STEPS), "kind", "key", "of")
    return next((str(part[word]) for word in words if word in part), "…")


def group_differences(
    written: Written, differences: Iterable[Difference]
) -> list[tuple[str, list[DifferenceLine]]]:
    """Group differences under the names of their tables."""
    tables: dict[str, list[DifferenceLine]] = {}
    for difference in differences:
        line = difference_line(written, difference)
        tables.setdefault(table_label(written, difference.table), []).append(line)
    return list(tables.items())


def wrong_text(written: Written, wrong: Wrong) -> str:
    """Describe a mistake with its place."""
    if not wrong.table and wrong.field and wrong.field[0] in Basics.model_fields:
        values = {"place": label_in(Basics, wrong.field[0]), "what": complaint(wrong.message)}
        return _("%(place)s: %(what)s") % values
    row = written.row(wrong.table, wrong.row)
    parts = [table_label(written, wrong.table) if wrong.table else ""]
    if wrong.row:
        parts.append(row_label(wrong.table, row, wrong.row))
    if wrong.field:
        parts.append(place_label(written, wrong.table, wrong.field[:2], row or {}))
    place = ", ".join(filter(None, parts))
    what = complaint(wrong.message, name_words(model_of(wrong.table, row or {})))
    if wrong.row:
        what = _without_key(what, wrong.row)
    return _("%(place)s: %(what)s") % {"place": place, "what": what}


def _without_key(words: str, key: str) -> str:
    """Leave out the key at the start of a note, because the place has the row's name already."""
    lead = (_("“%(key)s” %(what)s") % {"key": key, "what": ""}).strip()
    rest = words.removeprefix(lead).lstrip()
    return rest[:1].upper() + rest[1:]


def name_words(model: type[Frozen] | None) -> Callable[[str], str]:
    """Return the function that names words of the vocabulary as the form of such a row does."""

    def name(word: str) -> str:
        if model is not None and word in model.model_fields:
            return label_in(model, word)
        if word in TABLES and "." in word:
            return translate(TABLES[word].name)
        if word in FIELDS:
            return translate(FIELDS[word])
        return kind_label("campaign.steps", word) if word in models_of("campaign.steps") else word

    return name


def list_formula_names(written: Written, row: Data) -> list[tuple[str, str]]:
    """List names that formulas of a row may read, each with its meaning: first those that its own
    steps bind."""
    found: dict[str, str] = {}
    for step in row.get("steps") or ():
        found |= _names_of_step(step) if isinstance(step, dict) else {}
    for subject, words in (
        ("by", _("%(name)s of the figure")),
        ("at", _("%(name)s of the target")),
    ):
        for key, one in written.rows("characteristics").items():
            name = {"name": text_of(one.get("name", ""))}
            found[f"{subject}.{key}".replace("-", "_")] = words % name
    for group in written.rows("groups").values():
        for column in group.get("columns") or ():
            if isinstance(column, dict) and column.get("kind", "text") not in ("text", "tick"):
                key = f"item.{column.get('key')}".replace("-", "_")
                found[key] = _("%(name)s of the weapon") % {"name": text_of(column.get("name", ""))}
    for key, one in written.rows("circumstances").items():
        found[key.replace("-", "_")] = text_of(one.get("name", ""))
    return [*found.items()]


def _names_of_step(step: Data) -> dict[str, str]:
    """Return the names that a step binds for later ones, with the word of the step."""
    word = next((kind.word for kind in STEPS if step.get(kind.word)), "")
    name = step.get(word) if word not in ("", "end", "use") else None
    if not isinstance(name, str):
        return {}
    words = translate(STEP_KINDS[word]) if word in STEP_KINDS else word
    return {name: words} | {f"{name}.{part}": words for part in sorted(PARTS.get(word, ()))}


def misfit_text(written: Written, misfit: Misfit) -> str:
    """Describe a change that does not fit, with the reason."""
    return _("%(change)s: %(why)s.") % {
        "change": change_text(written, misfit.change),
        "why": MISFITS.get(misfit.why, misfit.why),
    }


def change_text(written: Written, change: Change) -> str:
    """Describe a change, even if the rulebook has no such row."""
    table = table_label(written, change.table)
    data = change.data if change.kind == "add" else written.row(change.table, change.row)
    name = row_label(change.table, data, change.row)
    if isinstance(change, SetStatus):
        removed = change.status == "removed"
        what = _("removed") if removed else value_label("items", "status", change.status)
    elif change.kind == "set":
        value = value_text(written, change.table, change.field, change.value)
        what = f"{place_label(written, change.table, change.field, data or {})} → {value}"
    else:
        what = _("added")
    return ", ".join(filter(None, [table, name, what]))


def kind_label(table: str, kind: str) -> str:
    """Return the label of a kind of row."""
    model = models_of(table).get(kind)
    values = marker(model.model_fields["kind"], Values) if kind and model else None
    return translate(values.labels[kind]) if values else kind.replace("_", " ")
