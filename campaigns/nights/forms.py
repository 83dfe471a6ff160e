"""Forms of game nights: when and where, who comes, and who plays whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.utils import from_current_timezone
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaigns.forms import TokenField
from campaigns.models import Attendance, Night
from campaigns.plan_forms import PlannedDayField, gang_label
from gangs.forms import NameField, NotesField, helper
from gangs.models import Gang

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
        self.fields["note"].widget.attrs["maxlength"] = NOTE
        self.fields["time"].help_text = _("Time zone: %(zone)s") % {
            "zone": timezone.get_current_timezone_name()
        }
        self.helper = helper()

    def clean_note(self) -> str:
        """As long as there is room for."""
        note = str(self.cleaned_data["note"])
        if len(note) > NOTE:
            words = _("Please use at most %(count)s characters.") % {"count": NOTE}
            raise ValidationError(words, "max_length")
        return note

    def clean(self) -> dict[str, Any]:
        """Clocks never show some times of the night when they are put forward."""
        cleaned: dict[str, Any] = self.cleaned_data
        if cleaned.get("day") and cleaned.get("time"):
            try:
                said = datetime.combine(cleaned["day"], cleaned["time"])
                cleaned["starts_at"] = from_current_timezone(said)
            except ValidationError:
                words = _("Clocks are put forward or back that night: choose another time.")
                self.add_error("time", words)
        return cleaned


class AnswerForm(forms.Form):
    """Whether one of the gangs on offer comes."""

    gang = forms.UUIDField()
    answer = forms.ChoiceField(choices=Attendance.Answer.choices)


class ProposalForm(forms.Form):
    """Who is to be paired, and what counts. Sent by GET: it changes nothing."""

    gangs = forms.MultipleChoiceField(
        label=gettext_lazy("Who wants to play?"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    by = forms.ChoiceField(label=gettext_lazy("What counts most?"), widget=forms.RadioSelect)
    odd = forms.ChoiceField(label=gettext_lazy("The odd one out"), widget=forms.RadioSelect)

    def __init__(
        self,
        gangs: Sequence[Gang],
        coming: Mapping[object, str],
        *args: Any,
        has_rating: bool,
        **options: Any,
    ) -> None:
        """``coming``: what each gang answered, in words."""
        super().__init__(*args, **options)
        self.by_key = {str(gang.pk): gang for gang in gangs}
        by = [
            ("meetings", _("Who has met least often, planned games included; then rating")),
        ]
        if has_rating:
            by.insert(0, ("rating", _("The closest rating; then who has met least often")))
        else:
            by = [("meetings", _("Who has met least often, planned games included"))]
        self._choices("by", by)
        self._choices("odd", [("rests", _("rests")), ("joins", _("joins a game of three"))])
        self._choices(
            "gangs", [(str(gang.pk), gang_label(gang, coming.get(gang.pk))) for gang in gangs]
        )
        self.helper = helper()

    def _choices(self, name: str, choices: Sequence[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices

    def clean_gangs(self) -> list[Gang]:
        """The gangs themselves."""
        return [self.by_key[key] for key in self.cleaned_data["gangs"]]


class PairsForm(forms.Form):
    """Which of the proposed pairs are to play: in each value the keys of its gangs."""

    pair = forms.Field(widget=forms.MultipleHiddenInput, required=False)
    token = TokenField()

    def __init__(self, gangs: Sequence[Gang], *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.by_key = {str(gang.pk): gang for gang in gangs}

    def clean_pair(self) -> list[list[Gang]]:
        """The pairs ticked, as gangs."""
        ticked = self.cleaned_data["pair"]
        if not ticked:
            raise ValidationError(_("Tick at least one of the pairs."), "none")
        try:
            return [[self.by_key[key] for key in pair.split()] for pair in ticked]
        except KeyError:
            raise ValidationError(_("One of these gangs is no longer here."), "gone") from None
