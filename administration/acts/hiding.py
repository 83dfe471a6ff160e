"""Acts that hide or rename something, and the acts that undo them with one press."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django import forms
from django.db.models import Model
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from accounts.models import User
from accounts.notices import notify
from administration.acts.kinds import ActKind, ReasonForm, Values
from administration.models import Act
from common.errors import Stale
from common.forms import NameField, set_choices
from gangs.models import Gang
from gangs.text.formats import shown_name

type Owners[S] = Callable[[S], Iterable[User | None]]
# Sentences of the record: of an act and of the one that undoes it.
HIDING: Mapping[Act.Subject, tuple[Promise, Promise]] = {
    Act.Subject.GANG: (
        gettext_lazy("%(by)s hid the gang %(subject)s."),
        gettext_lazy("%(by)s showed the gang %(subject)s again."),
    ),
    Act.Subject.CAMPAIGN: (
        gettext_lazy("%(by)s hid the campaign %(subject)s."),
        gettext_lazy("%(by)s showed the campaign %(subject)s again."),
    ),
    Act.Subject.VARIANT: (
        gettext_lazy("%(by)s hid the variant %(subject)s."),
        gettext_lazy("%(by)s showed the variant %(subject)s again."),
    ),
    Act.Subject.DRAFT: (
        gettext_lazy("%(by)s hid the players’ game %(subject)s."),
        gettext_lazy("%(by)s showed the players’ game %(subject)s again."),
    ),
}
RENAMING: Mapping[Act.Subject, tuple[Promise, Promise]] = {
    Act.Subject.GANG: (
        gettext_lazy("%(by)s renamed %(before)s to %(after)s (gang: %(subject)s)."),
        gettext_lazy("%(by)s renamed %(before)s to %(after)s again (gang: %(subject)s)."),
    ),
    Act.Subject.CAMPAIGN: (
        gettext_lazy("%(by)s renamed the campaign %(subject)s to %(after)s."),
        gettext_lazy("%(by)s renamed the campaign %(subject)s to %(after)s again."),
    ),
    Act.Subject.VARIANT: (
        gettext_lazy("%(by)s renamed the variant %(subject)s to %(after)s."),
        gettext_lazy("%(by)s renamed the variant %(subject)s to %(after)s again."),
    ),
}
# Writes another name to a part of a subject ("" is the subject itself); returns the name before.
type Rename[S] = Callable[[S, str, str, User], str]
# Reads the present name of a part of a subject; None if there is no such part.
type ReadName[S] = Callable[[S, str], str | None]


class NewNameForm(ReasonForm):
    """Another name for the subject."""

    name = NameField(label=gettext_lazy("New name"))

    def __init__(self, subject: Any, *args: Any, **options: Any) -> None:
        super().__init__(subject, *args, **options)
        self.order_fields(["name"])


class GangNameForm(NewNameForm):
    """Another name for a gang or one of its members."""

    part = forms.ChoiceField(
        label=gettext_lazy("Whose name?"), widget=forms.RadioSelect, required=False
    )

    def __init__(self, subject: Gang, *args: Any, **options: Any) -> None:
        super().__init__(subject, *args, **options)
        members = ((str(one.id), shown_name(subject.book, one)) for one in subject.roster.members)
        set_choices(self, "part", [("", subject.name), *members])
        self.initial["part"] = ""
        self.order_fields(["part", "name"])


def make_hiding[S: Model](
    sort: Act.Subject, owners: Owners[S], url: Callable[[S], str], warnings: tuple[Promise, ...]
) -> tuple[ActKind[S], ActKind[S]]:
    """Return the acts that hide a subject, by its ``hidden_why``, and show it again.

    ``warnings`` describe the effect; the owners get a notice that leads to ``url``.
    """

    def write(subject: S, by: User, why: str, kind: str, reason: str) -> Values:
        type(subject)._default_manager.filter(pk=subject.pk).update(hidden_why=why)
        values = {"name": str(subject), "reason": reason}
        notify(owners(subject), kind, values, url(subject), except_for=by)
        return {}

    return (
        ActKind(
            "hide",
            gettext_lazy("Hide"),
            HIDING[sort][0],
            lambda subject, by, data, reason: write(subject, by, reason, "hidden", reason),
            lambda subject, by: not subject.hidden_why,  # type: ignore[attr-defined]
            warnings=(*warnings, TOLD_AUTHOR),
            icon="eye",
            is_dangerous=True,
        ),
        ActKind(
            "show",
            gettext_lazy("Show again"),
            HIDING[sort][1],
            lambda subject, by, data, reason: write(subject, by, "", "shown_again", reason),
            lambda subject, by: bool(subject.hidden_why),  # type: ignore[attr-defined]
            icon="arrow-counterclockwise",
            undoes=True,
        ),
    )


TOLD_AUTHOR = gettext_lazy(
    "Its owner or author is notified, with the reason that you give. One press undoes it."
)


def make_renaming[S: Model](
    sort: Act.Subject,
    read: ReadName[S],
    rename: Rename[S],
    owners: Owners[S],
    url: Callable[[S], str],
    *,
    form: Callable[..., ReasonForm] = NewNameForm,
    warnings: tuple[Promise, ...] = (),
) -> tuple[ActKind[S], ActKind[S]]:
    """Return the acts that give a subject another name, and its own again.

    The second undoes the latest act of the first kind whose name is still in use.
    """

    def write(subject: S, part: str, name: str, by: User, reason: str) -> dict[str, Any]:
        before = rename(subject, part, name, by)
        values = {"before": before, "after": name, "reason": reason}
        notify(owners(subject), "renamed", values, url(subject), except_for=by)
        return {"before": before, "after": name, "part": part}

    def carry_out(subject: S, by: User, data: Values, reason: str) -> Values:
        return write(subject, data.get("part", ""), data["name"], by, reason)

    def undo(subject: S, by: User, data: Values, reason: str) -> Values:
        act = find_renaming(sort, subject, read)
        if act is None:
            raise Stale
        done = write(subject, act.values["part"], act.values["before"], by, reason)
        return {**done, "undid": act.pk}

    return (
        ActKind(
            "rename",
            gettext_lazy("Rename"),
            RENAMING[sort][0],
            carry_out,
            lambda subject, by: True,
            warnings=(*warnings, TOLD_AUTHOR),
            form=form,
            icon="pencil",
        ),
        ActKind(
            "rename-back",
            gettext_lazy("Undo the renaming"),
            RENAMING[sort][1],
            undo,
            lambda subject, by: find_renaming(sort, subject, read) is not None,
            icon="arrow-counterclockwise",
            undoes=True,
        ),
    )


def find_renaming[S: Model](sort: Act.Subject, subject: S, read: ReadName[S]) -> Act | None:
    """Return the latest renaming that is neither undone nor overtaken by another name."""
    acts = Act.objects.filter(
        subject=sort, key=str(subject.pk), kind__in=["rename", "rename-back"]
    )[:50]
    undone = {act.values.get("undid") for act in acts}
    for act in acts:
        if act.kind != "rename" or act.pk in undone or "part" not in act.values:
            continue
        if read(subject, act.values["part"]) == act.values["after"]:
            return act
    return None
