"""Keeps a gang from being changed while one of its post-games is still to be played."""

from __future__ import annotations

from campaigns.models import Game, Side
from common.errors import Refusal
from gangs.models import Gang


def find_unsettled(gang: Gang) -> Refusal | None:
    """Why the gang may not be changed now: a game is reported whose post-game is still to be done.

    A disputed game holds nobody: a quarrel may last. One query.
    """
    if gang.owner_id is None and gang.kept_at is None:
        return None
    reported = (Game.Status.REPORTED, Game.Status.CONFIRMED)
    waits = Side.objects.undone().filter(gang=gang, game__status__in=reported).exists()
    return Refusal("postgame_waits") if waits else None
