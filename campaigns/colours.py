"""The colours that distinguish a campaign's gangs on all its pages."""

from __future__ import annotations

from campaigns.models import Campaign
from gangs.pictures.faces import colours_among


def colours_of(campaign: Campaign) -> dict[str, int]:
    """The number of each gang's colour, by its key. A gang that joins changes no other's."""
    keys = campaign.memberships.order_by("joined_at").values_list("gang_id", flat=True)
    return colours_among(map(str, keys))
