"""Forms of game nights: when and where, who comes, and who plays whom."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.utils import from_current_timezone
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaigns.club.nights import repeating
from campaigns.club.nights.schedule import Details, Guest
from campaigns.forms import PlannedDayField, TokenField
from campaigns.models import Attendance, Night
from common.forms import NameField, NotesField, helper
from gangs.models import Gang

# How long the note of a night may be.
NOTE = 1000
EVERY = [
    ("", gettext_lazy("Just this once")),
    ("week", gettext_lazy("Every week")),
    ("fortnight", gettext_lazy("Every two weeks")),
    ("month", gettext_lazy("Every month, on the same weekday")),
]


class NightForm(forms.Form):
    """A night: its day and times, as clocks show them where the site is, place and note; a new one
    may repeat. ``nights``, once it is valid: the nights that are asked for, the first of them
    first."""

    day = PlannedDayField(label=gettext_lazy("Day"))
    time = forms.TimeField(
        label=gettext_lazy("Time"),
        widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
    )
    until = forms.TimeField(
        label=gettext_lazy("Until"),
        required=False,
        help_text=gettext_lazy("Calendars show three hours if you leave it empty."),
        widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
    )
    place = NameField(label=gettext_lazy("Where"), required=False, max_length=120)
    note = NotesField(
        label=gettext_lazy("Note"),
        max_length=NOTE,
        help_text=gettext_lazy("What to bring, who has the key. All players see it."),
    )
    every = forms.ChoiceField(label=gettext_lazy("Repeat"), choices=EVERY, required=False)
    times = forms.IntegerField(
        label=gettext_lazy("How many nights"),
        min_value=2,
        max_value=repeating.MOST,
        initial=6,
        required=False,
        help_text=gettext_lazy("If it repeats. You can change or delete each of them."),
    )
    token = TokenField()

    def __init__(
        self, night: Night | None, *args: Any, last: Night | None = None, **options: Any
    ) -> None:
        """``night``: the one to change, None for a new one, which is like the ``last``, if there
        was one."""
        like, initial = night or last, {}
        if like is not None:
            starts_at = timezone.localtime(like.starts_at)
            initial = {
                "day": starts_at.date() if night else _next_day(starts_at.date()),
                "time": starts_at.time(),
                "until": timezone.localtime(like.until).time() if like.until else None,
                "place": like.place,
                "note": night.note if night else "",
            }
        super().__init__(*args, **{"initial": initial, **options})
        if night is not None:
            del self.fields["every"], self.fields["times"]
        self.fields["time"].help_text = _("Time zone: %(zone)s") % {
            "zone": timezone.get_current_timezone_name()
        }
        self.helper = helper()
        self.nights: list[Details] = []

    def clean(self) -> dict[str, Any]:
        """Clocks never show some times of the night when they are put forward."""
        cleaned: dict[str, Any] = self.cleaned_data
        if cleaned.get("every") and not cleaned.get("times") and not self.has_error("times"):
            self.add_error("times", _("How many nights?"))
        if cleaned.get("day") and cleaned.get("time") and not self.errors:
            try:
                self.nights = [self._on(day) for day in self._days()]
            except ValidationError:
                words = _("The clocks change that night: choose another time.")
                self.add_error("time", words)
        return cleaned

    def _days(self) -> list[date]:
        day, every = self.cleaned_data["day"], self.cleaned_data.get("every")
        return repeating.days(day, every, self.cleaned_data["times"]) if every else [day]

    def _on(self, day: date) -> Details:
        """The night on that day. Raises ValidationError if clocks do not show its times."""
        time, until = self.cleaned_data["time"], self.cleaned_data.get("until")
        starts_at, ends_at = datetime.combine(day, time), None
        if until is not None:
            # What ends earlier than it begins ends after midnight.
            last_day = day if until > time else day + timedelta(days=1)
            ends_at = from_current_timezone(datetime.combine(last_day, until))
        return {
            "starts_at": from_current_timezone(starts_at),
            "until": ends_at,
            "place": self.cleaned_data.get("place", ""),
            "note": self.cleaned_data.get("note", ""),
        }


def _next_day(last: date) -> date:
    return repeating.after(last, timezone.localdate())


class AnswerForm(forms.Form):
    """Whether one of the gangs on offer comes."""

    gang = forms.UUIDField()
    answer = forms.ChoiceField(choices=Attendance.Answer.choices)


class AnswersForm(forms.Form):
    """Whether each of the gangs comes, in an organiser's words: a row of choices a gang, and beside
    it what the page showed (``was-``): what a player says meanwhile is not overwritten by a row
    that nobody touched."""

    def __init__(self, guests: Sequence[Guest], *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.guests = guests
        choices = [*Attendance.Answer.choices, ("", _("No answer"))]
        for guest in guests:
            self.fields[str(guest.gang.pk)] = forms.ChoiceField(
                label=guest.name, choices=choices, required=False, initial=guest.answer
            )

    @property
    def rows(self) -> list[tuple[Guest, forms.BoundField, str, str]]:
        """Each gang with its field, what is chosen, and what was when the page was first read."""
        fields = [(guest, self[str(guest.gang.pk)]) for guest in self.guests]
        return [
            (guest, field, str(field.value() or ""), self._was(guest)) for guest, field in fields
        ]

    def choices(self) -> dict[Gang, str]:
        """What was chosen that the page did not show already, once the form is valid; of gangs that
        it did not show nothing."""
        return {
            guest.gang: self.cleaned_data[key]
            for guest in self.guests
            if (key := str(guest.gang.pk)) in self.data
            and self.cleaned_data[key] != self._was(guest)
        }

    def _was(self, guest: Guest) -> str:
        return str(self.data.get(f"was-{guest.gang.pk}", guest.answer))
