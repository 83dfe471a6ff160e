"""What forms of every app share: names, notes, reasons, and reading versions out of requests."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from crispy_forms.helper import FormHelper
from django import forms
from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from common.text import clean_text, lines, one_line

# What a page with a form is asked by.
require_safe_or_post = require_http_methods(["GET", "HEAD", "POST"])

OK = 200
CONFLICT = 409
INVALID = 422


def helper() -> FormHelper:
    """Crispy's layout for a form whose tag, buttons and state the template writes."""
    layout = FormHelper()
    layout.form_tag = False
    layout.disable_csrf = True
    return layout


class CrispyForm(forms.Form):
    """A form that crispy lays out so."""

    helper = helper()


def form_token(data: QueryDict, path: str) -> str:
    """What makes a submission the same as another: page, version seen, address and all fields.

    A double click sends the same page's token with the same fields, and so the same form token; a
    second tab, or the same decision taken again on purpose, does not.
    """
    parts = [path]
    for key in sorted(data):
        if key != "csrfmiddlewaretoken":
            parts.append(key)
            parts.extend(data.getlist(key))
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()


def number(text: str | None) -> int | None:
    """A number out of a request: a version, an id, a place; None if it is none."""
    if text and text.isascii() and text.isdigit() and len(text) < 10:
        return int(text)
    return None


def numbers(data: QueryDict, name: str) -> frozenset[int]:
    """All the numbers that a request gives under one name, as by ticked boxes."""
    return frozenset(found for text in data.getlist(name) if (found := number(text)) is not None)


def posted_version(data: QueryDict, name: str) -> int:
    """A number that the page was drawn with; -1 (never right) if it says none."""
    found = number(data.get(name))
    return -1 if found is None else found


def version_seen(request: HttpRequest) -> int:
    """The version of the gang that the page was drawn from; -1 (never right) if it says none."""
    return posted_version(request.POST, "version")


def set_choices(form: forms.Form, name: str, choices: Iterable[tuple[int | str, Any]]) -> None:
    """Say what a form's field of choices offers."""
    field = form.fields[name]
    assert isinstance(field, forms.ChoiceField)
    field.choices = list(choices)


class NameField(forms.CharField):
    """A name, or another text of one line, cleaned."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"max_length": 80, **options})

    def to_python(self, value: Any) -> str:
        """The name, with inner runs of blanks made one."""
        return one_line(str(super().to_python(value) or ""))


class NotesField(forms.CharField):
    """Free notes, cleaned."""

    def __init__(self, **options: Any) -> None:
        widget = forms.Textarea(attrs={"rows": 2})
        super().__init__(**{"required": False, "max_length": 4000, "widget": widget, **options})

    def to_python(self, value: Any) -> str:
        """The notes, with plain line ends."""
        return lines(str(super().to_python(value) or ""))


class PlainField(forms.CharField):
    """Text that keeps its blanks, such as lines of a table; cleaned besides."""

    def to_python(self, value: Any) -> str:
        """The text, with plain line ends."""
        return clean_text(str(super().to_python(value) or ""))


class ReasonForm(CrispyForm):
    """Why something in a gang's history is corrected, for everybody who reads it there."""

    reason = NameField(
        label=gettext_lazy("Why?"),
        max_length=300,
        help_text=gettext_lazy("Everybody who reads the gang’s history sees it."),
    )

    def __init__(self, *args: Any, required: bool = True, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["reason"].required = required
