"""What an administrator is asked for before something is done."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext_lazy

from accounts import quotas
from common.forms import CrispyForm, NameField, set_choices
from gangs.pictures import storage as pictures_storage
from gangs.text.formats import shown_name

if TYPE_CHECKING:
    from accounts.models import User
    from gangs.models import Gang


class ReasonForm(CrispyForm):
    """Why something is done. The token makes the same form do it once."""

    reason = NameField(
        label=gettext_lazy("Why?"),
        max_length=300,
        help_text=gettext_lazy("Recorded with your name; all administrators can read it."),
    )
    token = forms.UUIDField(widget=forms.HiddenInput, initial=uuid.uuid4)

    def __init__(self, subject: Any, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.subject = subject

    def details(self) -> dict[str, Any]:
        """What was chosen besides the reason."""
        given = dict(self.cleaned_data)
        del given["reason"], given["token"]
        return given


class NoteForm(ReasonForm):
    """What was done about something that was reported."""

    reason = NameField(
        label=gettext_lazy("What did you do about it?"),
        max_length=300,
        help_text=gettext_lazy("Recorded with your name; all administrators can read it."),
    )


class QuotaForm(ReasonForm):
    """How much an account may have; an empty field: as much as everybody."""

    def __init__(self, subject: User, *args: Any, **options: Any) -> None:
        super().__init__(subject, *args, **options)
        granted = dict(subject.quotas.values_list("kind", "most"))
        for kind in reversed(quotas.kinds()):
            usual = quotas.usual(kind.key)
            self.fields[kind.key] = forms.IntegerField(
                label=str(kind.name),
                required=False,
                min_value=0,
                max_value=100_000,
                initial=granted.get(kind.key),
                help_text=gettext_lazy("Empty: the usual limit, %(usual)s") % {"usual": usual},
            )
        self.order_fields([kind.key for kind in quotas.kinds()])


class PicturesForm(ReasonForm):
    """Which of a gang's pictures."""

    pictures = forms.MultipleChoiceField(
        label=gettext_lazy("Which pictures?"), widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, subject: Gang, *args: Any, **options: Any) -> None:
        super().__init__(subject, *args, **options)
        set_choices(self, "pictures", picture_choices(subject))
        self.order_fields(["pictures"])


def picture_choices(gang: Gang) -> list[tuple[str, Any]]:
    """The gang's pictures, as (place, whose)."""
    names = {str(who.id): shown_name(gang.book, who) for who in gang.roster.everyone()}
    names[pictures_storage.BADGE] = str(gettext_lazy("The gang’s badge"))
    places = sorted(gang.pictures, key=lambda place: (place != pictures_storage.BADGE, place))
    return [(place, names.get(place, place)) for place in places]
