"""What administrators may do to a campaign: to who gets to see it, never to what was played."""

from __future__ import annotations

from functools import partial
from typing import Literal

from django.utils.translation import gettext_lazy

from accounts.models import User
from accounts.notices import notify
from administration.acts.kinds import ActKind, Acts, Values
from administration.models import Act
from campaigns.club.people.roles import renew_link
from campaigns.models import Campaign


def _renew(
    name: Literal["watch_key", "invite_key"],
    notice: str,
    campaign: Campaign,
    by: User,
    data: Values,
    reason: str,
) -> Values:
    renew_link(campaign, name)
    values = {"campaign": campaign.name, "reason": reason}
    notify(campaign.organisers, notice, values, campaign.get_absolute_url(), except_for=by)
    return {}


TOLD = gettext_lazy("The organisers are told, with the reason you give.")
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
                gettext_lazy("Organisers find a new link on their page and can pass it on."),
                TOLD,
            ),
            icon="link",
            dangerous=True,
        ),
    ),
)
