"""Forms of game nights: when and where, who comes, and who plays whom."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.utils import from_current_timezone
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaigns.forms import PlannedDayField, TokenField
from campaigns.models import Attendance, Night
from common.forms import NameField, NotesField, helper

# How long the note of a night may be.
NOTE = 1000


class NightForm(forms.Form):
    """A night: its day and time, as clocks show it where the site is, place and note."""

    day = PlannedDayField(label=gettext_lazy("Day"))
    time = forms.TimeField(
        label=gettext_lazy("Time"),
        widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
    )
    place = NameField(label=gettext_lazy("Where"), required=False, max_length=120)
    note = NotesField(
        label=gettext_lazy("Note"),
        max_length=NOTE,
        help_text=gettext_lazy("What to bring, who has the key. All players see it."),
    )
    token = TokenField()

    def __init__(self, night: Night | None, *args: Any, **options: Any) -> None:
        """``night``: the one to change, None for a new one."""
        initial: dict[str, Any] = {}
        if night is not None:
            starts_at = timezone.localtime(night.starts_at)
            initial = {
                "day": starts_at.date(),
                "time": starts_at.time(),
                "place": night.place,
                "note": night.note,
            }
        super().__init__(*args, **{"initial": initial, **options})
        self.fields["time"].help_text = _("Time zone: %(zone)s") % {
            "zone": timezone.get_current_timezone_name()
        }
        self.helper = helper()

    def clean(self) -> dict[str, Any]:
        """Clocks never show some times of the night when they are put forward."""
        cleaned: dict[str, Any] = self.cleaned_data
        if cleaned.get("day") and cleaned.get("time"):
            try:
                starts_at = datetime.combine(cleaned["day"], cleaned["time"])
                cleaned["starts_at"] = from_current_timezone(starts_at)
            except ValidationError:
                words = _("Clocks are put forward or back that night: choose another time.")
                self.add_error("time", words)
        return cleaned


class AnswerForm(forms.Form):
    """Whether one of the gangs on offer comes."""

    gang = forms.UUIDField()
    answer = forms.ChoiceField(choices=Attendance.Answer.choices)
