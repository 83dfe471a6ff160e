"""What keeps a gang from being changed: a post-game that is still to be done.

The question is asked before every change of every gang, so the query is compiled once.
"""

from __future__ import annotations

import uuid

from django.db.models import UUIDField

from campaigns.models import Game, Side, SideQuerySet
from common.cache import Statement
from common.errors import Refusal
from gangs.models import Gang


def unsettled(gang: Gang) -> Refusal | None:
    """Why the gang may not be changed now: a game is reported whose post-game is still to be done.

    A disputed game holds nobody: a quarrel may last. One query.
    """
    if gang.owner_id is None and gang.kept_at is None:
        return None
    return Refusal("postgame_waits") if WAITING.rows(gang.pk) else None


def _waiting(gang: uuid.UUID) -> SideQuerySet:
    waiting = (Game.Status.REPORTED, Game.Status.CONFIRMED)
    found = Side.objects.undone().filter(gang=gang, game__status__in=waiting)
    return found.order_by().only("pk")[:1]


# RollRequest before every change of a gang.
WAITING = Statement(_waiting, UUIDField(), uuid.UUID("5ca1ab1e-0000-4000-8000-000000000002"))
