"""Acts of administrators on rulebooks. None of them changes a version: gangs keep theirs."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.dates import date_format
from accounts.models import User
from administration.acts.kinds import ActKind, Acts, ReasonForm, Values
from administration.models import Act
from administration.usage import find_usage, find_users
from common.errors import Stale
from common.forms import set_choices
from rules.library import Needed, book_of, load, remove
from rules.models import BookVersion, Rulebook


def describe_version(version: BookVersion) -> str:
    """A version's edition, the start of its digest, and the day it was loaded."""
    day = date_format(timezone.localtime(version.loaded_at), "j N Y")
    return f"{book_of(version.digest).edition} · {version.digest[:8]} · {day}"


class VersionForm(ReasonForm):
    """A choice of one of a rulebook’s versions."""

    version = forms.ChoiceField(
        label=gettext_lazy("Which version?"), widget=forms.RadioSelect, required=True
    )

    def __init__(self, subject: Rulebook, *args: Any, **options: Any) -> None:
        super().__init__(subject, *args, **options)
        newest = BookVersion.objects.newest_digest(subject.slug)
        choices = [
            (version.digest, describe_version(version))
            for version in subject.versions()
            if self.is_choice(version, newest)
        ]
        set_choices(self, "version", choices)
        self.order_fields(["version"])

    def is_choice(self, version: BookVersion, newest: str) -> bool:
        """Whether the version can be chosen."""
        return version.digest != newest


class RemoveVersionForm(VersionForm):
    """A version that nothing needs."""

    def is_choice(self, version: BookVersion, newest: str) -> bool:
        """Every version is listed, since the answer says why one must stay."""
        return True

    def clean_version(self) -> str:
        """Refuse a version that is needed, with the reason."""
        digest = str(self.cleaned_data["version"])
        usage = find_usage([digest])[digest]
        if usage.is_needed:
            raise ValidationError(
                _("This version is needed: %(usage)s.") % {"usage": usage.describe()}
            )
        return digest


class RemoveForm(ReasonForm):
    """The reason for removing a rulebook that nothing needs."""

    def clean(self) -> None:
        """Refuse a rulebook that is needed, and name what needs it."""
        super().clean()
        usages = find_usage(version.digest for version in self.subject.versions())
        if not any(usage.is_needed for usage in usages.values()):
            return
        users = find_users(self.subject.slug)
        names = [str(one) for one in (*users.gangs, *users.campaigns, *users.variants)]
        told = ", ".join(names) or _("the past of gangs and campaigns")
        raise ValidationError(
            _("This rulebook is needed: %(users)s. You can hide it instead.") % {"users": told}
        )


def _hide(rulebook: Rulebook, by: User, data: Values, reason: str) -> Values:
    Rulebook.objects.filter(pk=rulebook.pk).update(is_hidden=True)
    return {}


def _show(rulebook: Rulebook, by: User, data: Values, reason: str) -> Values:
    Rulebook.objects.filter(pk=rulebook.pk).update(is_hidden=False)
    return {}


def _make_newest(rulebook: Rulebook, by: User, data: Values, reason: str) -> Values:
    book = book_of(data["version"])
    load(book)
    return _named(data["version"])


def _pin(rulebook: Rulebook, by: User, data: Values, reason: str) -> Values:
    digest = BookVersion.objects.newest_digest(rulebook.slug)
    Rulebook.objects.filter(pk=rulebook.pk).update(pinned=digest)
    return _named(digest)


def _unpin(rulebook: Rulebook, by: User, data: Values, reason: str) -> Values:
    # The version that was pinned stays the newest until another one comes.
    digest = BookVersion.objects.newest_digest(rulebook.slug)
    Rulebook.objects.filter(pk=rulebook.pk).update(pinned=None)
    load(book_of(digest))
    return {}


def _remove_version(rulebook: Rulebook, by: User, data: Values, reason: str) -> Values:
    named = _named(data["version"])
    _take_out(rulebook, data["version"])
    return named


def _remove(rulebook: Rulebook, by: User, data: Values, reason: str) -> Values:
    return {"count": _take_out(rulebook)}


def _take_out(rulebook: Rulebook, digest: str = "") -> int:
    try:
        return remove(rulebook.slug, digest)
    except Needed:
        # Somebody has begun to use it since the form was checked.
        raise Stale from None


def _publish(rulebook: Rulebook, by: User, data: Values, reason: str) -> Values:
    loaded = load(data["book"])
    if data["pinned"]:
        Rulebook.objects.filter(pk=rulebook.pk).update(pinned=loaded.version)
    return _named(loaded.version.digest)


def _named(digest: str) -> Values:
    return {"version": f"{book_of(digest).edition} ({digest[:8]})"}


def _has_others(rulebook: Rulebook, by: User) -> bool:
    return rulebook.versions().count() > 1


KEPT = gettext_lazy("Gangs and campaigns keep their version until somebody switches it.")
FOR_GOOD = gettext_lazy("A restart of the site does not store it again; an upload does.")
RULEBOOK_ACTS: Acts[Rulebook] = Acts(
    Act.Subject.RULEBOOK,
    str,
    (
        ActKind(
            "hide",
            gettext_lazy("Hide it from the lists"),
            gettext_lazy("%(by)s hid the rulebook %(subject)s from the lists."),
            _hide,
            lambda rulebook, by: not rulebook.is_hidden,
            warnings=(
                gettext_lazy(
                    "The front page and the lists of games leave it out. Its own pages stay, and "
                    "gangs and campaigns go on."
                ),
            ),
            icon="eye",
        ),
        ActKind(
            "show",
            gettext_lazy("Show it in the lists"),
            gettext_lazy("%(by)s showed the rulebook %(subject)s in the lists again."),
            _show,
            lambda rulebook, by: rulebook.is_hidden,
            icon="eye",
        ),
        ActKind(
            "make-newest",
            gettext_lazy("Make another version the newest"),
            gettext_lazy("%(by)s made %(version)s the newest version of the rulebook %(subject)s."),
            _make_newest,
            _has_others,
            warnings=(KEPT,),
            form=VersionForm,
            icon="arrow-up",
        ),
        ActKind(
            "pin",
            gettext_lazy("Pin the newest version"),
            gettext_lazy("%(by)s pinned %(version)s of the rulebook %(subject)s."),
            _pin,
            lambda rulebook, by: rulebook.pinned_id is None,
            warnings=(
                gettext_lazy(
                    "It stays the newest when a release of the program brings another version, "
                    "which is stored behind it."
                ),
            ),
            icon="lock",
        ),
        ActKind(
            "unpin",
            gettext_lazy("Unpin the version"),
            gettext_lazy("%(by)s unpinned the rulebook %(subject)s."),
            _unpin,
            lambda rulebook, by: rulebook.pinned_id is not None,
            icon="lock",
        ),
        ActKind(
            "remove-version",
            gettext_lazy("Remove a version"),
            gettext_lazy("%(by)s removed %(version)s of the rulebook %(subject)s."),
            _remove_version,
            _has_others,
            warnings=(FOR_GOOD,),
            form=RemoveVersionForm,
            icon="trash",
            dangerous=True,
        ),
        ActKind(
            "remove",
            gettext_lazy("Remove the rulebook"),
            gettext_lazy("%(by)s removed the rulebook %(subject)s, versions: %(count)s."),
            _remove,
            lambda rulebook, by: True,
            warnings=(FOR_GOOD,),
            form=RemoveForm,
            icon="trash",
            dangerous=True,
            ends=True,
        ),
    ),
)
PUBLISH: ActKind[Rulebook] = ActKind(
    "publish",
    gettext_lazy("Publish"),
    gettext_lazy("%(by)s published %(version)s of the rulebook %(subject)s."),
    _publish,
    lambda rulebook, by: True,
    icon="upload",
)
# An upload has a page of its own, where the act begins.
UPLOADS: Acts[Rulebook] = Acts(Act.Subject.RULEBOOK, str, (PUBLISH,))
