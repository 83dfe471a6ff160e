"""Permissions on campaigns. For strangers, a campaign does not exist.

Participants may read, and so may anybody who has opened the watch link: a cookie in their browser
stores its key, which every request compares. Only players and organisers may write.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Concatenate

from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.db.models import F, Q
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext_lazy

from accounts.http import Request
from accounts.models import User
from campaigns.models import Campaign, Game, Participant, Side, has_seat
from campaigns.models import CampaignQuerySet as Campaigns
from campaigns.models import GameQuerySet as Games
from common.cookies import DAY, SignedCookie
from gangs.models import Gang

# The watch keys of the links that a browser has opened, the newest last, separated by dots.
WATCHED = SignedCookie(
    "watched",
    gettext_lazy("Remembers the campaigns you may watch by their link."),
    90 * DAY,
)
MOST_WATCHED = 20


def open_to_spectators[**P](
    view: Callable[Concatenate[Request, P], HttpResponseBase],
) -> Callable[Concatenate[Request, P], HttpResponseBase]:
    """Let readers with the watch link open a view without signing in; anybody else must sign in.

    For views that only read, and look everything up through ``reader_campaign_or_404`` or
    ``readable_games``.
    """

    @login_not_required
    @wraps(view)
    def open_view(request: Request, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        try:
            return view(request, *args, **kwargs)
        except Http404:
            if request.user.is_authenticated:
                raise
            return redirect_to_login(request.get_full_path())

    return open_view


def readable(request: HttpRequest) -> Campaigns:
    """The campaigns that the reader takes part in, or whose watch link they have opened."""
    by_link = Q(watch_key__in=watched_keys(request), hidden_why="")
    if not request.user.is_authenticated:
        return Campaign.objects.filter(by_link)
    return Campaign.objects.filter(has_seat(request.user) | by_link)


def readable_games(request: HttpRequest) -> Games:
    """The games that the reader may see."""
    return Game.objects.filter(campaign__in=readable(request))


def reader_campaign_or_404(request: HttpRequest, campaign_id: uuid.UUID) -> Campaign:
    """The campaign, if the reader may see it; ready for ``Campaign.newer``."""
    return get_object_or_404(readable(request).with_newest(), pk=campaign_id)


def campaign_or_404(request: Request, campaign_id: uuid.UUID) -> Campaign:
    """The campaign, if the user plays in it or runs it: for pages closed to spectators."""
    active = has_seat(request.user, Participant.Role.ORGANISER, Participant.Role.PLAYER)
    return get_object_or_404(Campaign.objects.filter(active).with_newest(), pk=campaign_id)


def organised_or_404(request: Request, campaign_id: uuid.UUID) -> Campaign:
    """The campaign, if the user runs it."""
    return get_object_or_404(Campaign.objects.organised_by(request.user), pk=campaign_id)


def watched_keys(request: HttpRequest) -> list[str]:
    """The watch keys in the reader's cookie, or the one that a program sends. Some may be out of
    date."""
    if sent := getattr(request, "watch_key", ""):
        return [sent]
    text = WATCHED.read(request)
    return text.split(".") if text else []


def is_watch_key(key: str) -> bool:
    """Whether a watch link with this key shows a campaign. One query."""
    return Campaign.objects.filter(watch_key=key, hidden_why="").exists()


def remember_watching(request: HttpRequest, response: HttpResponseBase, campaign: Campaign) -> None:
    """Store the campaign's watch key in the reader's cookie. It works until the link changes."""
    known = [key for key in watched_keys(request) if key != campaign.watch_key]
    WATCHED.write(request, response, ".".join([*known, campaign.watch_key][-MOST_WATCHED:]))


def playing(campaign: Campaign) -> list[Gang]:
    """The gangs that play in a campaign now, with their owners and without their snapshots. Retired
    gangs are left out. One query."""
    found = gangs_of(campaign)
    return [
        gang
        for gang in found
        if gang.left_at is None and gang.retired_at is None  # type: ignore[attr-defined]
    ]


def gangs_of(campaign: Campaign) -> list[Gang]:
    """Every gang that is or was in a campaign (``left_at``, ``retired_at``: when it left or stopped
    playing), with its owner and without its snapshot. One query."""
    gangs = Gang.objects.filter(memberships__campaign=campaign).select_related("owner")
    dated = gangs.annotate(
        left_at=F("memberships__left_at"), retired_at=F("memberships__retired_at")
    )
    return list(dated.defer("snapshot").order_by("memberships__joined_at"))


def may_act_for(side: Side, user: User) -> bool:
    """Whether the user may prepare a side and play its post-game: its gang's owner may, and an
    organiser on their behalf."""
    return side.gang is not None and (side.is_of(user) or side.game.campaign.is_run_by(user))


def game_or_404(request: Request, game_id: uuid.UUID) -> tuple[Game, list[Side]]:
    """The game with its sides and their rosters, if the reader may see its campaign."""
    read = ("campaign", "reported_by", "table", "fixture__round__stage")
    games = readable_games(request).select_related(*read)
    game = get_object_or_404(games, pk=game_id)
    sides = game.sides.with_standing().select_related("gang__owner", "verdict_by")
    for side in sides:
        side.game = game
    return game, list(sides)


def may_complete(game: Game, user: User, sides: Sequence[Side]) -> bool:
    """Whether a player may add who fell in their gang to a result that an organiser has decided. At
    most one query."""
    if game.status != Game.Status.CONFIRMED or not game.has_postgame:
        return False
    if game.campaign.is_run_by(user) or not any(
        side.is_of(user) and side.batch is None for side in sides
    ):
        return False
    claim = next((row for row in game.claims.all() if row.pk == game.claim_id), None)
    data = claim.sound_data if claim is not None else None
    return data is not None and data.is_first_word
