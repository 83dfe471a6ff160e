"""The game that a gang plays next."""

from __future__ import annotations

from django.db.models import Prefetch

from accounts.models import User
from campaigns.models import Game, Side
from campaigns.text import GameLine, game_line
from gangs.models import Gang


def next_game(gang: Gang, user: User) -> GameLine | None:
    """The nearest of the gang's games that are planned in its campaign, as the user sees it."""
    sides = Side.objects.with_standing().select_related("gang__owner")
    unread = ("draft", "kept_draft", "comment", "tale", "gang__snapshot")
    planned = Game.objects.filter(status=Game.Status.PLANNED, sides__gang=gang)
    planned = planned.filter(campaign__archived_at=None).select_related("campaign", "night")
    found = planned.order_by("played_on", "created_at")
    game = found.prefetch_related(Prefetch("sides", sides.defer(*unread))).first()
    if game is None:
        return None
    of_game = list(game.sides.all())
    return game_line(game.campaign.book, game, of_game, user, game.get_absolute_url())
