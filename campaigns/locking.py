"""The campaign's row as a lock for all writes about people, nights and plans."""

from __future__ import annotations

from django.db.models import F

from campaigns.models import Campaign
from common.errors import Refusal


def claim(campaign: Campaign) -> None:
    """Count a change of the campaign, without checking the version that the user saw. The next
    change waits until this transaction ends. One query."""
    Campaign.objects.filter(pk=campaign.pk).update(version=F("version") + 1)


def hold(campaign: Campaign) -> None:
    """Lock the campaign's row, so that nobody archives or leaves it during the transaction.

    Like all locks here, it lets others insert rows that refer to the campaign. If it blocked them,
    a request waiting for such a row instead of the lock could cause a deadlock.

    Raises Refusal if the campaign is archived or deleted.
    """
    held = Campaign.objects.select_for_update(no_key=True).filter(pk=campaign.pk).first()
    if held is None:
        raise Refusal("gone")
    if held.archived_at is not None:
        raise Refusal("campaign_archived")
