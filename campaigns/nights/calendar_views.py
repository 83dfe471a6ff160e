"""The calendar of a campaign's nights: for programs, which sign in nowhere but know the key."""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe

from accounts.http import site_url
from campaigns.models import Campaign
from campaigns.nights.calendar import calendar, etag


@login_not_required
@require_safe
def nights(request: HttpRequest, key: str) -> HttpResponse:
    """All nights of the campaign, cancelled ones too. Two queries."""
    campaign = get_object_or_404(Campaign, watch_key=key)
    found = list(campaign.nights.order_by("starts_at", "pk"))
    site = site_url(request)
    tag = etag(campaign, found, site)
    response = HttpResponse(
        calendar(campaign, found, site, timezone.now()), content_type="text/calendar; charset=utf-8"
    )
    response["ETag"] = tag
    return get_conditional_response(request, etag=tag, response=response) or response
