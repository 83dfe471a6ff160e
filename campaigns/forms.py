"""Forms of campaigns and of planning a game. Each only reads and converts."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import date
from typing import Any

from crispy_forms.layout import Field, Layout
from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from campaigns.models import Campaign
from campaigns.planning import ROLL, TYPED, choose_scenario
from gangs.forms import (
    NameField,
    NotesField,
    SettingsMixin,
    helper,
    origin_label,
    priced_origins,
)
from gangs.models import Gang
from gangs.scene import Scene
from gangs.wording import spoken
from rules.book import Book
from rules.dice import BadRoll, Roll
from rules.vocabulary import Settings


class DayField(forms.DateField):
    """A day in the past, or today."""

    def __init__(self, **options: Any) -> None:
        widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
        super().__init__(widget=widget, **options)

    def validate(self, value: date | None) -> None:
        """No game was played tomorrow."""
        super().validate(value)
        if value is not None and value > timezone.localdate():
            raise ValidationError(_("That day is still to come. When was it played?"), "future")
        if value is not None and value.year < 1970:
            raise ValidationError(_("Is the year right?"), "past")


class TokenField(forms.UUIDField):
    """A hidden one-time token, so that a form sent twice counts once."""

    def __init__(self) -> None:
        super().__init__(widget=forms.HiddenInput, initial=uuid.uuid4)


class CampaignForm(SettingsMixin):
    """A campaign: its name, notes and the rulebook's options."""

    name = NameField(label=gettext_lazy("Name of the campaign"))
    notes = NotesField(
        label=gettext_lazy("Notes"),
        help_text=gettext_lazy("House rules, dates, where you meet. All players see it."),
    )
    token = TokenField()

    def __init__(self, book: Book, current: Settings, *args: Any, **options: Any) -> None:
        fixed = options.pop("fixed", False)
        super().__init__(*args, **options)
        self.add_settings(book, current, campaign=True, disabled=fixed)
        self.helper = helper()


class GameForm(forms.Form):
    """Plan a game: the day, the gangs, the scenario (chosen, rolled, or rolled here)."""

    played_on = DayField(label=gettext_lazy("Day"), initial=timezone.localdate)
    gangs = forms.MultipleChoiceField(
        label=gettext_lazy("Who plays?"), widget=forms.CheckboxSelectMultiple, required=False
    )
    scenario = forms.ChoiceField(label=gettext_lazy("Scenario"), required=False)
    faces = forms.CharField(label=gettext_lazy("Our dice"), required=False, max_length=40)
    token = TokenField()

    def __init__(self, campaign: Campaign, gangs: Sequence[Gang], *args: Any, **options: Any):
        super().__init__(*args, **options)
        self.book = campaign.book
        self.by_key = {str(gang.pk): gang for gang in gangs}
        self._choices("gangs", [(key, _gang_label(gang)) for key, gang in self.by_key.items()])
        table = self.book.campaign.scenario_table
        choices = [("", _("Something of our own"))]
        if table is not None:
            dice = self.book.table[table].dice
            choices = [
                (ROLL, _("Roll %(dice)s for us now") % {"dice": dice}),
                (TYPED, _("We rolled %(dice)s ourselves") % {"dice": dice}),
                *choices,
            ]
            self.fields["faces"].help_text = _(
                "Only if you rolled yourselves: each die, as in “3 5”."
            )
        else:
            del self.fields["faces"]
        rows = self.book.in_force(self.book.scenarios, campaign.settings)
        choices += [(row.key, spoken(row.name)) for row in rows]
        self._choices("scenario", choices)
        self.helper = helper()

    def _choices(self, name: str, choices: list[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices

    def clean_gangs(self) -> list[Gang]:
        """The gangs themselves."""
        return [self.by_key[key] for key in self.cleaned_data["gangs"]]

    def clean(self) -> dict[str, Any]:
        """Dice typed in must be dice that the table's roll can show."""
        cleaned: dict[str, Any] = self.cleaned_data
        if cleaned.get("scenario") == TYPED:
            table = self.book.table[self.book.campaign.scenario_table or ""]
            try:
                choose_scenario(self.book, TYPED, cleaned.get("faces", ""))
            except BadRoll as bad:
                self.add_error("faces", bad_roll_sentence(bad, table.dice))
        return cleaned

    def chosen_scenario(self) -> tuple[str, Roll | None]:
        """The scenario and its roll: the dice fall now."""
        data = self.cleaned_data
        return choose_scenario(self.book, data["scenario"], data.get("faces", ""))


class JoinForm(forms.Form):
    """Which of one's gangs joins."""

    gang = forms.ChoiceField(label=gettext_lazy("Your gang"), widget=forms.RadioSelect)

    def __init__(self, gangs: Sequence[Gang], *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.by_key = {str(gang.pk): gang for gang in gangs}
        field = self.fields["gang"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(key, str(gang)) for key, gang in self.by_key.items()]
        if len(gangs) == 1:
            field.initial = str(gangs[0].pk)
        self.helper = helper()

    def clean_gang(self) -> Gang:
        """The gang itself."""
        return self.by_key[self.cleaned_data["gang"]]


class DisputeForm(forms.Form):
    """What is wrong with a report."""

    comment = forms.CharField(
        label=gettext_lazy("What is different from how you remember it?"),
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.helper = helper()


class RollForm(forms.Form):
    """Dice rolled at the table."""

    faces = forms.CharField(label=gettext_lazy("Your dice"), max_length=60, required=False)

    def __init__(self, dice: str, *args: Any, faces: Sequence[str] = (), **options: Any) -> None:
        """``faces``: what the sides of the die are called, if they are no numbers."""
        super().__init__(*args, **options)
        attrs = {"autocomplete": "off"}
        if faces:
            self.fields["faces"].label = _("Rolled it yourself?")
            attrs["placeholder"] = ", ".join(faces)
        else:
            self.fields["faces"].label = _("Rolled %(dice)s yourself?") % {"dice": dice.upper()}
            attrs |= {"inputmode": "numeric", "placeholder": _("each die")}
        self.fields["faces"].widget.attrs.update(attrs)
        self.helper = helper()
        self.helper.layout = Layout(Field("faces", wrapper_class="mb-0 flex-grow-1"))


class HireForm(forms.Form):
    """Whom to recruit, and from where if the game has origins."""

    rank = forms.ChoiceField(label=gettext_lazy("Rank"))
    origin = forms.ChoiceField(label=gettext_lazy("Origin"), required=False)
    name = NameField(label=gettext_lazy("Name"), required=False)

    def __init__(
        self, scene: Scene, choices: list[tuple[str, str]], *args: Any, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self._choices("rank", choices)
        origins = priced_origins(scene)
        if len(origins) > 1:
            self._choices("origin", origins)
            self.fields["origin"].label = origin_label(scene.book)
        else:
            del self.fields["origin"]
        self.helper = helper()

    def _choices(self, name: str, choices: list[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices


def bad_roll_sentence(bad: BadRoll, dice: str) -> str:
    """What was expected instead of the faces typed."""
    return ngettext(
        "%(dice)s: type one number from 1 to %(sides)s.",
        "%(dice)s: type %(count)s numbers from 1 to %(sides)s, one for each die.",
        bad.count,
    ) % {"dice": dice, "count": bad.count, "sides": bad.sides}


def _gang_label(gang: Gang) -> str:
    return f"{gang.name} ({gang.owner})" if gang.owner else gang.name
