"""What waits for somebody in all their campaigns: games to report, to agree on, to play on from."""

from __future__ import annotations

from django.db.models import Q
from django.utils import timezone
from django.utils.formats import date_format

from accounts.models import User
from campaigns.models import Game, Side
from campaigns.season.loading import by_game
from campaigns.text import awaited, side_names
from gangs.hooks import Todo

# How many are told; the oldest come first, and make room for the next.
MOST = 6
# What pages of games show of a side, and this one does not.
UNREAD = ("report", "draft", "kept_draft", "before", "crew", "tale")


def waiting(user: User) -> list[Todo]:
    """What waits for the user's own gangs, the oldest game first. Two queries at most."""
    status = Game.Status
    mine = Side.objects.filter(gang__owner=user, game__campaign__archived_at=None)
    waiting_sides = mine.filter(
        Q(game__status=status.PLANNED, game__played_on__lte=timezone.localdate())
        | Q(game__status=status.REPORTED, verdict="")
        | Q(game__status=status.DISPUTED) & ~Q(verdict=Side.Verdict.DISPUTED)
        | Q(game__status=status.CONFIRMED) & (Q(correcting=True) | Q(pk__in=mine.undone()))
    )
    found = (
        waiting_sides.select_related("game__campaign")
        .defer(*UNREAD, "game__note")
        .order_by("game__played_on", "game__created_at", "pk")[:MOST]
    )
    games = {side.game_id: side.game for side in found}
    if not games:
        return []
    rows = Side.objects.with_standing().filter(game__in=games).order_by("pk")
    sides = by_game(rows.select_related("gang__owner").defer(*UNREAD, "gang__snapshot"))
    todos = [todo for key, game in games.items() for todo in _todos(game, sides[key], user)]
    return todos[:MOST]


def _todos(game: Game, sides: list[Side], user: User) -> list[Todo]:
    title = " – ".join(side_names(sides).values())
    about = f"{title}, {date_format(game.played_on, 'j N Y')} · {game.campaign.name}"
    found = awaited(game, sides, user, game.get_absolute_url())
    return [Todo(duty.url, duty.text, about) for duty in found if duty.url]
