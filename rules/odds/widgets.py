"""Fields of the page's form, written without a template for each: a list of weapons has a hundred
choices, and laying them out would take longer than all the odds."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

from django import forms
from django.forms.utils import flatatt
from django.utils.safestring import SafeString, mark_safe


class Choose(forms.Select):
    """A list of choices, some of them under heads."""

    def render(
        self, name: str, value: Any, attrs: dict[str, Any] | None = None, renderer: Any = None
    ) -> SafeString:
        """The list as HTML."""
        attributes = flatatt({**self.attrs, **(attrs or {}), "name": name})
        options = "".join(_options(self.choices, "" if value is None else str(value)))
        return mark_safe(f"<select{attributes}>{options}</select>")


def _options(choices: Iterable[Any], chosen: str) -> Iterable[str]:
    for key, label in choices:
        if isinstance(label, list):
            inside = "".join(_options(label, chosen))
            yield f'<optgroup label="{escape(str(key))}">{inside}</optgroup>'
        else:
            selected = " selected" if str(key) == chosen else ""
            yield f'<option value="{escape(str(key))}"{selected}>{escape(str(label))}</option>'


class Typed(forms.TextInput):
    """A text or number that is typed in."""

    def __init__(self, kind: str = "text") -> None:
        super().__init__()
        self.input_type = kind

    def render(
        self, name: str, value: Any, attrs: dict[str, Any] | None = None, renderer: Any = None
    ) -> SafeString:
        """The field as HTML."""
        more = {} if value in (None, "") else {"value": value}
        every = {"type": self.input_type, "name": name, **self.attrs, **(attrs or {}), **more}
        return mark_safe(f"<input{flatatt(every)}>")
