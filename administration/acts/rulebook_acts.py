"""Acts of administrators on rulebooks. None of them changes a version: gangs keep theirs."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.dates import date_format
from accounts.models import User
from accounts.notices import notify
from administration.acts.kinds import ActKind, Acts, ReasonForm, Values
from administration.models import Act
from administration.usage import find_usage, find_users
from common.errors import Stale
from common.forms import set_choices
from rules.library import Needed, book_of, load, remove, take_off
from rules.models import BookDraft, BookVersion, Rulebook, SharedGame
from rules.shelf.forms import fill_licence, licence_fields, read_licence
from rules.shelf.store import TooLargeToShare, share


def describe_version(version: BookVersion) -> str:
    """A version's edition, the start of its digest, and the day it was loaded; for a published
    state of a player's own game, its number, too."""
    day = date_format(timezone.localtime(version.loaded_at), "j N Y")
    words = f"{book_of(version.digest).edition} · {version.digest[:8]} · {day}"
    if version.number is None:
        return words
    return f"{_('Version %(number)s') % {'number': version.number}} · {words}"


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
        return version.is_listed and version.digest != newest


class OfferForm(VersionForm):
    """A published state of a player's own game that is not on the front page."""

    def is_choice(self, version: BookVersion, newest: str) -> bool:
        """Only such states are listed, the newest first."""
        return not version.is_listed


class RemoveVersionForm(VersionForm):
    """A version that nothing needs."""

    def is_choice(self, version: BookVersion, newest: str) -> bool:
        """Every version of the site's own is listed, since the answer says why one must stay."""
        return version.draft_id is None

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
        own = self.subject.versions().filter(draft=None)
        usages = find_usage(version.digest for version in own)
        if not any(usage.is_needed for usage in usages.values()):
            return
        users = find_users(self.subject.slug)
        names = [str(one) for one in (*users.gangs, *users.campaigns, *users.variants)]
        told = ", ".join(names) or _("the past of gangs and campaigns")
        raise ValidationError(
            _("This rulebook is needed: %(users)s. You can hide it instead.") % {"users": told}
        )


class ShelveForm(ReasonForm):
    """The licence under which the site shares a rulebook, and that it may."""

    def __init__(self, subject: Rulebook, *args: Any, **options: Any) -> None:
        super().__init__(subject, *args, **options)
        self.fields.update(licence_fields())
        self.initial = {**self.initial, **fill_licence(_site_licence(subject))}
        self.order_fields(["licence", "other", "may_share"])

    def clean(self) -> dict[str, Any]:
        """Put the licence in words into ``licence``."""
        cleaned = super().clean() or self.cleaned_data
        if "licence" in cleaned:
            cleaned["licence"] = read_licence(cleaned)
        return cleaned


def _site_licence(rulebook: Rulebook) -> str:
    digest = BookVersion.objects.newest_digest(rulebook.slug)
    return (book_of(digest).licence or "") if digest else ""


def _offer(rulebook: Rulebook, by: User, data: Values, reason: str) -> Values:
    load(book_of(data["version"]))
    _tell_author(rulebook, by, "game_offered", reason)
    return _named(data["version"])


def _take_off(rulebook: Rulebook, by: User, data: Values, reason: str) -> Values:
    take_off(rulebook.slug)
    _tell_author(rulebook, by, "game_taken_off", reason)
    return {}


def _tell_author(rulebook: Rulebook, by: User, kind: str, reason: str) -> None:
    draft = BookDraft.objects.filter(slug=rulebook.slug).select_related("owner").first()
    if draft is None:
        return
    state = draft.states.order_by("-loaded_at", "-pk").values_list("pk", flat=True)[0]
    game = book_of(state).name.translated(draft.owner.language or settings.LANGUAGE_CODE)
    told = {"game": game, "reason": reason}
    notify([draft.owner], kind, told, draft.get_absolute_url(), except_for=by)


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


def _shelve(rulebook: Rulebook, by: User, data: Values, reason: str) -> Values:
    digest = BookVersion.objects.newest_digest(rulebook.slug)
    try:
        share(rulebook, digest, data["licence"], by=by)
    except TooLargeToShare:
        # Its files have grown since the form was checked.
        raise Stale from None
    return {**_named(digest), "licence": data["licence"]}


def _unshelve(rulebook: Rulebook, by: User, data: Values, reason: str) -> Values:
    shared = SharedGame.objects.filter(rulebook=rulebook).first()
    if shared is None:
        raise Stale
    is_players = shared.draft_id is not None
    shared.delete()
    if is_players:
        _tell_author(rulebook, by, "game_off_shelf", reason)
    return {}


def _may_shelve(rulebook: Rulebook, by: User) -> bool:
    """Whether the newest version is the site's own, whose administrators decide, and not on the
    shelf yet."""
    newest = BookVersion.objects.newest().filter(slug=rulebook.slug, draft=None)
    shared = SharedGame.objects.filter(rulebook=rulebook)
    return (
        newest.exclude(pk__in=shared.values("version")).exists()
        and not shared.exclude(draft=None).exists()
    )


def _is_shelved(rulebook: Rulebook, by: User) -> bool:
    return SharedGame.objects.filter(rulebook=rulebook).exists()


def _is_listed(rulebook: Rulebook, by: User) -> bool:
    return rulebook.versions().rulebooks().exists()


def _has_others(rulebook: Rulebook, by: User) -> bool:
    return rulebook.versions().rulebooks().count() > 1


def _has_own(rulebook: Rulebook, by: User) -> bool:
    """Whether the site has versions that are no player's."""
    return rulebook.versions().filter(draft=None).exists()


def _has_candidates(rulebook: Rulebook, by: User) -> bool:
    return rulebook.versions().filter(offered=False).exclude(number=None).exists()


def _has_offered(rulebook: Rulebook, by: User) -> bool:
    return rulebook.versions().filter(offered=True).exclude(draft=None).exists()


KEPT = gettext_lazy("Gangs and campaigns keep their version until somebody switches it.")
TOLD_AUTHOR = gettext_lazy("The author is notified, with the reason that you give.")
FOR_GOOD = gettext_lazy("A restart of the site does not store it again; an upload does.")
RULEBOOK_ACTS: Acts[Rulebook] = Acts(
    Act.Subject.RULEBOOK,
    str,
    (
        ActKind(
            "offer",
            gettext_lazy("Put it on the front page"),
            gettext_lazy("%(by)s put %(version)s of the rulebook %(subject)s on the front page."),
            _offer,
            _has_candidates,
            warnings=(
                gettext_lazy(
                    "Everybody finds this game of a player on the front page and in the lists of "
                    "games, with its author’s name. Versions that its author publishes later wait "
                    "for you again."
                ),
                KEPT,
                TOLD_AUTHOR,
            ),
            form=OfferForm,
            icon="book",
        ),
        ActKind(
            "take-off",
            gettext_lazy("Take it off the front page"),
            gettext_lazy("%(by)s took the rulebook %(subject)s off the front page."),
            _take_off,
            _has_offered,
            warnings=(
                gettext_lazy(
                    "It is its author’s own game again: the front page and the lists leave it out, "
                    "and the address with its short name ends. Links to a version stay, and gangs "
                    "and campaigns go on."
                ),
                TOLD_AUTHOR,
            ),
            icon="book",
        ),
        ActKind(
            "shelve",
            gettext_lazy("Share it on the shelf"),
            gettext_lazy(
                "%(by)s shared %(version)s of the rulebook %(subject)s on the shelf: %(licence)s."
            ),
            _shelve,
            _may_shelve,
            warnings=(
                gettext_lazy(
                    "People of other sites can take a copy of the newest version. You can take it "
                    "off again; copies stay where they are."
                ),
            ),
            form=ShelveForm,
            icon="book",
        ),
        ActKind(
            "unshelve",
            gettext_lazy("Take it off the shelf"),
            gettext_lazy("%(by)s took the rulebook %(subject)s off the shelf."),
            _unshelve,
            _is_shelved,
            warnings=(
                gettext_lazy(
                    "Copies on other sites stay there. An author of the game is notified, with the "
                    "reason that you give, and can share it again: hide the game to prevent that."
                ),
            ),
            icon="book",
        ),
        ActKind(
            "hide",
            gettext_lazy("Hide it from the lists"),
            gettext_lazy("%(by)s hid the rulebook %(subject)s from the lists."),
            _hide,
            lambda rulebook, by: not rulebook.is_hidden and _is_listed(rulebook, by),
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
            lambda rulebook, by: rulebook.pinned_id is None and _is_listed(rulebook, by),
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
            lambda rulebook, by: _has_others(rulebook, by) and _has_own(rulebook, by),
            warnings=(FOR_GOOD,),
            form=RemoveVersionForm,
            icon="trash",
            is_dangerous=True,
        ),
        ActKind(
            "remove",
            gettext_lazy("Remove the rulebook"),
            gettext_lazy("%(by)s removed the rulebook %(subject)s, versions: %(count)s."),
            _remove,
            _has_own,
            warnings=(FOR_GOOD,),
            form=RemoveForm,
            icon="trash",
            is_dangerous=True,
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
