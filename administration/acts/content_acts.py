"""Acts of administrators on gangs, campaigns, reports, mails and other tasks.

They never change the history of a gang or campaign.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Literal

from django.utils import timezone
from django.utils.translation import gettext_lazy

from accounts.models import User
from accounts.notices import notify
from administration.acts.hiding import TOLD_AUTHOR, GangNameForm, make_hiding, make_renaming
from administration.acts.kinds import TOLD_OWNER, ActKind, Acts, NoteForm, PicturesForm, Values
from administration.acts.texts import make_text_acts
from administration.models import Act, PageReport
from campaigns.club.people import admission
from campaigns.club.people.roles import renew_link
from campaigns.models import Bargain, Campaign, Side, TableSide
from common import background
from common.errors import Stale
from common.locking import update_if
from common.models import Job
from gangs.engine.entries import Named, Renamed
from gangs.ledger import writer
from gangs.models import Gang
from gangs.pages import deleting
from gangs.pictures import storage as pictures_storage


def _name_of(gang: Gang, part: str) -> str | None:
    """Return the name of the gang, or of a member by number; None if they have left."""
    if not part:
        return gang.name
    return next((one.name for one in gang.roster.members if str(one.id) == part), None)


def _rename(gang: Gang, part: str, name: str, by: User) -> str:
    """Rename the gang or a member from now on, and the gang in all its games."""
    before = _name_of(gang, part)
    if before is None:
        raise Stale
    entry = Named(member=int(part), name=name) if part else Renamed(name=name)
    writer.append(gang, [entry], expected_version=gang.version, actor=by)
    if not part:
        for rows in (Side.objects, TableSide.objects):
            rows.filter(gang=gang, name=before).update(name=name)
        Bargain.objects.filter(giver=gang, giver_name=before).update(giver_name=name)
        Bargain.objects.filter(taker=gang, taker_name=before).update(taker_name=name)
    return before


def _hide_pictures(gang: Gang, by: User, data: Values, reason: str) -> Values:
    count = pictures_storage.hide(gang, data["pictures"])
    _tell_owner(gang, by, "pictures_hidden", reason)
    return {"count": count}


def _show_pictures(gang: Gang, by: User, data: Values, reason: str) -> Values:
    count = pictures_storage.show_hidden(gang)
    _tell_owner(gang, by, "pictures_shown", reason)
    return {"count": count}


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


def _retry(job: Job, by: User, data: Values, reason: str) -> Values:
    background.retry(job)
    return {}


def _forget(job: Job, by: User, data: Values, reason: str) -> Values:
    background.forget(job)
    return {}


def _owner_of(gang: Gang) -> list[User | None]:
    return [gang.owner]


# Acts are kept forever, and a mail's title contains an address, so keep its number only.
JOB_ACTS: Acts[Job] = Acts(
    Act.Subject.JOB,
    lambda job: f"{job.kind} {job.pk}",
    (
        ActKind(
            "retry",
            gettext_lazy("Try again now"),
            gettext_lazy("%(by)s had the task %(subject)s tried again."),
            _retry,
            lambda job, by: not job.periodic and job.next_at is not None,
            icon="arrow-counterclockwise",
        ),
        ActKind(
            "delete",
            gettext_lazy("Delete it"),
            gettext_lazy("%(by)s deleted the task %(subject)s."),
            _forget,
            lambda job, by: not job.periodic,
            warnings=(gettext_lazy("A mail that is deleted is not sent. This cannot be undone."),),
            icon="trash",
            is_dangerous=True,
            ends=True,
        ),
    ),
)
GANG_ACTS: Acts[Gang] = Acts(
    Act.Subject.GANG,
    str,
    (
        *make_hiding(
            Act.Subject.GANG,
            _owner_of,
            Gang.get_absolute_url,
            (
                gettext_lazy("The link, the code, the print and the pictures stop working."),
                gettext_lazy(
                    "Its owner and the people of its campaigns still see it. The owner cannot share"
                    " it until you show it again."
                ),
            ),
        ),
        *make_renaming(
            Act.Subject.GANG,
            _name_of,
            _rename,
            _owner_of,
            Gang.get_absolute_url,
            form=GangNameForm,
            warnings=(
                gettext_lazy(
                    "The name changes from now on, and that of a gang in all its games. The"
                    " owner’s sheets of earlier days keep the old one. The owner can rename it"
                    " again."
                ),
            ),
        ),
        *make_text_acts(Act.Subject.GANG, Gang),
        ActKind(
            "hide-pictures",
            gettext_lazy("Hide pictures"),
            gettext_lazy("%(by)s hid %(count)s pictures of the gang %(subject)s."),
            _hide_pictures,
            lambda gang, by: bool(gang.pictures),
            warnings=(
                gettext_lazy("No page shows them, not even to their owner. Their files stay."),
                TOLD_AUTHOR,
            ),
            form=PicturesForm,
            icon="image",
            is_dangerous=True,
        ),
        ActKind(
            "show-pictures",
            gettext_lazy("Show the pictures again"),
            gettext_lazy("%(by)s showed %(count)s pictures of the gang %(subject)s again."),
            _show_pictures,
            lambda gang, by: bool(gang.hidden_pictures),
            icon="arrow-counterclockwise",
            undoes=True,
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
            is_dangerous=True,
        ),
        ActKind(
            "take-all-down",
            gettext_lazy("Remove all pictures"),
            gettext_lazy("%(by)s removed all %(count)s pictures of the gang %(subject)s."),
            _take_all_down,
            lambda gang, by: len(gang.pictures) > 1,
            warnings=(gettext_lazy("Their files are deleted."), TOLD_OWNER),
            icon="image",
            is_dangerous=True,
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
            is_dangerous=True,
            ends=True,
        ),
    ),
)


def _renew(
    name: Literal["watch_key", "invite_key"],
    notice: str,
    campaign: Campaign,
    by: User,
    data: Values,
    reason: str,
) -> Values:
    renew_link(campaign, name)
    if name == "invite_key":
        for invitation in campaign.invitations.open():
            admission.withdraw(invitation)
    values = {"campaign": campaign.name, "reason": reason}
    notify(campaign.organisers, notice, values, campaign.get_absolute_url(), except_for=by)
    return {}


TOLD = gettext_lazy("The organisers get a notice with the reason that you give.")


def _organisers_of(campaign: Campaign) -> list[User]:
    return campaign.organisers


def _rename_campaign(campaign: Campaign, part: str, name: str, by: User) -> str:
    update_if(Campaign, campaign.pk, campaign.version, name=name)
    return campaign.name


CAMPAIGN_ACTS: Acts[Campaign] = Acts(
    Act.Subject.CAMPAIGN,
    str,
    (
        *make_hiding(
            Act.Subject.CAMPAIGN,
            _organisers_of,
            Campaign.get_absolute_url,
            (
                gettext_lazy(
                    "The link for spectators, the feeds and the invitation stop working. The people"
                    " who take part go on as before."
                ),
            ),
        ),
        *make_renaming(
            Act.Subject.CAMPAIGN,
            lambda campaign, part: campaign.name,
            _rename_campaign,
            _organisers_of,
            Campaign.get_absolute_url,
            warnings=(gettext_lazy("Organisers can rename it again."),),
        ),
        *make_text_acts(Act.Subject.CAMPAIGN, Campaign),
        ActKind(
            "stop-watching",
            gettext_lazy("Stop the link for spectators"),
            gettext_lazy("%(by)s stopped the link for spectators of the campaign %(subject)s."),
            partial(_renew, "watch_key", "watching_stopped"),
            lambda campaign, by: True,
            warnings=(
                gettext_lazy(
                    "The link and both feeds stop working, and those who used it are shut out."
                ),
                gettext_lazy("Organisers find a new link on their page and can pass it on."),
                TOLD,
            ),
            icon="eye",
            is_dangerous=True,
        ),
        ActKind(
            "stop-invitation",
            gettext_lazy("Stop the invitation"),
            gettext_lazy("%(by)s stopped the invitation to the campaign %(subject)s."),
            partial(_renew, "invite_key", "invitation_stopped"),
            lambda campaign, by: True,
            warnings=(
                gettext_lazy("The link for players stops working. Those who have joined stay."),
                gettext_lazy("Personal invitations that nobody has accepted end, too."),
                gettext_lazy("Organisers find a new link on their page and can pass it on."),
                TOLD,
            ),
            icon="link",
            is_dangerous=True,
        ),
    ),
)


def _handle(report: PageReport, by: User, data: Values, reason: str) -> Values:
    PageReport.objects.filter(pk=report.pk).update(handled_at=timezone.now())
    return {}


def _reopen(report: PageReport, by: User, data: Values, reason: str) -> Values:
    PageReport.objects.filter(pk=report.pk).update(handled_at=None)
    return {}


REPORT_ACTS: Acts[PageReport] = Acts(
    Act.Subject.REPORT,
    lambda report: report.title,
    (
        ActKind(
            "handle",
            gettext_lazy("Mark as settled"),
            gettext_lazy("%(by)s settled the report about %(subject)s."),
            _handle,
            lambda report, by: report.handled_at is None,
            form=NoteForm,
            icon="check",
        ),
        ActKind(
            "reopen",
            gettext_lazy("Reopen"),
            gettext_lazy("%(by)s opened the report about %(subject)s again."),
            _reopen,
            lambda report, by: report.handled_at is not None,
            icon="arrow-counterclockwise",
        ),
    ),
)
