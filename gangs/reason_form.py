"""The form that asks why something is corrected."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from gangs.forms import NameField, helper


class ReasonForm(forms.Form):
    """Why something in a gang's history is corrected, for everybody who reads it there."""

    reason = NameField(
        label=gettext_lazy("Why?"),
        max_length=300,
        help_text=gettext_lazy("Everybody who reads the gang’s history sees it."),
    )

    def __init__(self, *args: Any, required: bool = True, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["reason"].required = required
        self.helper = helper()
