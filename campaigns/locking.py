"""The campaign's row as a lock: whoever writes about people, nights or plans holds it."""

from __future__ import annotations

from django.db.models import F

from campaigns.models import Campaign
from common.errors import Refusal


def claim(campaign: Campaign) -> None:
    """Count a change of the campaign, however it was seen; who changes it next waits for this
    transaction to end. One query."""
    Campaign.objects.filter(pk=campaign.pk).update(version=F("version") + 1)


def hold(campaign: Campaign) -> None:
    """Lock the campaign's row until the transaction ends: nobody archives it or leaves meanwhile.

    As all locks here it is one that lets others write rows which point at it: who waits for such a
    row, and not for the lock, would wait crosswise.

    Raises Refusal if it is archived.
    """
    if Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk).archived_at is not None:
        raise Refusal("campaign_archived")
