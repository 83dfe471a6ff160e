"""The next night of somebody's campaigns: whether they are coming, and what they play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Prefetch
from django.utils import timezone

from accounts.models import User
from campaigns.club.nights.questions import NightQuestion
from campaigns.club.nights.schedule import day_of
from campaigns.models import Campaign, Night, Side
from campaigns.text import GameLine, disambiguate, game_line

# How many nights after the next are shown with their question; all others are folded.
LATER = 2


@dataclass(frozen=True)
class Evening:
    """The next night, None if there is none, and the user's own games of it; ``later``: the
    nearest after it, ``folded``: all others."""

    asked: NightQuestion | None = None
    is_today: bool = False
    games: tuple[GameLine, ...] = ()
    later: tuple[NightQuestion, ...] = ()
    folded: tuple[NightQuestion, ...] = ()

    def shown(self) -> tuple[object, ...]:
        """All that a page shows of it, to be compared."""
        asked = (*((self.asked,) if self.asked else ()), *self.later, *self.folded)
        nights = [one.shown for one in asked]
        games = [(line.game.pk, line.game.version, line.game.status) for line in self.games]
        return self.is_today, nights, games


def evening_of(user: User, nights: Sequence[NightQuestion]) -> Evening:
    """The first of the ``nights`` that takes place is the next. Two queries, if there is one."""
    asked = next((asked for asked in nights if asked.night.cancelled_at is None), None)
    if asked is None:
        return Evening(later=tuple(nights[:LATER]), folded=tuple(nights[LATER:]))
    later = [other for other in nights if other is not asked]
    is_today = day_of(asked.night) <= timezone.localdate()
    games = own_games(user, asked.night)
    return Evening(asked, is_today, tuple(games), tuple(later[:LATER]), tuple(later[LATER:]))


def own_games(user: User, night: Night) -> list[GameLine]:
    """The user's own games of a night."""
    campaign: Campaign = night.campaign
    mine = Side.objects.filter(game=OuterRef("pk"), gang__owner=user)
    sides = Side.objects.with_standing().select_related("gang__owner")
    unread = ("draft", "kept_draft", "comment", "tale", "gang__snapshot")
    games = night.games.filter(Exists(mine)).defer("note").order_by("created_at")
    lines = []
    for game in games.prefetch_related(Prefetch("sides", sides.defer(*unread))):
        game.campaign = campaign
        of_game = list(game.sides.all())
        lines.append(game_line(campaign.book, game, of_game, user, game.get_absolute_url()))
    return disambiguate(lines)
