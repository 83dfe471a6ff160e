"""Forms of variants, except the form of a row (``row_form``)."""

from __future__ import annotations

import json
import re
import unicodedata
import uuid
from collections.abc import Collection, Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from common.forms import NameField, PlainField, helper
from common.text import clean_data
from rules.book.vocabulary import HOUSE
from rules.variants.files import BadVariant, measure
from rules.variants.refusals import describe

LONGEST_JSON = 10_000


class ExpertField(PlainField):
    """A field of JSON, for data that no simple field can hold."""

    def __init__(self, **options: Any) -> None:
        widget = forms.Textarea(attrs={"rows": 3, "spellcheck": "false", "class": "font-monospace"})
        super().__init__(max_length=LONGEST_JSON, required=False, widget=widget, **options)

    def prepare_value(self, value: Any) -> Any:
        """Return the data as text; typed text stays as it was typed."""
        if value is None or isinstance(value, str):
            return value
        return json.dumps(value, ensure_ascii=False, indent=1 if value else None)

    def clean(self, value: Any) -> Any:
        """Return the data; None for an empty field."""
        text = super().clean(value)
        if not text:
            return None
        try:
            data = clean_data(json.loads(text))
            measure(data)
        except BadVariant as bad:
            raise ValidationError(describe(bad)) from None
        except json.JSONDecodeError as error:
            values = {"line": error.lineno, "column": error.colno}
            raise ValidationError(
                _("This is not JSON: see line %(line)s, character %(column)s."), "json", values
            ) from None
        except (ValueError, RecursionError):
            raise ValidationError(_("This cannot be read as JSON."), "json") from None
        return data


class FormulaField(PlainField):
    """A field for a whole number, or an expression that gives one."""

    def clean(self, value: Any) -> Any:
        """Return the number, or the expression as it was typed."""
        text = super().clean(value)
        return int(text) if re.fullmatch(r"[+-]?\d{1,6}", text) else text


class NumbersField(PlainField):
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


class LinesField(PlainField):
    """A field for several short texts, one a line."""

    def __init__(self, **options: Any) -> None:
        widget = forms.Textarea(attrs={"rows": 3})
        super().__init__(max_length=LONGEST_JSON, required=False, widget=widget, **options)

    def prepare_value(self, value: Any) -> Any:
        """Return the texts as lines."""
        return "\n".join(map(str, value)) if isinstance(value, list | tuple) else value

    def clean(self, value: Any) -> list[str] | None:
        """Return the texts; None for an empty field."""
        lines = (line.strip() for line in super().clean(value).splitlines())
        return [line for line in lines if line] or None


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

    def clean(self, value: Any) -> list[str] | None:
        """Return the keys; None for an empty field."""
        lines = super().clean(value) or []
        unknown = [line for line in lines if line.casefold() not in self.keys]
        if unknown:
            raise ValidationError(
                _("There is no “%(name)s”."), "unknown", {"name": unknown[0][:80]}
            )
        return [self.keys[line.casefold()] for line in lines] or None


# A row of a dice table: its number or numbers, its name, and perhaps its text.
DICE_ROW = re.compile(
    r"(\d{1,3})(?:\s*[-–]\s*(\d{1,3}))?\s*[\t;:.|]?\s*([^\t;|]+?)(?:\s*[\t;|]\s*(.*))?"
)


class DiceRowsField(PlainField):
    """A field for the rows of a dice table, typed or pasted: "1-2; Dead; Bury them"."""

    def __init__(self, **options: Any) -> None:
        options.setdefault(
            "help_text",
            gettext_lazy(
                "One row a line: the numbers, the name, and perhaps a text, with tabs or "
                "semicolons between them, as in “2-5; Broken arm; Misses a game”. What happens "
                "is chosen in each row afterwards."
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
            row = {"low": int(low), "high": int(high or low), "name": _in_both(name)}
            rows.append(row | ({"text": _in_both(text)} if text else {}) | {"source": HOUSE})
        return rows


def _in_both(text: str) -> dict[str, str]:
    return {"en": text.strip(), "fr": text.strip()}


def _dice_line(row: dict[str, Any]) -> str:
    low, high = row.get("low"), row.get("high")
    french = (get_language() or "").startswith("fr")
    texts = [row.get(name) for name in ("name", "text")]
    words = [str(one.get("fr" if french else "en", "")) for one in texts if isinstance(one, dict)]
    return "; ".join([f"{low}" if low == high else f"{low}-{high}", *words])


class NameForm(forms.Form):
    """A variant's name."""

    name = NameField(label=gettext_lazy("Name of the variant"))
    token = forms.UUIDField(widget=forms.HiddenInput, initial=uuid.uuid4)
    helper = helper()


class PasteForm(forms.Form):
    """A list of items, one a line."""

    lines = PlainField(
        label=gettext_lazy("The list"),
        max_length=40_000,
        strip=False,
        widget=forms.Textarea(
            attrs={"rows": 12, "class": "font-monospace unwrapped", "autofocus": True}
        ),
    )
    helper = helper()


class FileForm(forms.Form):
    """A variant's file; ``content``: its content, on the page that asks whether to continue."""

    file = forms.FileField(
        label=gettext_lazy("Variant file"),
        help_text=gettext_lazy("A .json file that was exported from this site or another."),
        required=False,
        widget=forms.ClearableFileInput(attrs={"accept": "application/json,.json"}),
    )
    content = PlainField(widget=forms.HiddenInput, required=False, strip=False)
    token = forms.UUIDField(widget=forms.HiddenInput, initial=uuid.uuid4)
    helper = helper()


def key_for(name: str, taken: Collection[str]) -> str:
    """Make a key that is not ``taken``, from a row's name."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    base = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:34].strip("-")
    base = base if base[:1].isalpha() else f"own-{base}".strip("-")
    keys = (base, *(f"{base}-{number}" for number in range(2, len(taken) + 2)))
    return next(key for key in keys if key not in taken)
