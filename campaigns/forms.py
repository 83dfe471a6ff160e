"""Forms of campaigns. They only read and convert input."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Any

from crispy_forms.layout import Field, Layout
from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from campaigns.engine import rolls
from campaigns.engine.rolls import DiceRequest
from common.forms import NameField, NotesField, helper, set_choices
from gangs.builder.forms import RecruitForm, SettingsMixin, ask
from gangs.engine import offers
from gangs.engine.computed import ComputedGang
from gangs.engine.offers import Offer
from gangs.engine.validation import Finding
from gangs.models import Gang
from gangs.text.dice import bad_faces_sentence, face_names
from gangs.text.formats import localize
from rules.book.model import Book
from rules.book.schema import Rank
from rules.book.vocabulary import Settings
from rules.engine.dice import BadFaces, Thrower, parse


class PlannedDayField(forms.DateField):
    """A day in the past or the future."""

    def __init__(self, **options: Any) -> None:
        widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
        super().__init__(widget=widget, **options)

    def validate(self, value: date | None) -> None:
        """Reject a mistyped year: before 1970, or more than five years ahead."""
        super().validate(value)
        if value is not None and not 1970 <= value.year <= timezone.localdate().year + 5:
            raise ValidationError(_("Is the year right?"), "year")


class DayField(PlannedDayField):
    """A day in the past, or today."""

    def validate(self, value: date | None) -> None:
        """Reject days in the future."""
        if value is not None and value > timezone.localdate():
            raise ValidationError(_("That day is in the future. When was it played?"), "future")
        super().validate(value)


class TokenField(forms.UUIDField):
    """A hidden one-time token, so that a form submitted twice counts once."""

    def __init__(self) -> None:
        super().__init__(widget=forms.HiddenInput, initial=uuid.uuid4)


def offer_gangs(form: forms.Form, name: str, labels: Mapping[Gang, str]) -> None:
    """Let a typed field offer these gangs by their labels; its value is a gang."""
    set_choices(form, name, [(str(gang.pk), label) for gang, label in labels.items()])
    field = form.fields[name]
    assert isinstance(field, forms.TypedChoiceField | forms.TypedMultipleChoiceField)
    field.coerce = {str(gang.pk): gang for gang in labels}.__getitem__


class CampaignForm(SettingsMixin):
    """A campaign: its name, notes and the rulebook's options."""

    name = NameField(label=gettext_lazy("Name of the campaign"))
    notes = NotesField(
        label=gettext_lazy("Notes"),
        help_text=gettext_lazy("House rules, dates, where you meet. All players see it."),
    )
    no_odds = forms.BooleanField(
        label=gettext_lazy("No odds at the table"),
        help_text=gettext_lazy("Nobody sees odds during a game."),
        required=False,
    )
    dice_stand = forms.BooleanField(
        label=gettext_lazy("Rolls are final"),
        help_text=gettext_lazy(
            "Nobody undoes a roll that the site made at a table. Otherwise another player is asked."
        ),
        required=False,
    )
    token = TokenField()

    def __init__(
        self, book: Book, current: Settings, *args: Any, fixed: bool = False, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self.add_settings(book, current, campaign=True, disabled=fixed)
        self.helper = helper()


class JoinForm(forms.Form):
    """A choice of one of the player's gangs to join."""

    gang = forms.TypedChoiceField(label=gettext_lazy("Your gang"), widget=forms.RadioSelect)

    def __init__(self, gangs: Mapping[Gang, Sequence[Finding]], *args: Any, **options: Any) -> None:
        """``gangs``: the newest first, each with its errors under the campaign's options."""
        super().__init__(*args, **options)
        offer_gangs(
            self, "gang", {gang: _joining(gang, len(found)) for gang, found in gangs.items()}
        )
        self.fields["gang"].initial = next((str(gang.pk) for gang in gangs), None)
        self.helper = helper()


def _joining(gang: Gang, mistakes: int) -> str:
    if not gang.size:
        return _("%(gang)s – no members yet: it cannot be paired until it has") % {"gang": gang}
    if not mistakes:
        return str(gang)
    return ngettext(
        "%(gang)s – %(count)s error under the campaign’s options",
        "%(gang)s – %(count)s errors under the campaign’s options",
        mistakes,
    ) % {"gang": gang, "count": mistakes}


class DisputeForm(forms.Form):
    """A player's objection to a report."""

    comment = NotesField(
        required=True,
        label=gettext_lazy("What is wrong?"),
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    helper = helper()


class RollForm(forms.Form):
    """The faces of dice that were rolled at the table."""

    faces = NameField(label=gettext_lazy("Your dice"), max_length=60, required=False)

    def __init__(self, dice: str, *args: Any, faces: Sequence[str] = (), **options: Any) -> None:
        """``faces``: the names of the die's sides, if they are not numbers."""
        super().__init__(*args, **options)
        attrs = {"autocomplete": "off"}
        if faces:
            self.fields["faces"].label = _("Rolled it yourself?")
            attrs["placeholder"] = ", ".join(faces)
        else:
            self.fields["faces"].label = _("Rolled %(dice)s yourself?") % {"dice": dice.upper()}
            example = " ".join(map(str, range(1, parse(dice)[0] + 1)))
            placeholder = _("e.g. %(faces)s") % {"faces": example}
            attrs |= {"inputmode": "numeric", "placeholder": placeholder}
        self.fields["faces"].widget.attrs.update(attrs)
        self.helper = helper()
        self.helper.layout = Layout(Field("faces", wrapper_class="mb-0 flex-grow-1"))


def roll_forms(
    requests: Iterable[DiceRequest], bad: tuple[str, RollForm] | None = None
) -> dict[str, RollForm]:
    """A form for each roll that is still to be made, by key; ``bad``: the key and the form of a
    roll that was submitted with impossible faces."""
    forms = {
        request.key: RollForm(
            request.dice, faces=face_names(request.table), auto_id=f"id_{number}_%s"
        )
        for number, request in enumerate(requests)
        if request.roll is None
    }
    if bad is not None and bad[0] in forms:
        forms[bad[0]] = bad[1]
    return forms


def bad_faces_form(data: QueryDict, request: DiceRequest, bad: BadFaces) -> RollForm:
    """The form with the impossible faces that were typed in, and the error."""
    form = RollForm(request.dice, data, faces=face_names(request.table))
    form.add_error("faces", bad_faces_sentence(bad, request.dice, request.table))
    return form


class OverruleForm(forms.Form):
    """Other faces for a final roll, and the reason for the change."""

    faces = NameField(max_length=60, required=False)
    why = NameField(max_length=300)


def posted_roll(data: QueryDict, by: Thrower) -> rolls.Change | None:
    """The change of rolls that a submitted button asks for; None if it is about something else.
    ``by``: the thrower of the application's dice."""
    key = data.get("key", "")
    match data.get("act"):
        case "throw":
            return partial(rolls.throw_one, key=key, by=by)
        case "throw-all":
            return partial(rolls.throw_all, by=by)
        case "typed":
            return partial(rolls.take_over, key=key, faces=data.get("faces", ""))
        case "correct":
            return partial(rolls.forget, key=key)
    return None


class HireForm(RecruitForm):
    """A recruit: rank, name, an origin if the game has them, a profession if the rank has any."""

    rank = forms.ChoiceField(label=gettext_lazy("Rank"))
    profession = forms.ChoiceField(label=gettext_lazy("Profession"), required=False)
    name = NameField(label=gettext_lazy("Name"), required=False)
    count = None  # type: ignore[assignment]

    field_order = ("rank", "origin", "owner", "profession", "name")

    def offer(self, computed: ComputedGang, on_offer: Sequence[Offer[Rank]] | None = None) -> None:
        """Add the field for a profession, too, if a rank on offer has any."""
        super().offer(computed, on_offer)
        self.book = book = computed.book
        if book.profession_name:
            self.fields["profession"].label = localize(book.profession_name)
        rows = {
            one.row.key: localize(one.row.name)
            for offer in on_offer or ()
            for one in offers.professions_of(computed, offer.row.key)
        }
        ask(self, "profession", [("", _("chosen later")), *rows.items()] if rows else [])

    def clean(self) -> dict[str, Any]:
        """Ignore a profession for a rank that has none."""
        cleaned: dict[str, Any] = self.cleaned_data
        if cleaned.get("rank") and self.book.rank[cleaned["rank"]].profession == "none":
            cleaned["profession"] = ""
        return cleaned

    def lacks_leader(self, computed: ComputedGang) -> bool:
        """Propose a leader only while the gang has none."""
        return not any(computed.book.rank[member.rank].leads for member in computed.roster.members)
