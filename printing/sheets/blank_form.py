"""The form that chooses which blank forms are printed, and how."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy

from printing.paper.forms import PaperForm
from printing.sheets.blank import BlankOrder
from rules.blank_forms import PART_NAMES


class BlankForm(PaperForm):
    """Options of blank forms: one of them, or all."""

    usual = BlankOrder(language="")

    part = forms.ChoiceField(
        label=gettext_lazy("Forms"),
        choices=[*PART_NAMES.items()],
        widget=forms.RadioSelect,
    )
