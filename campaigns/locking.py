"""The order of locks in a campaign, and its own lock: the campaign's row.

A transaction takes its locks in this order, so that no two wait for each other:

1. campaigns, by key: ``lock`` or ``count_change`` here, or ``campaigns.holders`` if the rulebook
   has holdings;
2. the game;
3. its post-games (sides), by key;
4. gangs, by key: writing to a gang's ledger locks its row, because it updates the version first.

Each may be left out. All locks let others insert rows that refer to the locked row: if they blocked
them, a request waiting for such a row instead of the lock could cause a deadlock.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from datetime import datetime

from django.db.models import F

from campaigns.models import Campaign
from common.errors import Refusal


def lock(campaign: Campaign, *, or_archived: bool = False) -> None:
    """Lock the campaign's row, so that nobody archives or leaves it during the transaction.

    Raises Refusal if the campaign is deleted, or archived unless ``or_archived``.
    """
    rows = lock_rows([campaign.pk])
    if not rows:
        raise Refusal("gone")
    if rows[campaign.pk] is not None and not or_archived:
        raise Refusal("campaign_archived")


def lock_rows(campaigns: Iterable[uuid.UUID | str]) -> dict[uuid.UUID, datetime | None]:
    """Lock the rows of campaigns, by key; return when each was archived, without deleted ones. One
    query."""
    rows = Campaign.objects.select_for_update(no_key=True).filter(pk__in=campaigns).order_by("pk")
    return dict(rows.values_list("pk", "archived_at"))


def count_change(campaign: Campaign) -> None:
    """Lock the campaign's row and count a change of it, whatever version the user saw and even if
    it is archived. One query."""
    Campaign.objects.filter(pk=campaign.pk).update(version=F("version") + 1)
