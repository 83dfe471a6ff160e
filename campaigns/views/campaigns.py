"""A campaign's page: what waits for whom, the next night, standings, games, and what is new."""

from __future__ import annotations

import uuid

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.http import Request
from campaigns.access import open_to_spectators
from campaigns.front import front


@open_to_spectators
@require_safe
def campaign(request: Request, campaign: uuid.UUID) -> HttpResponse:
    """A campaign: what waits for the reader first."""
    shown = front(request, campaign, whole="all" in request.GET)
    return render(request, "campaigns/campaign.html", vars(shown))
