"""Storing a club's own trophies, and awards. Callers check that the user runs the campaign."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.db import transaction

from accounts.models import User
from campaigns import notices as campaigns_notices
from campaigns.locking import lock
from campaigns.models import (
    MOST_TROPHIES,
    MOST_TROPHY_AWARDS,
    Campaign,
    Trophy,
    TrophyAward,
)
from common.errors import Refusal
from gangs.models import Gang


@dataclass(frozen=True)
class Recipient:
    """A gang, or one of its members: 0 for the whole gang."""

    gang: Gang
    member: int = 0
    member_name: str = ""


def create(
    campaign: Campaign, *, name: str, text: str, count: str, token: uuid.UUID, actor: User
) -> None:
    """Create a trophy. A form that arrives twice creates one. Raises Refusal if there are too
    many."""
    with transaction.atomic():
        lock(campaign, or_archived=True)
        if Trophy.objects.filter(token=token).exists():
            return
        if campaign.trophies.count() >= MOST_TROPHIES:
            raise Refusal("trophies_full", maximum=MOST_TROPHIES)
        campaign.trophies.create(name=name, text=text, count=count, token=token, by=actor)


def award(
    campaign: Campaign,
    trophy: Trophy | str,
    to: Recipient,
    *,
    reason: str,
    token: uuid.UUID,
    actor: User,
) -> None:
    """Award the club's ``trophy``, or the rulebook's with this key. A form that arrives twice
    awards it once. Raises Refusal if there are too many awards."""
    with transaction.atomic():
        lock(campaign, or_archived=True)
        if TrophyAward.objects.filter(token=token).exists():
            return
        if campaign.trophy_awards.count() >= MOST_TROPHY_AWARDS:
            raise Refusal("trophies_full", maximum=MOST_TROPHY_AWARDS)
        row = campaign.trophy_awards.create(
            trophy=None if isinstance(trophy, str) else trophy,
            book_trophy=trophy if isinstance(trophy, str) else "",
            gang=to.gang,
            gang_name=to.gang.name,
            member=to.member,
            member_name=to.member_name,
            reason=reason,
            token=token,
            by=actor,
        )
        campaigns_notices.trophy_awarded(row, actor=actor)
