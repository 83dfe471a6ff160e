"""A hold on changes of a gang while one of its post-games is still to be played."""

from __future__ import annotations

from campaigns.models import Game, Side
from common.errors import Refusal
from gangs.models import Gang


def find_unsettled(gang: Gang) -> Refusal | None:
    """The reason why the gang may not change now: a reported game whose post-game is still to be
    played. None if it may.

    A disputed game holds no gang, since a dispute may last. One query.
    """
    if gang.owner_id is None and gang.kept_at is None:
        return None
    reported = (Game.Status.REPORTED, Game.Status.CONFIRMED)
    waits = Side.objects.undone().filter(gang=gang, game__status__in=reported).exists()
    return Refusal("postgame_waits") if waits else None
