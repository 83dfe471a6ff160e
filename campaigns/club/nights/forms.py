"""Forms of game nights: when and where they are, and which gangs come."""

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
from campaigns.club.nights.schedule import ANSWERS_OF_ONE, Details, Guest
from campaigns.forms import PlannedDayField, TokenField
from campaigns.models import Night
from common.forms import NameField, NotesField, helper
from gangs.models import Gang

EVERY = [
    ("", gettext_lazy("Just this once")),
    ("week", gettext_lazy("Every week")),
    ("fortnight", gettext_lazy("Every two weeks")),
    ("month", gettext_lazy("Every month, on the same weekday")),
]


class NightForm(forms.Form):
    """A night's date, local start and end time, place and note; a new night may repeat.
    ``nights``: the nights to schedule, in order, once the form is valid."""

    day = PlannedDayField(label=gettext_lazy("Day"))
    time = forms.TimeField(
        label=gettext_lazy("Time"), widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M")
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
        max_length=1000,
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
        """``night``: the night to change; None for a new night, which begins as a copy of the
        ``last`` one, if there is one."""
        like, initial = night or last, {}
        if like is not None:
            starts_at = timezone.localtime(like.starts_at)
            day = starts_at.date()
            initial = {
                "day": day if night else repeating.after(day, timezone.localdate()),
                "time": starts_at.time(),
                "until": timezone.localtime(like.until).time() if like.until else None,
                "place": like.place,
                "note": night.note if night else "",
            }
        super().__init__(*args, **{"initial": initial, **options})
        if night is not None:
            del self.fields["every"], self.fields["times"]
        else:
            # A browser would insist on a number even for a night that does not repeat.
            for limit in ("min", "max"):
                self.fields["times"].widget.attrs.pop(limit, None)
        self.fields["time"].help_text = _("Time zone: %(zone)s") % {
            "zone": timezone.get_current_timezone_name()
        }
        self.helper = helper()
        self.nights: list[Details] = []

    def clean(self) -> dict[str, Any]:
        """Work out the nights. Rejects times that do not exist on a day when the clocks go
        forward."""
        cleaned: dict[str, Any] = self.cleaned_data
        every = cleaned.get("every")
        if not every:
            # The number of nights only matters if it repeats.
            self.errors.pop("times", None)
        if every and not cleaned.get("times") and not self.has_error("times"):
            self.add_error("times", _("How many nights?"))
        if cleaned.get("day") and cleaned.get("time") and not self.errors:
            day = cleaned["day"]
            days = repeating.days(day, every, cleaned["times"]) if every else [day]
            try:
                self.nights = [self._on(day) for day in days]
            except ValidationError:
                words = _("The clocks change that night: choose another time.")
                self.add_error("time", words)
        return cleaned

    def _on(self, day: date) -> Details:
        """The night on that day. Raises ValidationError if its times do not exist that day."""
        time, until = self.cleaned_data["time"], self.cleaned_data.get("until")
        starts_at, ends_at = datetime.combine(day, time), None
        if until is not None:
            # An end before the beginning is after midnight.
            last_day = day if until > time else day + timedelta(days=1)
            ends_at = from_current_timezone(datetime.combine(last_day, until))
        return {
            "starts_at": from_current_timezone(starts_at),
            "until": ends_at,
            "place": self.cleaned_data.get("place", ""),
            "note": self.cleaned_data.get("note", ""),
        }


class AnswersForm(forms.Form):
    """An organiser's answers for all gangs: a row of choices for each gang, and what the page
    showed before (``was-``), so that an untouched row never overwrites a player's new answer."""

    def __init__(self, guests: Sequence[Guest], *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.guests = guests
        choices = [*ANSWERS_OF_ONE.items(), ("", _("No answer"))]
        for guest in guests:
            self.fields[str(guest.gang.pk)] = forms.ChoiceField(
                label=guest.name, choices=choices, required=False, initial=guest.answer
            )

    @property
    def rows(self) -> list[tuple[Guest, forms.BoundField, str, str]]:
        """Each gang with its field, the choice, and the answer that the page first showed."""
        fields = [(guest, self[str(guest.gang.pk)]) for guest in self.guests]
        return [
            (guest, field, str(field.value() or ""), self._shown_answer(guest))
            for guest, field in fields
        ]

    def choices(self) -> dict[Gang, str]:
        """The answers that the organiser changed, by gang, once the form is valid. Gangs that were
        not on the page are left out."""
        return {
            guest.gang: self.cleaned_data[key]
            for guest in self.guests
            if (key := str(guest.gang.pk)) in self.data
            and self.cleaned_data[key] != self._shown_answer(guest)
        }

    def _shown_answer(self, guest: Guest) -> str:
        return str(self.data.get(f"was-{guest.gang.pk}", guest.answer))
