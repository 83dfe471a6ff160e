"""The page behind the link that shares a stage."""

from __future__ import annotations

import uuid

from django.contrib.auth.decorators import login_not_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe

from accounts.http import Request
from campaigns.access import remember_watching
from campaigns.league import pages
from campaigns.league.loading import load_stage
from campaigns.models import Campaign, Stage


@login_not_required
@require_safe
def watch(request: Request, key: str, stage_id: uuid.UUID) -> HttpResponse:
    """The page behind the link that shares a stage: let the browser read the campaign, and redirect
    to the stage. Programs that preview links get a short page instead, as for a campaign."""
    found = shared_stage_or_404(key, stage_id)
    campaign = found.campaign
    if request.user.is_authenticated or "Sec-Fetch-Mode" in request.headers:
        response: HttpResponse = redirect(found)
    else:
        loaded = load_stage(found)
        current = loaded.current
        parts = [pages.describe_stage(loaded)]
        if current is not None:
            block = pages.round_block(loaded, current)
            parts.append(f"{block.title}, {block.days}")
        context = {
            "campaign": campaign,
            "stage": found,
            "title": f"{found.name} · {campaign.name}",
            "summary": " · ".join(parts),
        }
        response = render(request, "campaigns/league/watch.html", context)
    response["X-Robots-Tag"] = "noindex"
    remember_watching(request, response, campaign)
    return response


def shared_stage_or_404(key: str, stage_id: uuid.UUID) -> Stage:
    """Return the stage behind a link; 404 also while administrators hide its campaign."""
    shown = Campaign.objects.shown().filter(watch_key=key)
    stages = Stage.objects.select_related("campaign").filter(campaign__in=shown)
    return get_object_or_404(stages, pk=stage_id)
