"""Taking part in a campaign: following it, changing roles, inviting, leaving and removing.

Every change takes the campaign's row first, so that a campaign is never left without an organiser.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from allauth.account.models import EmailAddress
from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from accounts import mailing
from accounts.http import public_url
from accounts.models import User
from campaigns import notices as campaigns_notices
from campaigns.club.people import joining
from campaigns.locking import claim
from campaigns.models import Campaign, Participant, invite_key
from common.errors import Refusal, Stale
from common.models import Job

ORGANISER, SPECTATOR = Participant.Role.ORGANISER, Participant.Role.SPECTATOR


def follow(campaign: Campaign, user: User) -> None:
    """Make the user a spectator, unless they take part already."""
    campaign.participants.get_or_create(user=user, defaults={"role": SPECTATOR})


def stop_following(campaign: Campaign, user: User) -> None:
    """Remove the user, if they are a spectator."""
    campaign.participants.filter(user=user, role=SPECTATOR).delete()


def change_role(
    campaign: Campaign,
    seat: Participant,
    role: Participant.Role,
    *,
    expected_role: str,
    actor: User,
) -> None:
    """Change somebody's role. A form that arrives twice changes it once.

    Raises Stale if the role has changed since it was seen, Refusal if they are the last organiser,
    or would become a spectator while they own gangs here.
    """
    with transaction.atomic():
        claim(campaign)
        seat.refresh_from_db(fields=["role"])
        if seat.role == role:
            return
        if seat.role != expected_role:
            raise Stale
        _check_last_organiser(campaign, seat)
        if role == SPECTATOR and any(joining.played_gangs(campaign, seat.user)):
            raise Refusal("has_gang_here", name=str(seat.user))
        seat.role = role
        seat.save(update_fields=["role"])
        campaigns_notices.role_changed(campaign, seat, actor=actor)


def remove(campaign: Campaign, seat: Participant, *, actor: User) -> None:
    """Remove somebody from the campaign, with their gangs. The results stay.

    Raises Refusal if they are the last organiser, or have a game here that is not settled.
    """
    with transaction.atomic():
        _leave(campaign, seat, (), actor)
        campaigns_notices.notify_removed(campaign, seat.user, actor=actor)


def depart(campaign: Campaign, user: User, *, behind: Collection[str]) -> None:
    """Let the user leave the campaign. ``behind``: the keys of the gangs that they leave to it; the
    other gangs go with them. Raises Refusal as ``remove``."""
    with transaction.atomic():
        seat = campaign.participants.filter(user=user).first()
        if seat is not None:
            _leave(campaign, seat, behind, user)


def _leave(campaign: Campaign, seat: Participant, behind: Collection[str], actor: User) -> None:
    claim(campaign)
    _check_last_organiser(campaign, seat)
    played, unplayed = joining.played_gangs(campaign, seat.user)
    for gang in played:
        joining.part(campaign, gang, behind=str(gang.pk) in behind, actor=actor)
    for gang in unplayed:
        joining.leave(campaign, gang, actor=actor)
    seat.delete()
    campaign.__dict__.pop("seats", None)


def _check_last_organiser(campaign: Campaign, seat: Participant) -> None:
    """Raise Refusal if nobody else runs the campaign. The caller holds the campaign's row."""
    others = campaign.participants.filter(role=ORGANISER).exclude(pk=seat.pk)
    if seat.role == ORGANISER and not others.exists():
        raise Refusal("last_organiser")


def renew_link(campaign: Campaign, name: Literal["watch_key", "invite_key"]) -> None:
    """Give the campaign a new link to watch or to join it. The old link stops working."""
    setattr(campaign, name, invite_key())
    campaign.save(update_fields=[name])


def invite(campaign: Campaign, whom: str, *, actor: User) -> None:
    """Invite somebody by the name of their account, or by an e-mail address.

    Nothing shows whether there is such an account: an address gets its mail in any case.
    """
    known = User.objects.filter(is_active=True, stands_for="")
    confirmed = EmailAddress.objects.filter(email__iexact=whom, verified=True)
    is_address = "@" in whom
    named = Q(pk__in=confirmed.values("user")) if is_address else Q(username__iexact=whom)
    user = known.filter(named).first()
    if user is not None:
        campaigns_notices.notify_invited(user, campaign, actor=actor)
    if is_address and (user is None or not user.mail_notices):
        language = (user.language if user else "") or translation.get_language()
        path = reverse("campaigns:join", args=[campaign.invite_key])
        mailing.post([_invitation(whom, str(actor), campaign.name, path, language or "")])


def _invitation(address: str, inviter: str, campaign: str, path: str, language: str) -> Job:
    """The mail that invites an address."""
    with translation.override(language or settings.LANGUAGE_CODE):
        values = {"name": inviter, "campaign": campaign}
        subject = _("%(name)s invites you to the campaign %(campaign)s.") % values
        context = {**values, "link": f"{public_url()}{path}", "site_name": settings.SITE_NAME}
        body = render_to_string("campaigns/club/people/invitation_mail.txt", context)
    return mailing.compose(subject, body, address)
