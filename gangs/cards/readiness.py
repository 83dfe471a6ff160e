"""How many rules a gang breaks, for lists of gangs."""

from __future__ import annotations

from common.cache import Cache
from gangs.engine.validation import findings
from gangs.models import Gang

_mistakes: Cache[int] = Cache(2000)


def mistakes_of(gang: Gang) -> int:
    """How many rules the gang breaks as it stands; 0 if it is legal. Reads its snapshot. Worked out
    once for as long as the gang stays as it is."""
    state = gang.book_version_id, gang.version
    return _mistakes.get(gang.pk, state, lambda _last: _count(gang))


def _count(gang: Gang) -> int:
    return sum(finding.severity == "error" for finding in findings(gang.book, gang.roster))
