"""The fields of a row's form, and the readings of what people type in them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from common.forms import PlainField
from common.wording.sentences import Label, gettext_noop, say
from common.wording.texts import LONGEST_LINE, USUAL
from rules.book.rolls import Circumstance
from rules.book.suggesting import suggest
from rules.book.vocabulary import HOUSE, NAME_PATTERN, Frozen
from rules.editor.languages import in_each, text_of
from rules.editor.places import Data
from rules.editor.refusals import complaint
from rules.loading.library_words import EXAMPLES

# The names of as many rows as a list may have.
LONGEST_LIST = 25_000


def _number_or_text(text: str) -> int | str:
    """Return a whole number, or the text that is none."""
    return int(text) if re.fullmatch(r"[+-]?\d{1,6}", text) else text


class ShownField(PlainField):
    """A field that shows a value as text. A field changes if its text does: an empty list, an empty
    text and no value look the same."""

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Whether the text in the field is another than the shown one."""
        shown = self.prepare_value(initial)
        return super().has_changed("" if shown is None else self.to_python(str(shown)), data)


class FormulaField(ShownField):
    """A field for a whole number, or an expression that gives one."""

    def clean(self, value: Any) -> Any:
        """Return the number, or the expression as it was typed."""
        return _number_or_text(super().clean(value))


class NumbersField(ShownField):
    """A field for several whole numbers, with commas between them."""

    def prepare_value(self, value: Any) -> Any:
        """Return the numbers as text."""
        return ", ".join(map(str, value)) if isinstance(value, list | tuple) else value

    def clean(self, value: Any) -> list[int] | None:
        """Return the numbers; None for an empty field."""
        parts = [part for part in re.split(r"[\s,;]+", super().clean(value)) if part]
        if not all(re.fullmatch(r"-?\d{1,6}", part) for part in parts):
            raise ValidationError(_("Enter whole numbers with commas between them."), "numbers")
        return [int(part) for part in parts] or None


class LinesField(ShownField):
    """A field for several short texts, one a line."""

    def __init__(self, **options: Any) -> None:
        widget = forms.Textarea(attrs={"rows": 3})
        super().__init__(max_length=LONGEST_LIST, required=False, widget=widget, **options)

    def prepare_value(self, value: Any) -> Any:
        """Return the texts as lines."""
        return "\n".join(map(str, value)) if isinstance(value, list | tuple) else value

    def clean(self, value: Any) -> list[str] | None:
        """Return the texts; None for an empty field."""
        lines = (line.strip() for line in super().clean(value).splitlines())
        return [line for line in lines if line] or None


class FormulasField(LinesField):
    """A field for several whole numbers or expressions, one a line."""

    def clean(self, value: Any) -> list[int | str] | None:  # type: ignore[override]
        """Return them; None for an empty field."""
        return [_number_or_text(line) for line in super().clean(value) or ()] or None


class PairsField(LinesField):
    """A field for words and what they mean, one a line: "Str = by.strength"."""

    def prepare_value(self, value: Any) -> Any:
        """Return the pairs as lines."""
        if isinstance(value, dict):
            value = [f"{word} = {meaning}" for word, meaning in value.items()]
        return super().prepare_value(value)

    def clean(self, value: Any) -> dict[str, int | str] | None:  # type: ignore[override]
        """Return the pairs; None for an empty field."""
        found: dict[str, int | str] = {}
        for line in super().clean(value) or ():
            word, sign, meaning = (part.strip() for part in line.partition("="))
            if not (word and sign and meaning):
                words = _("Write each line as “word = meaning”, not “%(line)s”.")
                raise ValidationError(words, "pair", {"line": line[:80]})
            found[word] = _number_or_text(meaning)
        return found or None


class GridField(LinesField):
    """A field for a grid of numbers, a row a line, typed or pasted from a spreadsheet."""

    def __init__(self, **options: Any) -> None:
        options.setdefault(
            "help_text",
            gettext_lazy(
                "One row a line, with blanks, tabs or commas between the numbers; “-” for an empty "
                "cell. You can paste it from a spreadsheet."
            ),
        )
        super().__init__(**options)
        self.widget.attrs |= {"rows": 8, "class": "font-monospace unwrapped"}

    def prepare_value(self, value: Any) -> Any:
        """Return the rows as lines."""
        if isinstance(value, list | tuple):
            value = [
                "\t".join(map(str, row)) if isinstance(row, list | tuple) else str(row)
                for row in value
            ]
        return super().prepare_value(value)

    def clean(self, value: Any) -> list[list[int | str]] | None:  # type: ignore[override]
        """Return the rows; None for an empty field."""
        rows = []
        for number, line in enumerate(super().clean(value) or (), start=1):
            cells = [cell for cell in re.split(r"[\s,;|]+", line) if cell]
            cells = ["-" if cell in ("–", "—", "−") else cell for cell in cells]
            wrong = [cell for cell in cells if cell != "-" and not re.fullmatch(r"-?\d{1,6}", cell)]
            if wrong:
                words = _("Row %(row)s: “%(cell)s” is neither a whole number nor “-”.")
                raise ValidationError(words, "cell", {"row": number, "cell": wrong[0][:20]})
            rows.append([cell if cell == "-" else int(cell) for cell in cells])
        return rows or None


class ColourField(PlainField):
    """A colour, such as "#0b5d5e"."""

    def __init__(self, **options: Any) -> None:
        picker = forms.TextInput(attrs={"type": "color", "class": "form-control-color"})
        super().__init__(max_length=7, widget=picker, **options)
        # HTML has no such attribute for colours.
        del self.widget.attrs["maxlength"]


class KeyNamesField(LinesField):
    """A field for rows of a table by their names, one a line; ``rows``: the name of each key."""

    def __init__(self, rows: Mapping[str, str], **options: Any) -> None:
        super().__init__(**options)
        self.names = rows
        self.keys: dict[str, str] = {}
        for key, name in rows.items():
            self.keys.setdefault(name.casefold(), key)
        self.keys |= {key: key for key in rows}

    def prepare_value(self, value: Any) -> Any:
        """Return the names as lines; a name that is not unique gives way to its key."""
        if isinstance(value, list | tuple):
            names = (self.names.get(key, key) for key in value)
            found = zip(value, names, strict=True)
            value = [name if self.keys.get(name.casefold()) == key else key for key, name in found]
        return super().prepare_value(value)

    def find_keys(self, value: str) -> list[str]:
        """Return the keys of the known names among the lines."""
        names = (line.strip().casefold() for line in value.splitlines())
        return [self.keys[name] for name in names if name in self.keys]

    def clean(self, value: Any) -> list[str] | None:
        """Return the keys; None for an empty field."""
        lines = super().clean(value) or []
        unknown = [line for line in lines if line.casefold() not in self.keys]
        if unknown:
            name = unknown[0][:80]
            mistake = say(gettext_noop("unknown name “%(name)s”"), name=name)
            found = suggest(mistake, name, self.names.values())
            raise ValidationError(complaint(found), "unknown")
        return [self.keys[line.casefold()] for line in lines] or None


# A row of a dice table: its number or numbers, its name, and perhaps its text.
DICE_ROW = re.compile(
    r"(\d{1,3})(?:\s*[-–]\s*(\d{1,3}))?\s*[\t;:.|]?\s*([^\t;|]+?)(?:\s*[\t;|]\s*(.*))?"
)


class DiceRowsField(PlainField):
    """A field for the rows of a dice table, typed or pasted: "1-2; Dead; Bury them"."""

    def __init__(
        self, *, source: str = HOUSE, languages: Sequence[str] = USUAL, **options: Any
    ) -> None:
        self.source, self.languages = source, languages
        options.setdefault(
            "help_text",
            gettext_lazy(
                "One row a line: the numbers, the name, and perhaps a text, with tabs or "
                "semicolons between them, as in “2-5; Broken arm; Misses a game”. Choose the "
                "effects in each row afterwards."
            ),
        )
        widget = forms.Textarea(attrs={"rows": 8, "class": "font-monospace unwrapped"})
        super().__init__(max_length=40_000, strip=False, widget=widget, **options)

    def prepare_value(self, value: Any) -> Any:
        """Return the rows as lines, in the reader's language."""
        if not isinstance(value, list | tuple):
            return value
        return "\n".join(_dice_line(row) for row in value if isinstance(row, dict))

    def clean(self, value: Any) -> list[dict[str, Any]]:
        """Return the rows as data."""
        rows = []
        for number, line in enumerate(super().clean(value).splitlines(), start=1):
            if not line.strip():
                continue
            found = DICE_ROW.fullmatch(line.strip())
            if found is None:
                words = _("Line %(line)s: begin with the numbers, as in “2-5; Broken arm”.")
                raise ValidationError(words, "line", {"line": number})
            low, high, name, text = found.groups()
            row = {"low": int(low), "high": int(high or low), "name": in_each(name, self.languages)}
            if text:
                row["text"] = in_each(text, self.languages)
            rows.append(row | {"source": self.source})
        return rows


def _dice_line(row: dict[str, Any]) -> str:
    low, high = row.get("low"), row.get("high")
    texts = [row.get(name) for name in ("name", "text")]
    words = [text_of(one) for one in texts if isinstance(one, dict)]
    return "; ".join([f"{low}" if low == high else f"{low}-{high}", *words])


def keep_rows(known: Any, typed: list[Data]) -> list[Data]:
    """Return the typed rows of a dice table; those that stayed as they are in ``known`` with all
    that their lines do not show."""
    rows = known if isinstance(known, list | tuple) else ()
    lines = {_dice_line(row): row for row in rows if isinstance(row, dict)}
    return [lines.get(_dice_line(row), row) for row in typed]


def key_for(name: str, taken: Collection[str], apart: str = "-") -> str:
    """Make a key that is not ``taken``, from a row's name, with ``apart`` between its words."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    base = re.sub(r"[^a-z0-9]+", apart, plain).strip(apart)[:34].strip(apart)
    base = base if base[:1].isalpha() else f"own{apart}{base}".strip(apart)
    keys = (base, *(f"{base}{apart}{number}" for number in range(2, len(taken) + 2)))
    return next(key for key in keys if key not in taken)


def key_sign(model: type[Frozen]) -> str:
    """Return the sign between the words of a row's key: "_" where formulas read it as a name."""
    if issubclass(model, Circumstance):
        return "_"
    patterns = [getattr(mark, "pattern", None) for mark in model.model_fields["key"].metadata]
    return "_" if NAME_PATTERN in patterns else "-"


def tidy(pattern: str, typed: str) -> str:
    """Return what people mean in the form of a pattern: "D6" is "1d6", "Out of action" the key
    "out-of-action". A text that fits as it is, or in no way, stays the same."""
    fits, found = re.compile(pattern), typed.strip()
    is_key = isinstance(EXAMPLES.get(pattern), Label)
    readings = _read_words(found) if is_key else _read_dice(found)
    return next((one for one in (found, *readings) if fits.match(one)), typed)


def _read_dice(typed: str) -> Iterator[str]:
    small = re.sub(r"\s", "", typed).lower().replace("×", "x").replace("−", "-")
    yield small
    yield f"1{small}"
    yield re.sub(r"([<>]=)", r" \1 ", small.replace("≥", ">=").replace("≤", "<="))
    yield typed.upper()


def _read_words(typed: str) -> Iterator[str]:
    words = re.findall(r"[a-z0-9]+", typed.lower())
    yield "-".join(words)
    yield "_".join(words)


def find_choice(choices: Any, typed: Any) -> Any:
    """Return the key of the choice with this key or name; that of the first for an empty text."""
    listed = [one for one in choices or () if isinstance(one, dict)]
    if not typed:
        return listed[0].get("key") if listed else typed
    for one in listed:
        names = one.get("name")
        spelt = names.values() if isinstance(names, dict) else [names]
        if str(typed).strip().casefold() in {str(name).casefold() for name in spelt}:
            return one.get("key")
    return typed


def name_outcomes(steps: Any, languages: Sequence[str]) -> list[Data]:
    """Return an outcome for each name that the steps of a roll end with, which has no outcomes."""
    ends = [step.get("end") for step in steps or () if isinstance(step, dict)]
    keys = dict.fromkeys(end for end in ends if isinstance(end, str) and end)
    return [
        {"key": key, "name": in_each(key.replace("_", " ").capitalize(), languages)} for key in keys
    ]


def find_width(field: forms.Field) -> str:
    """Return the class for the width of a field: short ones share a line."""
    if isinstance(field, forms.IntegerField) or getattr(field, "max_length", None) == 80:
        return "col-6 col-md-4"
    if getattr(field, "max_length", None) == 40:
        return "col-6 col-md-3"
    if isinstance(field, forms.MultipleChoiceField | forms.BooleanField):
        return "col-12"
    return "col-md-6"


def make_line(label: str, pattern: str, needed: bool, *, is_default: bool) -> PlainField:
    """Return the field for a line of text; ``is_default``: it names a choice of the same form."""
    field = PlainField(label=label, max_length=LONGEST_LINE, required=needed and not is_default)
    field.strip = False
    if is_default:
        field.help_text = _("The name of a choice. Empty: the first one.")
    elif pattern in EXAMPLES and not isinstance(EXAMPLES[pattern], Label):
        field.help_text = _("As in: %(example)s") % {"example": EXAMPLES[pattern]}
    return field
