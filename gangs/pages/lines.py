"""Lines of gangs in lists: the rules that each breaks, its campaign, its player's duties."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from common.cache import Cache
from gangs.engine.validation import findings
from gangs.hooks import Overview, Place
from gangs.models import Gang

_mistakes: Cache[int] = Cache(2000)


@dataclass(frozen=True)
class GangLine:
    """A gang in a list. ``mistakes``: the number of rules that it breaks; ``place``: the campaign
    that it plays in; ``waits``: the number of duties that wait for its player."""

    gang: Gang
    mistakes: int
    place: Place | None = None
    waits: int = 0


def gang_lines(gangs: Iterable[Gang], overview: Overview) -> list[GangLine]:
    """The gangs, in their order. ``gangs``: with their snapshots. No query."""
    return [
        GangLine(
            gang,
            _count_mistakes(gang),
            overview.places.get(gang.pk),
            sum(gang.pk in duty.gangs for duty in overview.duties),
        )
        for gang in gangs
    ]


def _count_mistakes(gang: Gang) -> int:
    def count(_last: int | None) -> int:
        return sum(finding.severity == "error" for finding in findings(gang.book, gang.roster))

    return _mistakes.get(gang.pk, (gang.book_version_id, gang.version), count)
