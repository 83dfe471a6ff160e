"""Who may see and who may run a campaign. For strangers there is no such campaign."""

from __future__ import annotations

import uuid

from django.shortcuts import get_object_or_404

from accounts.http import Request
from campaigns.models import Campaign
from gangs.models import Gang


def campaign_or_404(request: Request, campaign: uuid.UUID) -> Campaign:
    """The campaign, if the user may see it."""
    visible = Campaign.objects.visible_to(request.user).with_newest()
    return get_object_or_404(visible, pk=campaign)


def organised_or_404(request: Request, campaign: uuid.UUID) -> Campaign:
    """The campaign, if the user runs it."""
    return get_object_or_404(Campaign.objects.organised_by(request.user), pk=campaign)


def playing(campaign: Campaign) -> list[Gang]:
    """The gangs of a campaign, with their owners, without their snapshots."""
    gangs = Gang.objects.filter(memberships__campaign=campaign).select_related("owner")
    return list(gangs.defer("snapshot").order_by("memberships__joined_at"))
