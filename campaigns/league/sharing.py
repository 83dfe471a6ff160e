"""A stage on paper, and the page behind the link that shares it."""

from __future__ import annotations

import uuid

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe

from accounts.http import Request
from campaigns.access import open_to_spectators, remember_watching
from campaigns.league import pages, stage_picture, stage_print
from campaigns.league.loading import load_stage
from campaigns.league.views import stage_or_404
from campaigns.models import Campaign, Stage
from printing import responses as printing_responses
from printing.forms import PaperForm
from printing.orders import Order


@open_to_spectators
@require_safe
def pdf(request: Request, stage_id: uuid.UUID) -> HttpResponseBase:
    """Return the table, bracket or ladder of a stage, and its fixtures, to print."""
    found = stage_or_404(request, stage_id)
    order = PaperForm(request.GET).order(Order)
    printed = stage_print.job(load_stage(found), request.user, order)
    name = f"{found.campaign.name} {found.name}"
    return printing_responses.answer(request, stage_print.key(printed), lambda: printed, name)


@login_not_required
@require_safe
def preview(request: HttpRequest, key: str, stage_id: uuid.UUID) -> HttpResponseBase:
    """Return the preview of a stage's link, to any reader with the link."""
    return stage_picture.answer(request, load_stage(_shared_or_404(key, stage_id)))


@login_not_required
@require_safe
def watch(request: Request, key: str, stage_id: uuid.UUID) -> HttpResponse:
    """The page behind the link that shares a stage: let the browser read the campaign, and redirect
    to the stage. Programs that preview links get a short page instead, as for a campaign."""
    found = _shared_or_404(key, stage_id)
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


def _shared_or_404(key: str, stage_id: uuid.UUID) -> Stage:
    """Return the stage behind a link; 404 also while administrators hide its campaign."""
    shown = Campaign.objects.shown().filter(watch_key=key)
    stages = Stage.objects.select_related("campaign").filter(campaign__in=shown)
    return get_object_or_404(stages, pk=stage_id)
