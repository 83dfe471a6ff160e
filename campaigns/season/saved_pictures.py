"""Games and standings as pictures to save, and the preview of the standings' link."""

from __future__ import annotations

import uuid

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.http import Request
from campaigns import text as campaign_text
from campaigns.access import (
    game_or_404,
    open_to_spectators,
    reader_campaign_or_404,
    remember_watching,
)
from campaigns.models import Campaign
from campaigns.season.freshness import readable_state_or_404, state_watched_by
from campaigns.season.loading import load_season
from campaigns.season.prints import game_picture, standings_picture
from gangs.prints.saved_pictures import show_pictures
from printing.previews import as_shape


@open_to_spectators
@require_safe
def standings_pictures(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Offer pictures of the standings."""
    campaign = reader_campaign_or_404(request, campaign_id)
    return show_pictures(
        request,
        campaign,
        campaign.name,
        reverse("campaigns:standings", args=[campaign_id]),
        lambda shape: reverse("campaigns:standings-picture", args=[campaign_id, shape]),
    )


@open_to_spectators
@require_safe
def standings(request: Request, campaign_id: uuid.UUID, shape: str) -> HttpResponseBase:
    """Return a picture of the standings."""
    state = readable_state_or_404(request, campaign_id)
    return standings_picture.answer(request, state, as_shape(shape))


@open_to_spectators
@require_safe
def game_pictures(request: Request, game_id: uuid.UUID) -> HttpResponse:
    """Offer pictures of a game."""
    game, sides = game_or_404(request, game_id)
    title = " – ".join(campaign_text.side_names(sides).values())
    return show_pictures(
        request,
        game.campaign,
        title,
        game.get_absolute_url(),
        lambda shape: reverse("campaigns:game-picture", args=[game_id, shape]),
    )


@open_to_spectators
@require_safe
def game(request: Request, game_id: uuid.UUID, shape: str) -> HttpResponseBase:
    """Return a picture of a game."""
    found, sides = game_or_404(request, game_id)
    return game_picture.answer(request, found, sides, as_shape(shape))


@login_not_required
@require_safe
def watched_standings(request: HttpRequest, key: str) -> HttpResponseBase:
    """Return the preview of the standings' link, to any reader with the link."""
    state = state_watched_by(key)
    if state is None:
        raise Http404
    return standings_picture.answer(request, state, "wide")


@login_not_required
@require_safe
def watch_standings(request: Request, key: str) -> HttpResponse:
    """The page behind the link that shares the standings: let the browser read the campaign, and
    redirect to the standings. Programs that preview links get a short page instead, as for a
    campaign."""
    campaign = get_object_or_404(Campaign.objects.shown(), watch_key=key)
    if request.user.is_authenticated or "Sec-Fetch-Mode" in request.headers:
        response: HttpResponse = redirect("campaigns:standings", campaign.pk)
    else:
        loaded = load_season(campaign.pk)
        context = {
            "campaign": campaign,
            "title": _("Standings of %(name)s") % {"name": campaign.name},
            "summary": standings_picture.describe(loaded),
        }
        response = render(request, "campaigns/season/standings/watch.html", context)
    response["X-Robots-Tag"] = "noindex"
    remember_watching(request, response, campaign)
    return response
