"""Removing a player at any time: what becomes of the games that are still open."""

from __future__ import annotations

from typing import Literal

from django.db import transaction

from accounts.models import User
from campaigns.club.people import roles
from campaigns.games import results
from campaigns.games.unfought import account_without_battle
from campaigns.locking import count_change
from campaigns.models import PENDING, Campaign, Game, Participant

# Open games are void, or the player's opponents win them without a battle.
Ending = Literal["void", "walk-over"]


def remove(
    campaign: Campaign,
    seat: Participant,
    *,
    ending: Ending | None,
    bars: bool = False,
    actor: User,
) -> None:
    """Remove somebody, and settle the games of their gangs first: a reported game counts as
    reported, all others end as ``ending`` says. A post-game that their gang has still to play stays
    open for it. ``bars``: they cannot come back.

    Without an ``ending`` no game is settled. Raises Refusal if a game is then open, or if they are
    the last organiser.
    """
    with transaction.atomic():
        count_change(campaign)
        if ending is not None:
            for game in _open_games(campaign, seat.user):
                game.campaign = campaign
                _settle(game, seat.user, ending, actor)
        settled = ending is not None
        roles.remove(campaign, seat, bars=bars, despite_postgames=settled, actor=actor)


def _open_games(campaign: Campaign, user: User) -> list[Game]:
    games = campaign.games.filter(status__in=PENDING, sides__gang__owner=user)
    return list(games.distinct().order_by("pk"))


def _settle(game: Game, user: User, ending: Ending, actor: User) -> None:
    if game.status == Game.Status.REPORTED:
        results.decide(game, actor=actor, expected_version=game.version)
        return
    sides = list(game.sides.select_related("gang__owner"))
    for side in sides:
        side.game = game
    absent = [side.pk for side in sides if side.is_of(user)]
    account = account_without_battle(game, sides, ending, absent)
    results.decide(game, account=account, actor=actor, expected_version=game.version)
