"""Forms of campaigns. Each only reads and converts."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from crispy_forms.layout import Field, Layout
from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from gangs.forms import (
    NameField,
    NotesField,
    SettingsMixin,
    helper,
    origin_label,
    priced_origins,
    proposed_rank,
    rank_choices,
)
from gangs.models import Gang
from gangs.offers import Offer
from gangs.scene import Scene
from gangs.wording import money_unit
from rules.book import Book
from rules.dice import parse
from rules.schema import Rank
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


class JoinForm(forms.Form):
    """Which of one's gangs joins."""

    gang = forms.ChoiceField(label=gettext_lazy("Your gang"), widget=forms.RadioSelect)

    def __init__(self, gangs: Mapping[Gang, int], *args: Any, **options: Any) -> None:
        """``gangs``: the newest first, each with how much would be wrong with it."""
        super().__init__(*args, **options)
        self.by_key = {str(gang.pk): gang for gang in gangs}
        field = self.fields["gang"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(str(gang.pk), _joining(gang, wrong)) for gang, wrong in gangs.items()]
        field.initial = next(iter(self.by_key), None)
        self.helper = helper()

    def clean_gang(self) -> Gang:
        """The gang itself."""
        return self.by_key[self.cleaned_data["gang"]]


def _joining(gang: Gang, mistakes: int) -> str:
    if not mistakes:
        return str(gang)
    return ngettext(
        "%(gang)s – %(count)s mistake by the campaign’s options",
        "%(gang)s – %(count)s mistakes by the campaign’s options",
        mistakes,
    ) % {"gang": gang, "count": mistakes}


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
            example = " ".join(map(str, range(1, parse(dice)[0] + 1)))
            placeholder = _("such as %(faces)s") % {"faces": example}
            attrs |= {"inputmode": "numeric", "placeholder": placeholder}
        self.fields["faces"].widget.attrs.update(attrs)
        self.helper = helper()
        self.helper.layout = Layout(Field("faces", wrapper_class="mb-0 flex-grow-1"))


class HireForm(forms.Form):
    """Whom to recruit, and from where if the game has origins."""

    rank = forms.ChoiceField(label=gettext_lazy("Rank"))
    origin = forms.ChoiceField(label=gettext_lazy("Origin"), required=False)
    name = NameField(label=gettext_lazy("Name"), required=False)

    def __init__(
        self, scene: Scene, on_offer: Sequence[Offer[Rank]], *args: Any, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self._choices("rank", rank_choices(on_offer, money_unit(scene.book)))
        leads = not any(scene.book.rank[one.rank].leads for one in scene.roster.members)
        self.fields["rank"].initial = proposed_rank(on_offer, leads=leads)
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
