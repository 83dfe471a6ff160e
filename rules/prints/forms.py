"""The form that chooses which blank forms are printed, and how."""

from __future__ import annotations

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from printing.forms import PaperForm
from rules.prints.blank import PARTS, BlankOrder, Part

PART_NAMES: dict[Part, Promise] = {
    "all": gettext_lazy("All of them"),
    "founding": gettext_lazy("Creating a gang"),
    "roster": gettext_lazy("Roster sheet"),
    "log": gettext_lazy("Campaign log"),
}


class BlankForm(PaperForm):
    """Options of blank forms: one of them, or all."""

    usual = BlankOrder(language="")

    part = forms.ChoiceField(
        label=gettext_lazy("Forms"),
        choices=[(part, PART_NAMES[part]) for part in PARTS],
        widget=forms.RadioSelect,
    )
