"""What somebody says of a page that should not be as it is."""

from __future__ import annotations

import uuid

from django import forms
from django.utils.translation import gettext_lazy

from administration.models import PageReport
from common.forms import CrispyForm, NotesField


class ReportForm(CrispyForm):
    """What is wrong, and where. The token makes a double click one report."""

    why = forms.ChoiceField(
        label=gettext_lazy("What is wrong with it?"),
        choices=PageReport.Why.choices,
        widget=forms.RadioSelect,
    )
    words = NotesField(
        label=gettext_lazy("In your own words: what, and where on the page?"),
        required=True,
        max_length=1000,
    )
    token = forms.UUIDField(widget=forms.HiddenInput, initial=uuid.uuid4)
