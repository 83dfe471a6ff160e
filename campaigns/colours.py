"""The colours that distinguish a campaign's gangs on all its pages."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Collection

from campaigns.models import Campaign, Membership
from gangs.pictures.faces import colours_among


def colours_of(campaign: Campaign) -> dict[str, int]:
    """The number of each gang's colour, by its key. A gang that joins changes no other's."""
    return colours_in([campaign.pk])


def colours_in(campaigns: Collection[uuid.UUID]) -> dict[str, int]:
    """The colours of the gangs of several campaigns, as on the pages of each; a gang in several of
    them has its colour in the campaign that it joined last. One query, none without campaigns."""
    if not campaigns:
        return {}
    rows = Membership.objects.filter(campaign__in=campaigns).order_by("joined_at")
    joined: defaultdict[uuid.UUID, list[str]] = defaultdict(list)
    last: dict[str, uuid.UUID] = {}
    for campaign, gang in rows.values_list("campaign", "gang"):
        joined[campaign].append(str(gang))
        last[str(gang)] = campaign
    found = {campaign: colours_among(gangs) for campaign, gangs in joined.items()}
    return {gang: found[campaign][gang] for gang, campaign in last.items()}
