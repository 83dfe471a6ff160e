"""Acts: things administrators may do, with warnings before and a record afterwards.

Each subject (an account, a gang, a campaign, a report, a task, a rulebook) has a table of acts in
its module.
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
    """The reason for an act. The token makes the same form act only once."""

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
        """Return the form's values other than the reason and the token."""
        given = dict(self.cleaned_data)
        del given["reason"], given["token"]
        return given


class NoteForm(ReasonForm):
    """A note about the action taken on a report."""

    reason = NameField(
        label=gettext_lazy("What did you do about it?"),
        max_length=300,
        help_text=gettext_lazy("Recorded with your name; all administrators can read it."),
    )


class QuotaForm(ReasonForm):
    """An account's limits; an empty field means the usual limit."""

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
    """A selection of a gang's pictures."""

    pictures = forms.MultipleChoiceField(
        label=gettext_lazy("Which pictures?"), widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, subject: Gang, *args: Any, **options: Any) -> None:
        super().__init__(subject, *args, **options)
        set_choices(self, "pictures", picture_choices(subject))
        self.order_fields(["pictures"])


def picture_choices(gang: Gang) -> list[tuple[str, Any]]:
    """Return the gang's pictures as pairs of place and member's name."""
    names = {str(who.id): shown_name(gang.book, who) for who in gang.roster.everyone()}
    names[pictures_storage.BADGE] = str(gettext_lazy("The gang’s badge"))
    places = sorted(gang.pictures, key=lambda place: (place != pictures_storage.BADGE, place))
    return [(place, names.get(place, place)) for place in places]


@dataclass(frozen=True)
class ActKind[S: Model]:
    """An act that administrators may carry out on a subject.

    ``key`` appears in addresses and in the record; ``label`` is the button; ``warnings`` are shown
    before. ``sentence`` is the record's text, with ``%(by)s``, ``%(subject)s`` and the values that
    ``carry_out`` returns, except those whose names start with ``_``. ``carry_out(subject,
    administrator, data, reason)`` runs in a transaction; ``data`` has the form's other values; it
    may raise Refusal or Stale. ``offered`` tells whether the act is useful now and allowed to this
    administrator. ``repeats``: sending the same form again carries the act out again, without a
    second record. ``ends``: the act deletes the subject. ``undoes``: the act only puts back what
    another has changed, so one press does it, with a reason of its own. ``foretold`` describes the
    effects in the words that the owner would read.
    """

    key: str
    label: Promise
    sentence: Promise
    carry_out: Callable[[S, User, Values, str], Values]
    offered: Callable[[S, User], bool]
    warnings: tuple[Promise, ...] = ()
    form: Callable[..., ReasonForm] = ReasonForm
    icon: str = "gear"
    is_dangerous: bool = False
    repeats: bool = False
    ends: bool = False
    undoes: bool = False
    foretold: Callable[[S], list[str]] | None = None

    @property
    def token(self) -> uuid.UUID:
        """Return a new token, for the form of a single press."""
        return uuid.uuid4()


@dataclass(frozen=True)
class Acts[S: Model]:
    """All acts for one kind of subject; ``name`` returns a subject's name."""

    subject: Act.Subject
    name: Callable[[S], str]
    kinds: tuple[ActKind[S], ...] = field(default=())

    def offered(self, subject: S, administrator: User) -> list[ActKind[S]]:
        """Return the acts that this administrator may carry out on the subject now."""
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
        """Carry out and record an act in one transaction; return the values of ``carry_out``.

        Returns None if this form has already done it. Raises Stale if the act is no longer offered,
        and any exception of ``carry_out``.
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
