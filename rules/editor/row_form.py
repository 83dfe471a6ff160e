"""The form of a row of a rulebook, made from the row's model in the vocabulary."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.utils import ErrorDict
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.language import language
from common.forms import INVALID, OK, PlainField, helper
from common.wording.texts import FIRST, LONGEST_LINE, OWN_KEY, USUAL, needed, text_keys
from common.wording.translating import translate
from rules.book.rolls import Roll, Step
from rules.book.schema import Fitting
from rules.book.vocabulary import Frozen
from rules.editor.fields import FieldSpec, keys_of, specs, tags_of
from rules.editor.forms import (
    ColourField,
    DiceRowsField,
    FormulaField,
    FormulasField,
    GridField,
    KeyNamesField,
    LinesField,
    NumbersField,
    PairsField,
    find_choice,
    find_width,
    keep_rows,
    key_for,
    make_line,
    name_outcomes,
    tidy,
)
from rules.editor.inner import Part
from rules.editor.inner_labels import find_hint
from rules.editor.languages import in_each, name_language, text_of
from rules.editor.overlay import Wrong
from rules.editor.places import ORDERED, Data, Written, fill_defaults, source_of_new
from rules.editor.refusals import complaint
from rules.editor.text import (
    label_in,
    name_words,
    price_unit,
    row_label,
    tag_label,
)
from rules.loading.check_rolls import FORMULAS

# Kinds of fields with boxes to tick.
TICKED = ("tags", "keys", "choices")
# The most boxes to tick; more rows are named one a line. A selector asks for ranks four times.
MOST_BOXES = 100
# The fields of a roll's step that are shown in any case: of the others, few are used.
OFTEN = {"given", "dice", "sides", "target", "keep", "plus", "column", "times", "until"}


class RowForm(forms.Form):
    """A row of a rulebook: one or more fields for each field of its model."""

    helper = helper()
    # A field inside a folded part that is left out would stop the browser, which cannot show it.
    use_required_attribute = False

    def __init__(
        self,
        table: str,
        model: type[Frozen],
        written: Written,
        row: Data,
        data: QueryDict | None,
        *,
        adding: bool = False,
        languages: Sequence[str] = USUAL,
        prefix: str | None = None,
        outer: RowForm | None = None,
    ) -> None:
        """``row``: its data now; ``adding``: it is a new row, and this is all that is known;
        ``languages``: those of the rulebook's texts; ``outer``: the form that this one is in."""
        super().__init__(data, prefix=prefix)
        self.table, self.written, self.row, self.adding = table, written, row, adding
        self.model, self.text_languages, self.given, self.outer = model, languages, data, outer
        self.defaults = fill_defaults(model, {})
        known = specs("" if outer else table, model, adding=adding)
        self.specs = [spec for spec in known if self._is_shown(spec)]
        self.simple: list[str] = []
        self.second: list[str] = []
        self.second_languages: list[str] = []
        self.folded_names: list[str] = []
        self.ticked: dict[str, list[str]] = {}
        self.parts: dict[str, Part] = {}
        self.warnings: dict[str, list[str]] = {}
        # Of a form in a list: its place, its first row, its kind. No field may have these names.
        self.place_number, self.began_with, self.kind_key, self.kind_words = 0, "", "", ""
        for spec in self.specs:
            self._add(spec)
        if not outer:
            self._explain()
        if adding:
            self._begin()

    # Fields -------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Focus the first field of a new row, and add the field for its place."""
        self.fields[self.simple[0]].widget.attrs["autofocus"] = True
        if "level" in self.fields:
            self.fields["level"].help_text = _("Empty: same as the price.")
        if self.table in ORDERED:
            named = self.written.rows(self.table).items()
            rows = [(name, row_label(self.table, row, name)) for name, row in named]
            field = forms.ChoiceField(label=_("Placed before"), required=False)
            field.choices = [("", _("at the end")), *rows]
            self._simple("stands_before", field)

    def _explain(self) -> None:
        """Add the hints beside the fields that need one."""
        for spec in self.specs:
            hint = find_hint(self.table, spec.name, str(self.row.get("kind", "")))
            for name in (spec.name, *(f"{spec.name}_{key}" for key in self._text_keys())):
                if hint and name in self.fields:
                    self.fields[name].help_text = hint

    def stands_before(self) -> str:
        """Return the row to put a new one before; "" for the end."""
        return str(self.cleaned_data.get("stands_before", ""))

    def _is_shown(self, spec: FieldSpec) -> bool:
        """Whether a field makes sense: boxes that exist, a worth that counts, the values of this
        kind of item."""
        if spec.kind in TICKED and spec.kind != "tags" and not self.choices(spec):
            return False
        if spec.kind in ("when", "settings"):
            return bool(self._settings(spec))
        if self.outer:
            return spec.name != "kind" or len(spec.values) > 1
        rating = self.written.row("rating") or {}
        if spec.name == "worth" and rating.get("counts") != "worth":
            return False
        if self.table != "items":
            return True
        group = self.written.row("groups", str(self.row.get("group"))) or {}
        if spec.name == "level":
            return group.get("level_against") is not None or self.row.get("level") is not None
        if spec.name == "hands":
            known = (item.get("hands") is not None for item in (self.row, *self._alike()))
            return bool(group.get("slots")) or any(known)
        return spec.name != "group"

    def _alike(self) -> Iterator[Data]:
        """Return the rows of the table; for items, only rows of the same kind."""
        rows = self.written.rows(self.table).values()
        return (row for row in rows if row.get("group") == self.row.get("group"))

    def _add(self, spec: FieldSpec) -> None:
        label, value = label_in(self.model, spec.name), self.row.get(spec.name)
        match spec.kind:
            case "text":
                self._add_text(spec, label, value)
            case "values" | "columns":
                for key, cell_label in self.cells(spec):
                    if (said := self._said_of_cell(spec)) is not None:
                        cell_label = said % {"name": cell_label}
                    field = PlainField(
                        label=cell_label,
                        max_length=40 if spec.kind == "values" else 80,
                        required=False,
                        initial=text_of((value or {}).get(key, "")),
                    )
                    if spec.name == "values":
                        start = (self.written.row("characteristics", key) or {}).get("start")
                        field.widget.attrs["placeholder"] = "" if start is None else str(start)
                    self._simple(f"{spec.name}-{key}", field)
                    if spec.name == "rolled" and not field.initial:
                        self.folded_names.append(self.simple.pop())
            case "when" | "settings":
                self.ticked[spec.name] = []
                for key, option in self._setting_fields(spec, value or {}):
                    name = f"{spec.name}-{key}"
                    self.fields[name] = option
                    self.ticked[spec.name].append(name)
            case "part" | "rows":
                default = None if self.adding and spec.optional else self.defaults.get(spec.name)
                self.parts[spec.name] = Part(self, spec, default if value is None else value)
            case "texts":
                self._add_texts(spec, label, value)
            case "ordered":
                self._add_ordered(spec, label, value)
            case "tags":
                if self.choices(spec):
                    plain = self._plain(spec, label)
                    plain.initial = value or ()
                    self._simple(spec.name, plain)
                field = PlainField(max_length=200, required=False)
                field.label = _("New properties, with commas between them")
                self._simple(f"{spec.name}-new", field)
            case _:
                plain = self._plain(spec, label)
                usual = self.defaults.get(spec.name)
                plain.initial = usual if value is None else value
                self._simple(spec.name, plain)
                is_seldom = issubclass(self.model, Step) and spec.name not in OFTEN
                if spec.name in ("lacks", "traits") and self.table == "ranks" and not value:
                    self.folded_names.append(self.simple.pop())
                if is_seldom and not spec.needed and value in (None, usual):
                    self.folded_names.append(self.simple.pop())

    def _simple(self, name: str, field: forms.Field) -> None:
        if name in FORMULAS and isinstance(field, PlainField):
            # The page offers names beside it.
            field.widget.attrs["data-formula"] = True
        self.fields[name] = field
        self.simple.append(name)

    def _said_of_cell(self, spec: FieldSpec) -> str | None:
        """The label of each cell in a table of values, with a place for its name; None if the name
        is enough."""
        said = {"rolled": _("Rolled: %(name)s"), "costs": _("Costs: %(name)s")}
        if self.model is Fitting:
            said |= {"adds": _("Adds to %(name)s"), "columns": _("Replaces %(name)s")}
        return said.get(spec.name)

    def cells(self, spec: FieldSpec) -> list[tuple[str, str]]:
        """List the keys and labels in a table of values."""
        if spec.name == "costs":
            rows = self.written.rows("currencies")
        elif self.model is Fitting:
            # The columns of every kind of item that it may be fitted to.
            groups = self.written.rows("groups").values()
            cells = [one for group in groups for one in group.get("columns") or ()]
            rows = {
                str(one.get("key")): one
                for one in cells
                if isinstance(one, dict)
                and (spec.name != "adds" or one.get("kind") in ("number", "length"))
            }
        elif spec.kind == "values":
            rows = self.written.rows("characteristics")
            if spec.name == "rolled":
                rows = {key: row for key, row in rows.items() if row.get("kind") == "number"}
        else:
            kind = self.row.get("group") or (self.outer and self.outer.row.get("group"))
            group = self.written.row("groups", str(kind)) or {}
            columns = group.get("columns") or []
            rows = {str(one.get("key")): one for one in columns if isinstance(one, dict)}
        if spec.name == "points":
            rows = {key: row for key, row in rows.items() if row.get("bought_with_points")}
        return [(key, text_of(row.get("name", ""))) for key, row in rows.items()]

    def _add_text(self, spec: FieldSpec, label: str, value: Any) -> None:
        languages = self._text_keys_in_order()
        mine, is_alone = languages[0], len(self.text_languages) == 1
        self.second_languages = [key for key in languages[1:] if not key.endswith(OWN_KEY)]
        value = in_each(value, self.text_languages) if isinstance(value, dict | str) else {}
        for key in languages:
            # Abbreviations in several languages have another field; other texts only if it is
            # filled.
            is_own = key.endswith(OWN_KEY)
            if is_own and not (value.get(key) or (spec.name == "short" and not is_alone)):
                continue
            name = f"{spec.name}_{key}"
            initial = str(value.get(key) or "")
            is_needed = spec.needed and is_alone and not is_own
            field = PlainField(max_length=LONGEST_LINE, required=is_needed, initial=initial)
            field.label = f"{label} ({name_language(key)})" if key != mine else label
            if spec.long:
                lines = 2 + len(initial) // 90
                field.widget = forms.Textarea(attrs={"rows": min(lines, 8)})
            self.fields[name] = field
            # The fields for the other languages of a new row are folded away.
            later = key != mine and self.adding
            (self.second if later else self.simple).append(name)

    def _text_keys_in_order(self) -> list[str]:
        """The keys of a text, the reader's language first, abbreviations last."""
        mine = next((one for one in text_keys(language()) if one in self.text_languages), "")
        return sorted(self._text_keys(), key=lambda key: (key.endswith(OWN_KEY), key != mine))

    def languages_in_order(self) -> list[str]:
        """Return the languages of the rulebook's texts, the reader's first."""
        return [key for key in self._text_keys_in_order() if not key.endswith(OWN_KEY)]

    def _add_ordered(self, spec: FieldSpec, label: str, value: Any) -> None:
        """Add a choice for each place of an ordered list, and one more."""
        chosen = list(value or self.defaults.get(spec.name) or [])
        listed = [("", "–"), *self.choices(spec)]
        for place in range(max(len(spec.values), len(chosen) + 1)):
            later = _("%(label)s, then") % {"label": label} if place else label
            field = forms.ChoiceField(label=later, choices=listed)
            field.required = spec.needed and not place
            field.initial = chosen[place] if place < len(chosen) else ""
            self._simple(f"{spec.name}-{place}", field)

    def _add_texts(self, spec: FieldSpec, label: str, value: Any) -> None:
        languages = self.text_languages
        texts = [in_each(text, languages) for text in value or () if isinstance(text, dict | str)]
        for key in languages:
            words = label if len(languages) == 1 else f"{label} ({name_language(key)})"
            field = LinesField(label=words, help_text=_("One a line."))
            field.initial = [str(text.get(key) or "") for text in texts]
            self._simple(f"{spec.name}_{key}", field)

    def _settings(self, spec: FieldSpec) -> dict[str, Data]:
        """Return the options that a field may name: all, or those with choices."""
        rows = self.written.rows("settings").items()
        own = self.row.get("key") if self.table == "settings" and not self.outer else None
        return {
            key: row
            for key, row in rows
            if isinstance(row, dict)
            and key != own
            and (spec.kind == "settings" or row.get("kind") == "choice")
        }

    def _setting_fields(self, spec: FieldSpec, value: Any) -> Iterator[tuple[str, forms.Field]]:
        """Yield the field for each option: boxes to tick, or its value."""
        known = value if isinstance(value, dict) else {}
        for key, row in self._settings(spec).items():
            label, listed = text_of(row.get("name", key)), row.get("choices") or ()
            choices = [
                (str(one.get("key")), text_of(one.get("name", "")))
                for one in listed
                if isinstance(one, dict)
            ]
            initial = known.get(key) or ([] if spec.kind == "when" else None)
            field: forms.Field
            if spec.kind == "when":
                widget = forms.CheckboxSelectMultiple(attrs={"class": "form-check-input"})
                field = forms.MultipleChoiceField(
                    label=label, choices=choices, required=False, widget=widget
                )
            elif row.get("kind") == "choice":
                field = forms.ChoiceField(
                    label=label, choices=[("", "–"), *choices], required=False
                )
            else:
                field = forms.IntegerField(label=label, required=False)
            field.initial = initial
            yield key, field

    def _plain(self, spec: FieldSpec, label: str) -> forms.Field:
        choices = self.choices(spec)
        match spec.kind:
            case "float":
                return forms.FloatField(label=label, required=spec.needed)
            case "numbers":
                return NumbersField(label=label, max_length=200, required=spec.needed)
            case "lines":
                return LinesField(label=label, help_text=_("One a line."))
            case "formulas":
                return FormulasField(label=label)
            case "pairs":
                return PairsField(label=label, help_text=_("One a line, as in “word = meaning”."))
            case "grid":
                return GridField(label=label)
            case "names":
                rows = self.written.rows(spec.table).items()
                names = {key: text_of(row.get("name", key)) for key, row in rows}
                return KeyNamesField(names, label=label, help_text=_("One a line."))
            case "colour":
                return ColourField(label=label)
            case "dice":
                return DiceRowsField(
                    label=label,
                    source=source_of_new(self.written),
                    languages=self.text_languages,
                )
            case "yes":
                return forms.BooleanField(label=label, required=False)
            case "number":
                if spec.name == "price" and not self.outer:
                    label = f"{label} ({price_unit(self.written)})"
                return forms.IntegerField(
                    label=label,
                    min_value=spec.minimum,
                    max_value=spec.maximum,
                    required=spec.needed,
                )
            case "tags" | "keys" if len(choices) > MOST_BOXES:
                return KeyNamesField(dict(choices), label=label, help_text=_("One a line."))
            case "tags" | "keys" | "choices":
                widget = forms.CheckboxSelectMultiple(attrs={"class": "form-check-input"})
                return forms.MultipleChoiceField(
                    label=label, choices=choices, required=False, widget=widget
                )
            case "formula":
                return FormulaField(label=label, max_length=500, required=spec.needed)
            case "line" if not choices:
                is_default = self.has_default(spec)
                return make_line(label, spec.pattern, spec.needed, is_default=is_default)
        required = spec.needed or not spec.optional
        listed = choices if required else [("", "–"), *choices]
        return forms.ChoiceField(label=label, choices=listed, required=required)

    def choices(self, spec: FieldSpec) -> list[tuple[str, str]]:
        """List the values that a field may have, each with its label; none for a free text."""
        if spec.kind == "tags":
            return [(tag, tag_label(self.written, tag)) for tag in self._tags()]
        if spec.values:
            return [(value, translate(label)) for value, label in spec.values.items()]
        if spec.table:
            listed = {
                key: text_of(row["name"]) if row else tag_label(self.written, key)
                for key, row in keys_of(self.written, spec.table)
            }
            return [*({key: translate(one) for key, one in spec.also.items()} | listed).items()]
        choices = self.row.get("choices", ()) if spec.name == "default" else ()
        return [(choice["key"], text_of(choice["name"])) for choice in choices]

    def has_default(self, spec: FieldSpec) -> bool:
        """Whether a field names one of the choices of a new option."""
        return spec.name == "default" and "choices" in self.model.model_fields and not self.outer

    def _tags(self) -> list[str]:
        """List the tags of this table's rows; for an item, its kind's tags come first."""
        near = {tag for row in self._alike() for tag in row.get("tags", ())}
        return sorted(tags_of(self.written, self.table), key=lambda tag: tag not in near)

    # Answers ------------------------------------------------------------------------------------

    def clean(self) -> dict[str, Any]:
        """Require each needed text in at least one language."""
        data = super().clean() or {}
        for spec in self.specs:
            if spec.kind == "text" and spec.needed and not self._text(spec.name, data):
                first = next(name for name in self.fields if name.startswith(f"{spec.name}_"))
                if first not in self.errors:
                    self.add_error(first, ValidationError(_("Required."), "required"))
        return data

    def _text(self, name: str, data: dict[str, Any]) -> dict[str, str] | None:
        """Return a text in each language, with the abbreviations of its languages if there are any;
        an empty language takes the text of another. None if all are empty."""
        given = {key: (data.get(f"{name}_{key}") or "").strip() for key in self._text_keys()}
        plain = {key: given[key] for key in self.text_languages}
        if not any(plain.values()):
            return None
        own = {key: text for key, text in given.items() if text and key.endswith(OWN_KEY)}
        return self.complete_text(plain) | own

    def complete_text(self, given: dict[str, str]) -> dict[str, str]:
        """Return a text in every language; an empty one takes the text of another."""
        first = next(filter(None, given.values()), "")
        return {key: given.get(key) or first for key in needed(self.text_languages)}

    def _text_keys(self) -> tuple[str, ...]:
        """The keys of a text: its languages, and the own abbreviations of those after the first."""
        own = (key + OWN_KEY for key in self.text_languages if key != FIRST)
        return (*self.text_languages, *own)

    def answered(self) -> Data:
        """Return the row with the answers in the form."""
        row = dict(self.row)
        for spec in self.specs:
            answer = self._answer(spec)
            # An empty field means the default; a new row leaves it out.
            if answer is None and not spec.optional:
                answer = self.defaults.get(spec.name)
            if answer is not None or spec.optional or not (self.adding or spec.needed):
                row[spec.name] = answer
            else:
                # An emptied field of a copy, or a needed one: the checker says that it is missing.
                row.pop(spec.name, None)
        return self.complete(row)

    def complete(self, row: Data) -> Data:
        """Return a row with the values that follow from others."""
        if self.adding and "level" in self.fields and row.get("level") is None and "price" in row:
            row["level"] = row["price"]
        if any(map(self.has_default, self.specs)):
            row["default"] = find_choice(row.get("choices"), row.get("default"))
        if self.model is Roll and not row.get("outcomes") and not row.get("numbers"):
            row["outcomes"] = name_outcomes(row.get("steps"), self.text_languages)
        return row

    def names_of(self, spec: FieldSpec, inner: str = "") -> list[str]:
        """Return the names of the fields for one field of the row, or for one cell of it."""
        if inner and spec.kind in ("values", "columns"):
            return [f"{spec.name}-{inner}"]
        if spec.kind == "text":
            return [f"{spec.name}_{key}" for key in self._text_keys_in_order()]
        return [name for name in (spec.name, f"{spec.name}-new") if name in self.fields]

    def answer_alone(self, spec: FieldSpec, names: Sequence[str]) -> Any:
        """Return the answer in one field of a sent form, without regard to the others. Its errors
        are those of ``names`` in ``errors``; then there is no answer."""
        if any(name in self.errors for name in names):
            return None
        answer = self._answer(spec)
        return self.defaults.get(spec.name) if answer is None and not spec.optional else answer

    def value_of_text(self, spec: FieldSpec, typed: str) -> Any:
        """Return the value of a field for a text that stands for it. Raises ValidationError."""
        value = self.fields[spec.name].clean(typed)
        return tidy(spec.pattern, value) if spec.pattern and value else value

    def _answer(self, spec: FieldSpec) -> Any:
        """Return the answer in a field; None for an empty one."""
        data = self.cleaned_data
        match spec.kind:
            case "text":
                return self._text(spec.name, data)
            case "values" | "columns":
                return self._cell_answers(spec)
            case "part" | "rows":
                return self.parts[spec.name].answered()
            case "when" | "settings":
                return self._setting_answers(spec)
            case "texts":
                return self._texts(spec.name)
            case "ordered":
                names = [name for name in self.fields if name.startswith(f"{spec.name}-")]
                return [data[name] for name in names if data.get(name)]
        if spec.kind == "tags":
            typed = data[f"{spec.name}-new"].split(",")
            new = {key_for(one, ()).replace("-", "_") for one in typed if one.strip()}
            return sorted({*(data.get(spec.name) or ()), *new})
        answer = data[spec.name]
        if spec.kind == "dice":
            return keep_rows(self.row.get(spec.name), answer)
        if spec.kind in TICKED:
            answer = answer or []
            kept = [key for key in self.row.get(spec.name) or () if key in answer]
            answer = [*kept, *(key for key in answer if key not in kept)]
            return answer
        if spec.pattern and answer:
            answer = tidy(spec.pattern, answer)
        if spec.kind == "formula" and str(self.row.get(spec.name)) == str(answer):
            # A number that was written as an expression stays one.
            return self.row[spec.name]
        return None if answer == "" else answer

    def _setting_answers(self, spec: FieldSpec) -> Data:
        """Return the chosen values of options by key, in the order in which they were."""
        known = self.row.get(spec.name)
        before = known if isinstance(known, dict) else {}
        if f"{self.add_prefix(spec.name)}-sent" not in self.data:
            return before
        found: Data = {}
        for key in self._settings(spec):
            answer = self.cleaned_data.get(f"{spec.name}-{key}")
            if isinstance(answer, list):
                kept = [value for value in before.get(key) or () if value in answer]
                answer = [*kept, *(value for value in answer if value not in kept)]
            if answer not in (None, "", []):
                found[key] = answer
        return found

    def _texts(self, name: str) -> list[Data | str]:
        """Return a list of texts in each language; one that stayed the same is kept whole."""
        languages = self.text_languages
        given = [self.cleaned_data.get(f"{name}_{key}") or [] for key in languages]
        before = self.row.get(name) or ()
        found: list[Data | str] = []
        for place, typed in enumerate(zip_longest(*given, fillvalue="")):
            text = self.complete_text(dict(zip(languages, typed, strict=True)))
            old = before[place] if place < len(before) else None
            known = in_each(old, languages) if isinstance(old, dict | str) else {}
            same = all(known.get(key) == text[key] for key in text)
            found.append(old if same and old is not None else text)
        return found

    def _cell_answers(self, spec: FieldSpec) -> Data:
        """Return a table of values, with the answers in its cells."""
        answers = dict(self.row.get(spec.name) or {})
        for key, _label in self.cells(spec):
            typed = self.cleaned_data.get(f"{spec.name}-{key}", "").strip()
            if typed == text_of(answers.get(key, "")):
                continue
            answers.pop(key, None)
            if typed:
                answers[key] = self.read_cell(spec, key, typed)
        return answers

    def read_cell(self, spec: FieldSpec, key: str, typed: str) -> int | str:
        """Return the value of a cell in a table of values: a number where the rulebook has one."""
        row = self.written.row("characteristics", key) if spec.kind == "values" else None
        is_number = row is not None and row.get("kind") == "number"
        is_number = spec.name in ("costs", "adds") or (is_number and spec.name != "rolled")
        whole = is_number and re.fullmatch(r"[+-]?\d{1,6}", typed)
        return int(typed) if whole else typed

    # Mistakes and layout ------------------------------------------------------------------------

    @property
    def growing(self) -> bool:
        """Whether the form was sent only to add a row to one of its parts, or to move one."""
        return self.given is not None and bool(self.given.get("more") or self.given.get("move"))

    @property
    def status(self) -> int:
        """The status of a page that shows the form again."""
        return INVALID if self.is_bound and not self.growing else OK

    def full_clean(self) -> None:
        """Check the fields; a form that only grows is not checked yet."""
        super().full_clean()
        if self.growing:
            self._errors = ErrorDict()

    def is_valid(self) -> bool:
        """Whether the form, with its parts, can be stored."""
        parts = [part.is_valid() for part in self.parts.values()]
        return not self.growing and super().is_valid() and all(parts)

    def has_errors(self) -> bool:
        """Whether the form or one of its parts has an error."""
        return bool(self.errors) or any(part.has_errors() for part in self.parts.values())

    def is_filled(self) -> bool:
        """Whether somebody has typed or ticked something. A browser always sends some choice."""
        return any(type(self.fields[name]) is not forms.ChoiceField for name in self.changed_data)

    def is_blank(self) -> bool:
        """Whether no field has a value."""
        return not any(self[name].value() for name in self.fields)

    def complain(self, wrong: Wrong) -> None:
        """Show a mistake that the checker found beside its field."""
        self.complain_at(wrong.field, self._complaint(wrong))

    def _complaint(self, wrong: Wrong) -> str:
        return complaint(wrong.message, name_words(self.model))

    def complain_at(self, inner: tuple[str, ...], words: str) -> None:
        """Show a mistake, already in words, beside the field at this place."""
        if inner and inner[0] in self.parts:
            self.parts[inner[0]].complain(inner[1:], words)
            return
        for size in (2, 1):
            for join in ("_", "-"):
                name = join.join(inner[:size])
                if name in self.fields:
                    rest = ".".join(inner[size:])
                    self.add_error(name, f"{rest}: {words}" if rest else words)
                    return
        texts = [f"{inner[0]}_{key}" for key in self._text_keys()] if inner else []
        self.add_error(next((name for name in texts if name in self.fields), None), words)

    def walk(self) -> Iterator[RowForm]:
        """Yield this form and all forms inside it."""
        yield self
        for part in self.parts.values():
            for form in part.forms:
                yield from form.walk()

    def warn(self, wrong: Iterable[Wrong]) -> None:
        """Note mistakes of the stored row, to be shown beside their fields."""
        for one in wrong:
            name = one.field[0] if one.field else ""
            self.warnings.setdefault(name, []).append(self._complaint(one))

    def widths(self) -> list[tuple[forms.BoundField, str]]:
        """List the simple fields, each with its width: short ones share a line."""
        return [(self[name], find_width(self.fields[name])) for name in self.simple]

    def later_widths(self) -> list[tuple[forms.BoundField, str]]:
        """List the fields that are seldom used, each with its width."""
        return [(self[name], find_width(self.fields[name])) for name in self.folded_names]

    def opened_later(self) -> bool:
        """Whether a field that is seldom used has an error."""
        return any(name in self.errors for name in self.folded_names)

    def option_groups(self) -> list[tuple[str, str, list[forms.BoundField], bool]]:
        """List the fields for options: name, label, fields, and whether one has a value."""
        groups = []
        for name, names in self.ticked.items():
            fields = [self[one] for one in names]
            opened = any(field.value() or field.errors for field in fields)
            groups.append((self.add_prefix(name), label_in(self.model, name), fields, opened))
        return groups

    def noted(self) -> list[tuple[str, list[str]]]:
        """List the mistakes of the stored row by field, each with its label."""
        known = self.model.model_fields
        return [
            (label_in(self.model, name) if name in known else "", words)
            for name, words in self.warnings.items()
        ]

    def other_languages(self) -> list[forms.BoundField]:
        """List the fields for the other languages."""
        return [self[name] for name in self.second]

    def other_languages_title(self) -> str:
        """Return the title of the part with these fields, which names the languages."""
        names = [name_language(key) for key in self.second_languages]
        words = ngettext(
            "In the other language: %(languages)s",
            "In the other languages: %(languages)s",
            len(names),
        )
        return words % {"languages": ", ".join(names)}

    def opened(self) -> bool:
        """Whether a folded field has an error."""
        return any(name in self.errors for name in self.second)
