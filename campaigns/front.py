"""The page of a campaign, drawn once for each reader for as long as nothing changes."""

from __future__ import annotations

import uuid
from collections.abc import Hashable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.http import Http404
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString

from accounts.http import Request, site_url
from campaigns import nights
from campaigns.access import may_look_on
from campaigns.bargaining import prisons
from campaigns.glance import Glance, glance
from campaigns.memory import Memory
from campaigns.models import Campaign, Night, Participant
from campaigns.overview import (
    NEWEST,
    all_games_drawn,
    games_drawn,
    news_drawn,
    ranked,
    standings_drawn,
)
from campaigns.recalling import recall
from gangs.wording import language, spoken

# How many nights that are over the page shows.
LAST_NIGHTS = 3
# How many pages a process keeps, and for how long if nothing changes.
KEPT = 128
KEPT_FOR = timedelta(minutes=10)


@dataclass(frozen=True)
class Front:
    """A campaign's page for one reader. ``gangs``: how many play; ``body``: all below its head."""

    campaign: Campaign
    run_by: str
    organises: bool
    plays: bool
    follows: bool
    gangs: int
    body: SafeString


@dataclass(frozen=True)
class _Kept:
    """A page as it was drawn; it is still so if a glance shows the same, before ``until``."""

    seen: Glance
    until: datetime
    front: Front


_kept: Memory[_Kept] = Memory(KEPT)


def front(request: Request, campaign: uuid.UUID, *, whole: bool = False) -> Front:
    """The page, for whoever may read it; ``whole``: with all its games. Raises Http404.

    The glance comes first: what changes while the page is drawn is seen by the next one.
    """
    seen, now = glance(campaign), timezone.now()
    if seen is None or not may_look_on(request, seen):
        raise Http404
    if whole:
        return _drawn(request, campaign, whole=True)[0]
    reader: Hashable = (campaign, request.user.pk, language(), site_url(request))
    kept = _kept.get(reader)
    if kept is None or kept.seen != seen or kept.until <= now:
        shown, until = _drawn(request, campaign, whole=False)
        kept = _Kept(seen, min(until, now + KEPT_FOR), shown)
        _kept.put(reader, kept)
    return kept.front


def _drawn(request: Request, key: uuid.UUID, *, whole: bool) -> tuple[Front, datetime]:
    """The page, and until when it is true: then the next night is over."""
    campaign = Campaign.objects.with_newest().filter(pk=key).first()
    if campaign is None:
        raise Http404
    user = request.user
    recalled = recall(campaign)
    games, duties = (all_games_drawn if whole else games_drawn)(recalled, user)
    to_come, over = nights.around(campaign, LAST_NIGHTS)
    roles = [seat.role for seat in campaign.seats if seat.user_id == user.pk]
    organises = campaign.is_run_by(user)
    # Whoever plays in the campaign or runs it does not just look on.
    plays = any(role != Participant.Role.SPECTATOR for role in roles)
    context = {
        "campaign": campaign,
        "organises": organises,
        "plays": plays,
        "has_gang": any(gang.is_owned_by(user) for gang in recalled.playing),
        "takes_captives": bool(prisons(campaign.book, recalled.past.settings)),
        "ranked": bool(ranked(recalled.past)),
        "standings": standings_drawn(recalled, user),
        "news": news_drawn(campaign, recalled.past),
        "games": games,
        "older": 0 if whole or len(recalled.games) <= NEWEST else len(recalled.games),
        "duties": duties,
        "next_nights": to_come,
        "last_nights": over,
        "settings_told": settings_told(campaign),
        "site_url": site_url(request),
    }
    shown = Front(
        campaign=campaign,
        run_by=campaign.run_by,
        organises=organises,
        plays=plays,
        follows=bool(roles),
        gangs=len(recalled.playing),
        body=render_to_string("campaigns/_campaign.html", context),
    )
    return shown, _over(to_come)


def _over(to_come: list[Night]) -> datetime:
    """When the first of these nights is one of the last."""
    ends = [night.starts_at + nights.LASTS for night in to_come]
    return min(ends, default=timezone.now() + KEPT_FOR)


def settings_told(campaign: Campaign) -> list[tuple[str, str]]:
    """The campaign's options in words."""
    told = []
    for setting in campaign.book.settings:
        value = campaign.settings.get(setting.key, setting.default)
        words = str(value)
        if setting.kind == "choice":
            names = {choice.key: spoken(choice.name) for choice in setting.choices}
            words = names.get(str(value), words)
        told.append((spoken(setting.name), words))
    return told
