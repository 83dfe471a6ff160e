"""The columns of a table for rows that are pasted, or that get one value together.

A column is one simple field of a row's form. Its cells are read as the form would read them, but
rows are named by what they are called, with commas between several.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from common.wording.sentences import gettext_noop, say
from common.wording.texts import LONGEST_LINE
from rules.book.suggesting import suggest
from rules.book.vocabulary import Frozen, Selector
from rules.editor.fields import FieldSpec, keys_of, specs
from rules.editor.forms import key_for, key_sign
from rules.editor.languages import in_each, name_language, text_of
from rules.editor.pasted.spreadsheets import EMPTY
from rules.editor.places import Data, is_dice_rows
from rules.editor.refusals import complaint
from rules.editor.row_form import RowForm
from rules.editor.text import label_in

# Fields whose value fits into a cell.
IN_A_CELL = {
    "text", "line", "number", "float", "numbers", "yes", "choice", "choices", "key", "keys",
    "names", "tags", "values", "columns", "formula", "texts", "lines",
}  # fmt: skip
# Fields with rows of their own, which a cell has with this sign between them.
ROWS_IN_A_CELL = {"dice", "grid"}
BETWEEN_ROWS = "|"
# The order of the columns that printed tables usually have, after the needed ones.
USUALLY = ("price", "level", "hands", "values", "columns", "text")
# The column with the kind of each row, and the one with the numbers of a dice table's row.
KIND, ROLL = "kind", "roll"
LONGEST_CELL = 200
SPAN = re.compile(r"(\d{1,3})(?:\s*[-–—]\s*(\d{1,3}))?")


# Finding the nearest name takes long: only the first mistakes of a paste offer it.
MOST_NEAREST = 10

type Known = Mapping[str, tuple[str, str]]


class BadCell(Exception):
    """Raised for a cell that cannot be read; its text says why."""


class UnknownName(BadCell):
    """Raised for a cell with a name that no row has. ``known``: the names of rows."""

    def __init__(self, name: str, known: Known) -> None:
        self.mistake = say(gettext_noop("unknown name “%(name)s”"), name=name[:80])
        super().__init__(complaint(self.mistake))
        self.name, self.known = name[:80], known

    def suggest(self) -> str:
        """Return the sentence with the nearest names."""
        names = dict.fromkeys(name for _key, name in self.known.values())
        return complaint(suggest(self.mistake, self.name, names))


@dataclass(frozen=True)
class Column:
    """One column. ``key``: its name in addresses and forms; ``inner``: the characteristic, column
    or language inside the field; ``is_usual``: whether lines without a heading have it; ``known``:
    the keys and names of the rows or values that it may name, by both in small letters;
    ``example``: a cell with several rows in it, if cells are written so."""

    key: str
    label: str
    spec: FieldSpec
    inner: str = ""
    is_usual: bool = False
    known: Known = field(default_factory=dict)
    example: str = ""


def list_columns(form: RowForm) -> list[Column]:
    """List the columns of the rows that a form is for: the usual ones in order, then others."""
    found = [column for spec in form.specs for column in _columns_of(form, spec)]
    if is_dice_rows(form.table):
        span = next(spec for spec in form.specs if spec.name == "low")
        found = [column for column in found if column.spec.name not in ("low", "high")]
        found.insert(0, Column(ROLL, _("Roll"), span, is_usual=True))
    return sorted(found, key=_place)


def _place(column: Column) -> tuple[int, int]:
    if not column.is_usual:
        return 3, 0
    if column.key == ROLL or (column.spec.needed and column.spec.name != "text"):
        return (0, 0) if column.key in (ROLL, "name") else (1, 0)
    usual = column.spec.name in USUALLY
    return 2, USUALLY.index(column.spec.name) if usual else -1


@cache
def may_paste(table: str, model: type[Frozen]) -> bool:
    """Whether a line can have everything that a row of this model needs."""
    return all(not spec.needed or _fits(spec) for spec in specs(table, model, adding=True))


def _fits(spec: FieldSpec) -> bool:
    if spec.kind == "part":
        return all(issubclass(model, Selector) for model in spec.models.values())
    known = spec.kind in IN_A_CELL or spec.kind in ROWS_IN_A_CELL
    return known or _inner_model(spec) is not None or _pair_model(spec) is not None


def _inner_model(spec: FieldSpec) -> type[Frozen] | None:
    """Return the model of inner rows that need nothing but a name; None for other fields."""
    if spec.kind != "rows" or len(spec.models) != 1:
        return None
    model = next(iter(spec.models.values()))
    needed = {name for name, field in model.model_fields.items() if field.is_required()}
    named = "name" in model.model_fields
    return model if named and needed <= {"key", "name", KIND} and _kind_of(model) else None


def _pair_model(spec: FieldSpec) -> type[Frozen] | None:
    """Return the model of inner rows that need two values, such as a rank and a name; None for
    other fields."""
    if spec.kind != "rows" or len(spec.models) != 1:
        return None
    model = next(iter(spec.models.values()))
    needed = [inner for inner in specs("", model) if inner.needed]
    return model if len(needed) == 2 and all(map(_fits, needed)) else None


def _kind_of(model: type[Frozen]) -> bool:
    """Whether an inner row has a kind by itself, or none."""
    field = model.model_fields.get(KIND)
    return field is None or not field.is_required()


def _columns_of(form: RowForm, spec: FieldSpec) -> Iterator[Column]:
    if not _fits(spec):
        return
    label = label_in(form.model, spec.name)
    usual = spec.needed or spec.name in USUALLY
    if spec.kind in ("values", "columns"):
        if spec.name != "rolled":
            for key, words in form.cells(spec):
                if words:
                    yield Column(f"{spec.name}-{key}", words, spec, key, usual)
    elif spec.kind == "text":
        first, *others = form.languages_in_order()
        yield Column(spec.name, label, spec, first, usual)
        for key in others:
            words = f"{label} ({name_language(key)})"
            yield Column(f"{spec.name}-{key}", words, spec, key)
    else:
        known, example = _list_known(form, spec), _write_example(spec)
        yield Column(spec.name, label, spec, "", usual, known, example)


def _write_example(spec: FieldSpec) -> str:
    """Return a cell with two rows in it; "" for a field that has none."""
    if spec.kind == "dice":
        return _("1-2: Storm | 3-6: Clear")
    if spec.kind == "grid":
        return "2 3 4 | 3 4 5"
    model = None if _inner_model(spec) else _pair_model(spec)
    if model is None:
        return ""
    pair = ": ".join(label_in(model, inner.name) for inner in specs("", model) if inner.needed)
    return f"{pair} {BETWEEN_ROWS} {pair}"


def _list_known(form: RowForm, spec: FieldSpec) -> dict[str, tuple[str, str]]:
    """Return the rows or values that a field may name."""
    if spec.kind == "part":
        named = keys_of(form.written, "ranks")
        pairs = [(key, text_of((row or {}).get("name", key))) for key, row in named]
    elif spec.kind == "names":
        rows = form.written.rows(spec.table).items()
        pairs = [(key, text_of(row.get("name", key))) for key, row in rows]
    elif spec.kind in ("choice", "choices", "key", "keys", "tags"):
        pairs = [(key, str(name)) for key, name in form.choices(spec)]
    else:
        return {}
    known = {key.casefold(): (key, name) for key, name in pairs}
    # Of two rows of one name, the first is meant.
    return known | {name.casefold(): (key, name) for key, name in reversed(pairs)}


def fill_cell(form: RowForm, data: Data, column: Column, typed: str) -> str:
    """Write a cell into a row's data, and return how the page shows it; "" for an empty cell.

    Raises BadCell.
    """
    if typed in EMPTY:
        return ""
    spec = column.spec
    is_long = column.example or spec.kind in ("text", "texts", "names", "formula")
    if len(typed) > (LONGEST_LINE if is_long else LONGEST_CELL):
        raise BadCell(_("this is too long."))
    if column.key == ROLL:
        found = SPAN.fullmatch(typed)
        if found is None:
            raise BadCell(_("enter a number, or two as in “2-5”."))
        low, high = found.groups()
        data["low"], data["high"] = int(low), int(high or low)
        return typed
    if spec.kind == "text":
        data.setdefault(spec.name, {})[column.inner] = typed
        return typed
    if spec.kind in ("values", "columns"):
        value = form.read_cell(spec, column.inner, typed)
        data.setdefault(spec.name, {})[column.inner] = value
        return typed
    try:
        data[spec.name], shown = _read(form, column, typed)
    except ValidationError as wrong:
        raise BadCell(" ".join(wrong.messages)) from None
    return shown


def finish(form: RowForm, data: Data) -> Data:
    """Return a row's data with its texts in each language, and what its form would add."""
    found = dict(data)
    for spec in form.specs:
        if spec.kind == "text" and spec.name in found:
            found[spec.name] = form.complete_text(found[spec.name])
    return form.complete(found)


def _read(form: RowForm, column: Column, typed: str) -> tuple[Any, str]:
    """Read a cell; return its value and how the page shows it. Raises BadCell, ValidationError."""
    spec = column.spec
    model = _inner_model(spec)
    if model is not None:
        return _read_inner(form, model, typed)
    if spec.kind in ROWS_IN_A_CELL:
        return form.value_of_text(spec, typed.replace(BETWEEN_ROWS, "\n")), typed
    model = _pair_model(spec)
    if model is not None:
        return _read_pairs(form, spec, model, typed)
    match spec.kind:
        case "yes":
            return _read_yes(typed)
        case "choice" | "key":
            return _find(typed, column.known)
        case "choices" | "keys" | "names" | "part":
            pairs = [_find(part, column.known) for part in _parts(typed)]
            keys = [key for key, _name in pairs]
            shown = ", ".join(name for _key, name in pairs)
            # A selector picks the ranks that are named.
            return {"ranks": keys} if spec.kind == "part" else keys, shown
        case "tags":
            pairs = [_find_tag(part, column.known) for part in _parts(typed)]
            tags = sorted({key for key, _name in pairs})
            return tags, ", ".join(name for _key, name in pairs)
        case "texts":
            return [in_each(part, form.text_languages) for part in _parts(typed)], typed
        case "lines":
            return _parts(typed), typed
    value = form.value_of_text(spec, typed)
    return value, typed if isinstance(value, list | str) else str(value)


def _parts(typed: str) -> list[str]:
    return [part.strip() for part in typed.split(",") if part.strip()]


def _read_yes(typed: str) -> tuple[bool, str]:
    word = typed.casefold()
    if word in {"yes", "y", "x", "✓", "✔", "true", "1", _("yes").casefold()}:
        return True, _("yes")
    if word in {"no", "n", "false", "0", _("no").casefold()}:
        return False, _("no")
    raise BadCell(_("enter yes or no."))


def _find(typed: str, known: Known) -> tuple[str, str]:
    """Return the key and name of the row that is called so. Raises UnknownName."""
    found = known.get(typed.casefold())
    if found is None:
        raise UnknownName(typed, known)
    return found


def _find_tag(typed: str, known: Known) -> tuple[str, str]:
    """Return the key and name of a tag: a new one is made from its words."""
    found = known.get(typed.casefold())
    return found or (key_for(typed, ()).replace("-", "_"), typed)


def _read_inner(form: RowForm, model: type[Frozen], typed: str) -> tuple[list[Data], str]:
    """Read inner rows by their names, such as the choices of an option."""
    taken: list[str] = []
    rows = []
    for part in _parts(typed):
        rows.append(
            {**_start_inner(model, part, taken), "name": in_each(part, form.text_languages)}
        )
    return rows, typed


def _read_pairs(
    form: RowForm, spec: FieldSpec, model: type[Frozen], typed: str
) -> tuple[list[Data], str]:
    """Read inner rows with two values each ("Ann: Leader | Ned: Fighter"). Raises BadCell."""
    inner = RowForm(
        form.table,
        model,
        form.written,
        {},
        None,
        languages=form.text_languages,
        prefix=spec.name,
        outer=form,
    )
    columns = [next(_columns_of(inner, one), None) for one in inner.specs if one.needed]
    taken: list[str] = []
    rows = []
    for part in typed.split(BETWEEN_ROWS):
        cells = [cell.strip() for cell in part.split(":", 1)]
        if len(cells) != len(columns) or not all(cells):
            raise BadCell(
                _("write each row as in “%(example)s”.") % {"example": _write_example(spec)}
            )
        row = _start_inner(model, cells[0], taken)
        for column, cell in zip(columns, cells, strict=True):
            if column is not None:
                fill_cell(inner, row, column, cell)
        rows.append(finish(inner, row))
    return rows, typed


def _start_inner(model: type[Frozen], name: str, taken: list[str]) -> Data:
    """Return a new inner row with a key made of ``name``, if rows of this model have keys; the key
    is added to those that are ``taken``."""
    if "key" not in model.model_fields:
        return {}
    taken.append(key_for(name, taken, key_sign(model)))
    return {"key": taken[-1]}


@dataclass(frozen=True)
class PastedRow:
    """A line as it was read. ``kind``: that of its row; ``shown``: the labels and texts of its
    cells; ``problems``: in words, without the line; ``missing``: those of them that only a new row
    has; ``given``: the fields that it has cells for, texts in the languages of their cells only;
    ``old``: the name of the row that it changes, "" if it adds one."""

    number: int
    kind: str
    data: Data
    shown: tuple[tuple[str, str], ...]
    problems: tuple[str, ...]
    given: Data
    old: str = ""
    missing: tuple[str, ...] = ()


def read_row(
    form: RowForm,
    kind: str,
    number: int,
    heads: Sequence[Column | None],
    cells: Sequence[str],
    *,
    suggests: bool = True,
) -> PastedRow:
    """Read the cells of one line; ``heads``: the column of each, None for one that is left out;
    ``suggests``: an unknown name offers the nearest."""
    data, shown, problems = dict(form.row), [], []
    failed: set[str] = set()
    for place, typed in enumerate(cells):
        if place >= len(heads):
            problems.append(_("more cells than these rows have columns."))
            break
        column = heads[place]
        if column is None:
            continue
        try:
            words = fill_cell(form, data, column, typed)
        except BadCell as wrong:
            what = str(wrong)
            if suggests and isinstance(wrong, UnknownName):
                what = wrong.suggest()
            values = {"cell": column.label, "what": what}
            problems.append(_("%(cell)s: %(what)s") % values)
            failed.add(column.spec.name)
            # The line shows what was written, so that nothing is lost.
            words = typed
        if words:
            shown.append((column.label, words))
    given = {name: value for name, value in data.items() if form.row.get(name) != value}
    missing = []
    for spec in form.specs:
        # One cell has both numbers of a dice table's row.
        if not spec.needed or spec.name in (*data, *failed, "high") or form.has_default(spec):
            continue
        label = _("Roll") if spec.name == "low" else label_in(form.model, spec.name)
        missing.append(_("%(cell)s is missing.") % {"cell": label})
    return PastedRow(
        number,
        kind,
        finish(form, data),
        tuple(shown),
        (*problems, *missing),
        given,
        missing=tuple(missing),
    )


def find_heads(columns: Sequence[Column], heads: Sequence[str]) -> list[Column | None]:
    """Return the column that each heading names, by its label or key; None for an unknown one, or
    for one that is there twice."""
    known: dict[str, Column] = {}
    for column in columns:
        known.setdefault(column.label.casefold(), column)
    known |= {column.key: column for column in columns}
    taken: set[str] = set()
    found: list[Column | None] = []
    for head in heads:
        named = known.get(head.strip().casefold())
        found.append(named if named and named.key not in taken else None)
        taken |= {named.key} if named else set()
    return found
