"""A hold on changes of a gang while one of its post-games is still to be played."""

from __future__ import annotations

from functools import cache

from campaigns.models import Game, Side, SideQuerySet
from common.errors import Refusal
from gangs.models import Gang


def find_unsettled(gang: Gang) -> Refusal | None:
    """The reason why the gang may not change now: a reported game whose post-game is still to be
    played. None if it may.

    A disputed game holds no gang, since a dispute may last. One query.
    """
    if gang.owner_id is None and gang.kept_at is None:
        return None
    return Refusal("postgame_waits") if _waiting_sides().filter(gang=gang).exists() else None


@cache
def _waiting_sides() -> SideQuerySet:
    """The sides of reported games with a post-game to play. Every change of a gang asks for them,
    and building the query takes longer than its answer."""
    reported = (Game.Status.REPORTED, Game.Status.CONFIRMED)
    return Side.objects.undone().filter(game__status__in=reported)
