"""Acts: what an administrator may do, each with what happens said before, and written down after.

Each subject (an account, a gang, a campaign, a report) has a table of acts in a module of its own.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.db.models import Model
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from accounts.models import User
from administration.acts.forms import ReasonForm
from administration.models import Act
from common.errors import Stale

type Values = Mapping[str, Any]
TOLD_OWNER = gettext_lazy("The owner is told, with the reason you give.")


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
