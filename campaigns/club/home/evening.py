"""The next nights in a user’s campaigns with their games, and the games being played."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from django.db.models import Exists, OuterRef
from django.utils import timezone

from accounts.models import User
from campaigns.club.nights.questions import NightQuestion
from campaigns.club.nights.schedule import day_of
from campaigns.models import Game, Side
from campaigns.text import GameLine, disambiguate, game_lines

# Show this many nights after the next with their question, and fold the others.
LATER = 2
# Show at most this many games that are being played: more than all tables of a club.
MOST_LIVE = 60


@dataclass(frozen=True)
class EveningNight(NightQuestion):
    """A night with the user's own games on it."""

    games: tuple[GameLine, ...] = ()


@dataclass(frozen=True)
class Evening:
    """The next night (None if there is none); ``later``: the nights after it; ``folded``: the
    nights after those; ``live``: the games that are being played now, the user's own first, which
    the nights leave out."""

    asked: EveningNight | None = None
    is_today: bool = False
    later: tuple[EveningNight, ...] = ()
    folded: tuple[EveningNight, ...] = ()
    live: tuple[GameLine, ...] = ()

    @property
    def nights(self) -> tuple[EveningNight, ...]:
        """All the nights."""
        return (*((self.asked,) if self.asked else ()), *self.later, *self.folded)

    @property
    def games(self) -> tuple[GameLine, ...]:
        """All the games that a page shows."""
        return (*self.live, *(line for night in self.nights for line in night.games))

    def shown(self) -> tuple[object, ...]:
        """Everything that a page shows of the evening, to compare it."""
        nights = [one.shown for one in self.nights]
        games = [
            (line.game.pk, line.game.version, line.game.status, line.is_live) for line in self.games
        ]
        return self.is_today, nights, games


def evening_of(
    user: User, nights: Sequence[NightQuestion], campaigns: Collection[uuid.UUID] = ()
) -> Evening:
    """The user's evening, on the first of the ``nights`` that is not called off. ``campaigns``:
    where a game may be played now. Makes at most two queries for the nights' games and three for
    the games being played."""
    live = _live_games(user, campaigns) if campaigns else ()
    games = _own_games(user, nights, {line.game.pk for line in live}) if nights else {}
    shown = [EveningNight(one.night, one.mine, games.get(one.night.pk, ())) for one in nights]
    asked = next((one for one in shown if one.night.cancelled_at is None), None)
    later = [one for one in shown if one is not asked]
    return Evening(
        asked,
        is_today=asked is not None and day_of(asked.night) <= timezone.localdate(),
        later=tuple(later[:LATER]),
        folded=tuple(later[LATER:]),
        live=live,
    )


def _live_games(user: User, campaigns: Collection[uuid.UUID]) -> tuple[GameLine, ...]:
    mine = Exists(Side.objects.filter(game=OuterRef("pk"), gang__owner=user))
    games = Game.objects.being_played().filter(campaign__in=campaigns).annotate(mine=mine)
    with_seats = games.select_related("campaign").prefetch_related("campaign__participants__user")
    lines = disambiguate(game_lines(with_seats.order_by("-mine", "created_at")[:MOST_LIVE], user))
    return tuple(sorted(lines, key=lambda line: not any(side.is_of(user) for side in line.sides)))


def _own_games(
    user: User, nights: Iterable[NightQuestion], without: Collection[uuid.UUID]
) -> Mapping[uuid.UUID | None, tuple[GameLine, ...]]:
    """The user's games on these nights, by the night's key."""
    mine = Side.objects.filter(game=OuterRef("pk"), gang__owner=user)
    games = Game.objects.filter(Exists(mine), night__in=[one.night.pk for one in nights])
    games = games.exclude(pk__in=without).select_related("campaign")
    lines = disambiguate(game_lines(games.order_by("night_id", "created_at"), user))
    return {night: tuple(found) for night, found in groupby(lines, lambda one: one.game.night_id)}
