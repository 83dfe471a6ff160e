"""Gangs in lists: each with how it stands, where it plays, and what waits for its player."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gangs.cards.readiness import mistakes_of
from gangs.hooks import Overview, Place
from gangs.models import Gang


@dataclass(frozen=True)
class GangLine:
    """A gang in a list. ``mistakes``: how many rules it breaks; ``place``: the campaign that it
    plays in, if it does; ``waits``: how many things wait for its player."""

    gang: Gang
    mistakes: int
    place: Place | None = None
    waits: int = 0


def gang_lines(gangs: Iterable[Gang], overview: Overview) -> list[GangLine]:
    """The gangs, in their order. No query: they come with their snapshots."""
    return [
        GangLine(
            gang,
            mistakes_of(gang),
            overview.places.get(gang.pk),
            sum(gang.pk in duty.gangs for duty in overview.duties),
        )
        for gang in gangs
    ]
