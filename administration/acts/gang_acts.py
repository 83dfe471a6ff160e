"""What administrators may do to a gang: to what others see of it, never to its history."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext_lazy

from accounts.models import User
from accounts.notices import notify
from administration.acts.forms import PicturesForm
from administration.acts.kinds import TOLD_OWNER, ActKind, Acts, Values
from administration.models import Act
from gangs.models import NOT_SHARED, Gang
from gangs.pages import deleting
from gangs.pictures import storage as pictures_storage


def _stop_sharing(gang: Gang, by: User, data: Values, reason: str) -> Values:
    Gang.objects.filter(pk=gang.pk).update(**NOT_SHARED)
    _tell_owner(gang, by, "sharing_stopped", reason)
    return {}


def _take_down(gang: Gang, by: User, data: Values, reason: str) -> Values:
    return _without(gang, by, data["pictures"], reason)


def _take_all_down(gang: Gang, by: User, data: Values, reason: str) -> Values:
    return _without(gang, by, list(gang.pictures), reason)


def _without(gang: Gang, by: User, places: Iterable[str], reason: str) -> Values:
    taken = [place for place in places if place in gang.pictures]
    for place in taken:
        pictures_storage.remove(gang, None if place == pictures_storage.BADGE else int(place))
    _tell_owner(gang, by, "pictures_taken_down", reason)
    return {"count": len(taken)}


def _delete_guest(gang: Gang, by: User, data: Values, reason: str) -> Values:
    deleting.delete(gang, actor=by, expected=False)
    return {}


def _tell_owner(gang: Gang, by: User, kind: str, reason: str) -> None:
    values = {"gang": gang.name, "reason": reason}
    notify([gang.owner], kind, values, gang.get_absolute_url(), except_for=by)


GANG_ACTS: Acts[Gang] = Acts(
    Act.Subject.GANG,
    str,
    (
        ActKind(
            "stop-sharing",
            gettext_lazy("Hide the shared sheet"),
            gettext_lazy("%(by)s stopped the sharing of the gang %(subject)s."),
            _stop_sharing,
            lambda gang, by: gang.share_key is not None,
            warnings=(
                gettext_lazy("The link, the code, the print and the pictures stop working."),
                gettext_lazy("The owner can share it again, under another link and code."),
                TOLD_OWNER,
            ),
            icon="eye",
            dangerous=True,
        ),
        ActKind(
            "take-down",
            gettext_lazy("Remove pictures"),
            gettext_lazy("%(by)s removed %(count)s pictures of the gang %(subject)s."),
            _take_down,
            lambda gang, by: bool(gang.pictures),
            warnings=(gettext_lazy("Their files are deleted."), TOLD_OWNER),
            form=PicturesForm,
            icon="image",
            dangerous=True,
        ),
        ActKind(
            "take-all-down",
            gettext_lazy("Remove all pictures"),
            gettext_lazy("%(by)s removed all %(count)s pictures of the gang %(subject)s."),
            _take_all_down,
            lambda gang, by: len(gang.pictures) > 1,
            warnings=(gettext_lazy("Their files are deleted."), TOLD_OWNER),
            icon="image",
            dangerous=True,
        ),
        ActKind(
            "delete-guest",
            gettext_lazy("Delete the visitor’s gang"),
            gettext_lazy("%(by)s deleted the visitor’s gang %(subject)s."),
            _delete_guest,
            lambda gang, by: gang.owner_id is None and gang.kept_at is None,
            warnings=(
                gettext_lazy("This cannot be undone."),
                gettext_lazy("It belongs to no account; only one browser knows it."),
            ),
            icon="trash",
            dangerous=True,
            ends=True,
        ),
    ),
)
