"""Form code that all apps share: names, notes, reasons, and versions in requests."""

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

# The methods that a page with a form accepts.
require_safe_or_post = require_http_methods(["GET", "HEAD", "POST"])

OK = 200
CONFLICT = 409
INVALID = 422


def helper() -> FormHelper:
    """Make a crispy layout for a form if its template writes the tag, the buttons and the state."""
    layout = FormHelper()
    layout.form_tag = False
    layout.disable_csrf = True
    return layout


class CrispyForm(forms.Form):
    """A form with that crispy layout."""

    helper = helper()


def form_token(data: QueryDict, path: str) -> str:
    """Hash a submission: its path (with the page and version seen) and all fields.

    A double click sends the same page's token with the same fields and so has the same hash. A
    second tab, or deliberately repeating a decision, has another.
    """
    parts = [path]
    for key in sorted(data):
        if key != "csrfmiddlewaretoken":
            parts.append(key)
            parts.extend(data.getlist(key))
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()


def number(text: str | None) -> int | None:
    """Parse a version, an id or a place from a request; None if it is not a number."""
    if text and text.isascii() and text.isdigit() and len(text) < 10:
        return int(text)
    return None


def numbers(data: QueryDict, name: str) -> frozenset[int]:
    """Parse all numbers that a request sends under one name, such as ticked boxes."""
    return frozenset(found for text in data.getlist(name) if (found := number(text)) is not None)


def posted_version(data: QueryDict, name: str) -> int:
    """Return a version the page was drawn with; -1 (which never matches) if it is missing."""
    found = number(data.get(name))
    return -1 if found is None else found


def version_seen(request: HttpRequest) -> int:
    """Return the gang's version on the page; -1 (which never matches) if it is missing."""
    return posted_version(request.POST, "version")


def set_choices(form: forms.Form, name: str, choices: Iterable[tuple[int | str, Any]]) -> None:
    """Set the choices of a form's field."""
    field = form.fields[name]
    assert isinstance(field, forms.ChoiceField)
    field.choices = list(choices)


class NameField(forms.CharField):
    """A name, or another cleaned text of one line."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"max_length": 80, **options})

    def to_python(self, value: Any) -> str:
        """Clean the name and collapse inner blanks."""
        return one_line(str(super().to_python(value) or ""))


class NotesField(forms.CharField):
    """Free notes of several lines, cleaned."""

    def __init__(self, **options: Any) -> None:
        widget = forms.Textarea(attrs={"rows": 2})
        super().__init__(**{"required": False, "max_length": 4000, "widget": widget, **options})

    def to_python(self, value: Any) -> str:
        """Clean the notes, with ``\\n`` as line end."""
        return lines(str(super().to_python(value) or ""))


class PlainField(forms.CharField):
    """Text that keeps its blanks, such as lines of a table, but is otherwise cleaned."""

    def to_python(self, value: Any) -> str:
        """Clean the text, with ``\\n`` as line end."""
        return clean_text(str(super().to_python(value) or ""))


class ReasonForm(CrispyForm):
    """The reason for correcting a gang's history, which all readers of the history see."""

    reason = NameField(
        label=gettext_lazy("Why?"),
        max_length=300,
        help_text=gettext_lazy("Everybody who reads the gang’s history sees it."),
    )

    def __init__(self, *args: Any, required: bool = True, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["reason"].required = required


class FilesInput(forms.ClearableFileInput):
    """An input for several files."""

    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Files, at least one; the value is their list."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> Any:
        """Return the list of files. Raises ValidationError."""
        clean = super().clean
        return [clean(file, initial) for file in data or [None]]
