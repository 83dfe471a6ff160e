"""Leaving a campaign with a gang that has played: its results stay. Gangs that have not played
leave with ``joining.leave``. As there, the campaign's row is taken first."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from campaigns import notices as campaigns_notices
from campaigns.club.people.joining import has_games, leave
from campaigns.locking import claim
from campaigns.models import Campaign, Game, Membership, Side, SideQuerySet
from common.errors import Refusal, Stale
from gangs.models import NOT_SHARED, Gang


def open_sides(gang: Gang) -> SideQuerySet:
    """The gang's sides in games that are not settled, post-games included."""
    return Side.objects.undone().filter(gang=gang).exclude(game__status=Game.Status.STRUCK)


def part(campaign: Campaign, gang: Gang, *, behind: bool, actor: User) -> None:
    """Let the gang leave with its owner, free for another campaign: its results and its line in the
    standings stay. Or leave it ``behind`` without an owner: an organiser may hand it over. A gang
    without games here leaves without a trace.

    Raises Refusal if the gang cannot leave, since one of its games here is not settled.
    """
    with transaction.atomic():
        claim(campaign)
        if not has_games(campaign, gang):
            leave(campaign, gang, actor=actor)
        elif behind:
            keep(gang)
            campaigns_notices.gang_left_behind(gang, campaign, actor=actor)
        elif open_sides(gang).filter(game__campaign=campaign).exists():
            raise Refusal("games_open", gang=gang.name)
        else:
            staying = Membership.objects.filter(campaign=campaign, gang=gang, left_at=None)
            staying.update(left_at=timezone.now())


def keep(gang: Gang) -> None:
    """Take the gang from its owner, and keep it for the campaigns that it has played in. Its sheet
    is no longer shared."""
    Gang.objects.filter(pk=gang.pk).update(owner=None, kept_at=timezone.now(), **NOT_SHARED)


def hand_over(
    campaign: Campaign, gang: Gang, to: User, *, expected_owner: int | None, actor: User
) -> None:
    """Give the gang to another owner.

    ``expected_owner``: the primary key of the owner that the organiser saw, None for no owner. A
    form that arrives twice changes nothing more. Raises Stale if the gang has another owner by now,
    Refusal if the gang does not play here or the new owner does not take part.
    """
    with transaction.atomic():
        claim(campaign)
        if not campaign.memberships.filter(gang=gang, left_at=None).exists():
            raise Refusal("gang_not_here")
        if not campaign.participants.filter(user=to).exists():
            raise Refusal("not_taking_part")
        locked = Gang.objects.select_for_update(of=("self",), no_key=True)
        held = locked.select_related("owner").get(pk=gang.pk)
        before = held.owner
        if before == to:
            return
        if held.owner_id != expected_owner:
            raise Stale
        Gang.objects.filter(pk=gang.pk).update(owner=to, kept_at=None, archived_at=None)
        campaign.take_part(to)
        campaigns_notices.gang_handed_over(held, campaign, before=before, after=to, actor=actor)


def played_gangs(campaign: Campaign, user: User) -> tuple[list[Gang], list[Gang]]:
    """The user's gangs in the campaign: the gangs with games there, and the others."""
    here = Gang.objects.filter(memberships__campaign=campaign, memberships__left_at=None)
    gangs = here.filter(owner=user).order_by("pk")
    played = set(Side.objects.filter(game__campaign=campaign).values_list("gang", flat=True))
    with_games = [gang for gang in gangs if gang.pk in played]
    return with_games, [gang for gang in gangs if gang.pk not in played]
