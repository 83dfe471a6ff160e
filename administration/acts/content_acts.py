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
from administration.acts.kinds import TOLD_OWNER, ActKind, Acts, NoteForm, PicturesForm, Values
from administration.models import Act, PageReport
from campaigns.club.people import admission
from campaigns.club.people.roles import renew_link
from campaigns.models import Campaign
from common import background
from common.models import Job
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


def _retry(job: Job, by: User, data: Values, reason: str) -> Values:
    background.retry(job)
    return {}


def _forget(job: Job, by: User, data: Values, reason: str) -> Values:
    job.delete()
    return {}


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
            dangerous=True,
            ends=True,
        ),
    ),
)
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
CAMPAIGN_ACTS: Acts[Campaign] = Acts(
    Act.Subject.CAMPAIGN,
    str,
    (
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
            dangerous=True,
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
            dangerous=True,
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
