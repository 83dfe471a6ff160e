"""Forms of variants, except the form of a row (``row_form``)."""

from __future__ import annotations

import json
import re
import unicodedata
import uuid
from collections.abc import Collection
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from common.forms import NameField, PlainField, helper
from common.text import clean_data
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
