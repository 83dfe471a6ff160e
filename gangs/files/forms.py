"""The form for importing a gang."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from common.forms import CrispyForm


class ImportForm(CrispyForm):
    """A gang's file."""

    file = forms.FileField(
        label=_("Gang file"),
        help_text=_("A .json file that was exported from this site or another."),
        widget=forms.ClearableFileInput(attrs={"accept": "application/json,.json"}),
    )
