"""The end of a campaign: archiving it with a look at its open games, and deleting it."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts.models import Notice, User
from campaigns import notices as campaigns_notices
from campaigns.club.people import joining
from campaigns.locking import count_change
from campaigns.models import Campaign, Game, GameQuerySet, Membership, Side
from common.errors import Refusal, Stale
from gangs.ledger import writer
from gangs.models import Gang

UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def open_games(campaign: Campaign) -> GameQuerySet:
    """The games that somebody has still to play, confirm or decide, or whose post-game is open;
    oldest first."""
    unplayed = Side.objects.undone().filter(game__campaign=campaign, gang__isnull=False)
    waits = ~Q(status__in=[Game.Status.CONFIRMED, Game.Status.STRUCK])
    waits |= Q(status=Game.Status.CONFIRMED, pk__in=unplayed.values("game"))
    return Game.objects.filter(waits, campaign=campaign).order_by("played_on", "created_at")


def coming_nights(campaign: Campaign) -> int:
    """The number of nights that archiving the campaign now would call off."""
    return campaign.nights.filter(cancelled_at=None, starts_at__gt=timezone.now()).count()


def archive(campaign: Campaign, *, expected_open: int) -> None:
    """Archive the campaign. Raises Stale if it has other open games than the page showed."""
    with transaction.atomic():
        count_change(campaign)
        if open_games(campaign).count() != expected_open:
            raise Stale
        joining.archive(campaign)


def why_not_deleted(campaign: Campaign) -> Refusal | None:
    """The reason why the campaign cannot be deleted, or None: others may need its results."""
    has_results = campaign.games.filter(status=Game.Status.CONFIRMED).exists()
    return Refusal("campaign_has_results") if has_results else None


def delete(campaign: Campaign, *, actor: User) -> None:
    """Delete a campaign without results, and strike the entries with which its gangs joined. Gangs
    that only the campaign has kept are deleted with it. Raises Refusal if a game is confirmed."""
    with transaction.atomic():
        count_change(campaign)
        if not Campaign.objects.filter(pk=campaign.pk).exists():
            # Another organiser was faster.
            return
        refusal = why_not_deleted(campaign)
        if refusal is not None:
            raise refusal
        campaigns_notices.campaign_deleted(campaign, actor=actor)
        gone = {campaign.pk, *campaign.games.values_list("pk", flat=True)}
        gone |= set(campaign.nights.values_list("pk", flat=True))
        for game in campaign.games.all():
            game.delete()
        for membership in campaign.memberships.select_related("gang"):
            _release(campaign, membership, actor)
        _close_notices([seat.user_id for seat in campaign.seats], gone)
        campaign.delete()


def _release(campaign: Campaign, membership: Membership, actor: User) -> None:
    """Take a gang out of the campaign, with its entry."""
    gang = membership.gang
    elsewhere = Side.objects.filter(gang=gang).exists()
    if gang.owner_id is None and gang.kept_at is not None and not elsewhere:
        gang.delete()
    elif membership.left_at is None:
        joining.leave(campaign, gang, actor=actor)
    else:
        _strike_entry(campaign, gang, actor)


def _strike_entry(campaign: Campaign, gang: Gang, actor: User) -> None:
    """Strike the joining of a gang that has left and may play elsewhere, unless its history since
    then needs the entry."""
    joined = gang.entries.live().filter(kind="joined", data__campaign=str(campaign.pk)).last()
    if joined is None:
        return
    try:
        writer.strike(gang, joined.batch, expected_version=gang.version, actor=actor, leaving=True)
    except writer.Leftovers:
        return


def _close_notices(users: Iterable[int], gone: set[uuid.UUID]) -> None:
    """Let the users' notices of these rows lead nowhere."""
    notices = Notice.objects.filter(user__in=list(users)).exclude(url="")
    dead = [
        key
        for key, url in notices.values_list("pk", "url")
        if any(uuid.UUID(found) in gone for found in UUID.findall(url))
    ]
    for start in range(0, len(dead), 500):
        Notice.objects.filter(pk__in=dead[start : start + 500]).update(url="")
