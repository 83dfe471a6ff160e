"""Taking part in a campaign: following it, changing roles, leaving and removing.

Every change takes the campaign's row first, so that a campaign is never left without an organiser.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from django.db import transaction

from accounts.models import User
from campaigns import notices as campaigns_notices
from campaigns.club.people import admission, joining
from campaigns.locking import count_change
from campaigns.models import Campaign, Participant, invite_key
from common.errors import Refusal, Stale

ORGANISER, SPECTATOR = Participant.Role.ORGANISER, Participant.Role.SPECTATOR


def follow(campaign: Campaign, user: User) -> None:
    """Make the user a spectator, unless they take part already. Raises Refusal if they are
    barred."""
    with transaction.atomic():
        count_change(campaign)
        if admission.is_barred(campaign, user):
            raise Refusal("barred_account")
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

    Raises Stale if the role has changed since it was seen, or they have left, Refusal if they are
    the last organiser, or would become a spectator while they own gangs here.
    """
    with transaction.atomic():
        count_change(campaign)
        _read_again(seat)
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


def remove(
    campaign: Campaign,
    seat: Participant,
    *,
    bars: bool = False,
    despite_postgames: bool = False,
    actor: User,
) -> None:
    """Remove somebody from the campaign, with their gangs. The results stay. ``bars``: they cannot
    come back; ``despite_postgames``: post-games that their gangs have still to play stay open.

    Raises Refusal if they are the last organiser, or have a game here that is not settled, and
    Stale if they have left or were removed meanwhile.
    """
    with transaction.atomic():
        count_change(campaign)
        _read_again(seat)
        _leave(campaign, seat, (), actor, despite_postgames=despite_postgames)
        if bars:
            admission.bar(campaign, seat.user, actor=actor)
        campaigns_notices.notify_removed(campaign, seat.user, actor=actor)


def depart(campaign: Campaign, user: User, *, behind: Collection[str]) -> None:
    """Let the user leave the campaign. ``behind``: the keys of the gangs that they leave to it; the
    other gangs go with them. A second press changes nothing. Raises Refusal as ``remove``."""
    with transaction.atomic():
        count_change(campaign)
        seat = campaign.participants.filter(user=user).first()
        if seat is not None:
            _leave(campaign, seat, behind, user)


def _leave(
    campaign: Campaign,
    seat: Participant,
    behind: Collection[str],
    actor: User,
    *,
    despite_postgames: bool = False,
) -> None:
    """Let somebody go, with their gangs. The caller holds the campaign's row."""
    _check_last_organiser(campaign, seat)
    played, unplayed = joining.played_gangs(campaign, seat.user)
    for gang in played:
        is_left = str(gang.pk) in behind
        joining.part(
            campaign, gang, behind=is_left, despite_postgames=despite_postgames, actor=actor
        )
    for gang in unplayed:
        joining.leave(campaign, gang, actor=actor)
    seat.delete()
    campaign.__dict__.pop("seats", None)


def _read_again(seat: Participant) -> None:
    """Read somebody's role again. The caller holds the campaign's row. Raises Stale if they no
    longer take part."""
    try:
        seat.refresh_from_db(fields=["role"])
    except Participant.DoesNotExist:
        raise Stale from None


def _check_last_organiser(campaign: Campaign, seat: Participant) -> None:
    """Raise Refusal if nobody else runs the campaign. The caller holds the campaign's row."""
    others = campaign.participants.filter(role=ORGANISER).exclude(pk=seat.pk)
    if seat.role == ORGANISER and not others.exists():
        raise Refusal("last_organiser")


def renew_link(campaign: Campaign, name: Literal["watch_key", "invite_key"]) -> None:
    """Give the campaign a new link to watch or to join it. The old link stops working."""
    setattr(campaign, name, invite_key())
    campaign.save(update_fields=[name])
