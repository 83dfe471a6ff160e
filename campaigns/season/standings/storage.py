"""Storing a club's rules for its standings, and bonuses and penalties. Callers check that the user
runs the campaign; all of it can also be corrected once the campaign is archived."""

from __future__ import annotations

import uuid

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from campaigns import notices as campaigns_notices
from campaigns.engine.league.standings_rules import BY_THE_BOOK, StandingsRules
from campaigns.locking import lock
from campaigns.models import MOST_ADJUSTMENTS, Adjustment, Campaign
from common.errors import Refusal
from common.locking import update_if
from gangs.models import Gang


def save_rules(campaign: Campaign, rules: StandingsRules, *, expected_version: int) -> None:
    """Store the club's rules. Raises Stale if the campaign has changed since it was seen."""
    table = {} if rules == BY_THE_BOOK else rules.model_dump(mode="json")
    update_if(Campaign, campaign.pk, expected_version, table=table)


def adjust(
    campaign: Campaign, gang: Gang, *, points: int, reason: str, token: uuid.UUID, actor: User
) -> None:
    """Give a gang a bonus, or a penalty of less than 0 points. A form that arrives twice counts
    once. Raises Refusal if the gang never played here, or if there are too many."""
    with transaction.atomic():
        lock(campaign, or_archived=True)
        if Adjustment.objects.filter(token=token).exists():
            return
        if not campaign.memberships.filter(gang=gang).exists():
            raise Refusal("gang_not_here")
        if campaign.adjustments.count() >= MOST_ADJUSTMENTS:
            raise Refusal("adjustments_full", maximum=MOST_ADJUSTMENTS)
        row = campaign.adjustments.create(
            gang=gang, name=gang.name, points=points, reason=reason, token=token, by=actor
        )
        campaigns_notices.gang_adjusted(row, actor=actor)


def take_back(adjustment: Adjustment, *, actor: User) -> None:
    """Take a bonus or penalty back. A second request changes nothing more."""
    with transaction.atomic():
        lock(adjustment.campaign, or_archived=True)
        standing = Adjustment.objects.filter(pk=adjustment.pk, taken_back_at=None)
        if standing.update(taken_back_at=timezone.now(), taken_back_by=actor):
            campaigns_notices.adjustment_taken_back(adjustment, actor=actor)
