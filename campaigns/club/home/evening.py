"""The next night in a user's campaigns: whether they are coming, and the games they play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef
from django.utils import timezone

from accounts.models import User
from campaigns.club.nights.questions import NightQuestion
from campaigns.club.nights.schedule import day_of
from campaigns.models import Side
from campaigns.text import GameLine, disambiguate, game_lines

# Show this many nights after the next with their question, and fold the others.
LATER = 2


@dataclass(frozen=True)
class Evening:
    """The next night (None if there is none) with the user's own games; ``later``: the nights
    after it; ``folded``: the nights after those."""

    asked: NightQuestion | None = None
    is_today: bool = False
    games: tuple[GameLine, ...] = ()
    later: tuple[NightQuestion, ...] = ()
    folded: tuple[NightQuestion, ...] = ()

    def shown(self) -> tuple[object, ...]:
        """Everything that a page shows of the evening, to compare it."""
        asked = (*((self.asked,) if self.asked else ()), *self.later, *self.folded)
        nights = [one.shown for one in asked]
        games = [(line.game.pk, line.game.version, line.game.status) for line in self.games]
        return self.is_today, nights, games


def evening_of(user: User, nights: Sequence[NightQuestion]) -> Evening:
    """The user's evening, on the first of the ``nights`` that is not called off. Makes two queries
    if there is such a night."""
    asked = next((asked for asked in nights if asked.night.cancelled_at is None), None)
    if asked is None:
        return Evening(later=tuple(nights[:LATER]), folded=tuple(nights[LATER:]))
    night, later = asked.night, [other for other in nights if other is not asked]
    mine = Side.objects.filter(game=OuterRef("pk"), gang__owner=user)
    own_games = night.games.filter(Exists(mine)).order_by("created_at")
    return Evening(
        asked,
        is_today=day_of(night) <= timezone.localdate(),
        games=tuple(disambiguate(game_lines(own_games, user, night.campaign))),
        later=tuple(later[:LATER]),
        folded=tuple(later[LATER:]),
    )
