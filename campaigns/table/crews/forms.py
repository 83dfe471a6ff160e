"""The form that picks a crew: a box to tick for everybody who can play."""

from __future__ import annotations

from crispy_forms.layout import Field, Layout
from django import forms
from django.http import QueryDict
from django.utils.html import escape
from django.utils.translation import gettext as _

from campaigns.engine.crew import picked
from campaigns.table.crews.preparing import Preparation
from campaigns.table.crews.text import candidate_label
from common.forms import helper


class CrewForm(forms.Form):
    """Who of those who can play does."""

    def __init__(self, now: Preparation, data: QueryDict | None = None) -> None:
        super().__init__(data)
        playing = {candidate.key for candidate in now.crew}
        fit = picked(now.candidates, None)
        self.keys = [candidate.key for candidate in fit]
        for candidate in fit:
            name, about = candidate_label(now.book, candidate)
            self.fields[f"in-{candidate.key}"] = forms.BooleanField(
                label=name,
                help_text=escape(about),
                required=False,
                initial=candidate.key in playing,
            )
        self.helper = helper()
        self.helper.layout = Layout(
            *[Field(f"in-{key}", wrapper_class="pick") for key in self.keys]
        )

    def clean(self) -> dict[str, object]:
        """A game without anybody is none."""
        cleaned: dict[str, object] = self.cleaned_data
        if not any(cleaned.get(f"in-{key}") for key in self.keys):
            raise forms.ValidationError(_("Tick at least one member."))
        return cleaned

    def chosen(self) -> frozenset[str]:
        """Who is ticked, by key."""
        return frozenset(key for key in self.keys if self.cleaned_data[f"in-{key}"])
