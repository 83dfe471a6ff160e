"""The colours by which a campaign's gangs are told apart, on all its pages."""

from __future__ import annotations

from campaigns.models import Campaign
from gangs.pictures.faces import colours_among


def colours_of(campaign: Campaign) -> dict[str, int]:
    """The number of each gang's colour, by its key. Who joins later changes nobody's."""
    keys = campaign.memberships.order_by("joined_at").values_list("gang_id", flat=True)
    return colours_among(map(str, keys))
