"""The seasons of a league: campaigns that are linked, as far as the reader may see them."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest

from accounts.models import User
from campaigns.access import readable
from campaigns.models import Campaign
from campaigns.season.loading import LoadedSeason, load_season
from campaigns.season.standings.text import rank_gangs
from campaigns.statistics.all_time import PlayedSeason
from campaigns.statistics.records import meetings

# The most seasons that a page adds up, the newest.
MOST_SEASONS = 30


@dataclass(frozen=True)
class League:
    """Linked seasons, the oldest first. ``users``: the players of their gangs, by key."""

    loaded: Sequence[LoadedSeason]
    seasons: Sequence[PlayedSeason]
    users: dict[str, User]

    @property
    def names(self) -> dict[str, str]:
        """The players' names, by key."""
        return {key: str(user) for key, user in self.users.items()}


def find_linked(campaign: Campaign) -> set[uuid.UUID]:
    """The keys of all campaigns linked with this one, itself included. One query for each step."""
    found = {campaign.pk}
    while True:
        # Two conditions of one query would read every campaign of the site.
        later = Campaign.objects.filter(previous__in=found).order_by()
        earlier = Campaign.objects.filter(pk__in=found, previous__arriving_at=None).order_by()
        near = later.values_list("pk").union(earlier.values_list("previous")).order_by()
        more = {key for (key,) in near if key is not None} - found
        if not more:
            return found
        found |= more


def find_seasons(request: HttpRequest, campaign: Campaign) -> list[Campaign]:
    """The linked campaigns that the reader may see, the oldest first."""
    seen = readable(request).filter(pk__in=find_linked(campaign))
    return list(seen.order_by("created_at", "pk"))[-MOST_SEASONS:]


def load_league(request: HttpRequest, campaign: Campaign) -> League:
    """Load the seasons that the reader may see."""
    loaded = [load_season(season.pk) for season in find_seasons(request, campaign)]
    played = [_played(season) for season in loaded]
    players = {player for season in played for player in season.players.values()}
    users = {str(user.pk): user for user in User.objects.filter(pk__in=players)}
    return League(loaded, played, users)


def _played(loaded: LoadedSeason) -> PlayedSeason:
    players = {str(row.gang_id): row.played_by for row in loaded.memberships}
    return PlayedSeason(
        id=str(loaded.campaign.pk),
        name=loaded.campaign.name,
        rows=rank_gangs(loaded.season),
        players={gang: str(player) for gang, player in players.items() if player is not None},
        met=meetings(loaded.season),
        is_over=loaded.campaign.archived_at is not None,
    )
