"""Acts: what an administrator may do, each with what happens said before, and written down after.

Each subject (an account, a gang, a campaign, a report) has a table of acts in a module of its own.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.db import transaction
from django.db.models import Model
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from accounts import quotas
from accounts.models import User
from administration.models import Act
from common.errors import Stale
from common.forms import CrispyForm, NameField, set_choices
from gangs.models import Gang
from gangs.pictures import storage as pictures_storage
from gangs.text.formats import shown_name

type Values = Mapping[str, Any]
TOLD_OWNER = gettext_lazy("The owner is notified, with the reason that you give.")


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


@dataclass(frozen=True)
class ActKind[S: Model]:
    """Something that may be done to a subject.

    ``key``: in addresses and in what is written down; ``label``: its button; ``warnings``: what
    will happen, said before; ``sentence``: what is written down, with ``%(by)s``, ``%(subject)s``
    and the values that ``carry_out`` returns, but for those whose name begins with ``_``.
    ``carry_out(subject, administrator, data, reason)`` does it, inside a transaction, where
    ``data`` is what the form asked for besides the reason; it may raise Refusal or Stale.
    ``offered``: whether it makes sense, and is theirs to do. ``repeats``: the same form sent twice
    gets its answer twice, but is written down once. ``ends``: afterwards the subject is gone.
    ``foretold``: what becomes of it, in the words that its owner would read.
    """

    key: str
    label: Promise
    sentence: Promise
    carry_out: Callable[[S, User, Values, str], Values]
    offered: Callable[[S, User], bool]
    warnings: tuple[Promise, ...] = ()
    form: Callable[..., ReasonForm] = ReasonForm
    icon: str = "gear"
    dangerous: bool = False
    repeats: bool = False
    ends: bool = False
    foretold: Callable[[S], list[str]] | None = None


@dataclass(frozen=True)
class Acts[S: Model]:
    """All that may be done to subjects of one sort; ``name`` says what one is called."""

    subject: Act.Subject
    name: Callable[[S], str]
    kinds: tuple[ActKind[S], ...] = field(default=())

    def offered(self, subject: S, administrator: User) -> list[ActKind[S]]:
        """What this administrator may do to the subject as it is now."""
        return [kind for kind in self.kinds if kind.offered(subject, administrator)]

    def perform(
        self,
        kind: ActKind[S],
        subject: S,
        administrator: User,
        *,
        reason: str,
        token: uuid.UUID,
        data: Values,
    ) -> Values | None:
        """Do it and write it down, in one transaction; returns what came of it, or None if this
        very form has done it before.

        Raises Stale if it is no longer offered, and whatever refuses it.
        """
        with transaction.atomic():
            row, new = Act.objects.get_or_create(
                token=token,
                defaults={
                    "kind": kind.key,
                    "by": administrator,
                    "by_name": administrator.username,
                    "subject": self.subject,
                    "key": str(subject.pk),
                    "subject_name": self.name(subject)[:150],
                    "reason": reason,
                },
            )
            if not new and not kind.repeats:
                return None
            if new:
                subject.refresh_from_db()
                if not kind.offered(subject, administrator):
                    raise Stale
            values = kind.carry_out(subject, administrator, data, reason)
            if new:
                told = {name: value for name, value in values.items() if not name.startswith("_")}
                Act.objects.filter(pk=row.pk).update(values=told)
        return values
