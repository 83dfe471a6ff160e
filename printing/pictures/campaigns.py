"""Games and standings as pictures to save, and the previews of links to standings and stages."""

from __future__ import annotations

import uuid

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.http import Request
from campaigns import text as campaign_text
from campaigns.access import game_or_404, open_to_spectators, reader_campaign_or_404
from campaigns.league.loading import load_stage
from campaigns.league.sharing import shared_stage_or_404
from campaigns.season.freshness import readable_state_or_404, state_watched_by
from printing.pictures import games as game_picture
from printing.pictures import stages as stage_picture
from printing.pictures import standings as standings_picture
from printing.pictures.gangs import show_pictures
from printing.pictures.values import as_shape


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
    title = campaign_text.game_title(game.campaign.book, campaign_text.side_names(sides).values())
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
def stage(request: HttpRequest, key: str, stage_id: uuid.UUID) -> HttpResponseBase:
    """Return the preview of a stage's link, to any reader with the link."""
    return stage_picture.answer(request, load_stage(shared_stage_or_404(key, stage_id)))
