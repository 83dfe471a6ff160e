"""Which versions of its rules a gang may go by, and who says so.

This app knows no campaign. Whoever does registers a function that says why a gang's owner may not
decide alone: all gangs of a campaign go by the same rules.
"""

from __future__ import annotations

from collections.abc import Callable

from gangs.models import Gang
from gangs.refusal import Refusal

Say = Callable[[Gang], Refusal | None]

_says: list[Say] = []


def register(say: Say) -> None:
    """Ask ``say`` before a gang's owner changes the version of its rules."""
    if say not in _says:
        _says.append(say)


def why_not(gang: Gang) -> Refusal | None:
    """Why the gang's owner may not say by which rules it goes, if he may not."""
    if gang.archived_at is not None:
        return Refusal("archived")
    for say in _says:
        refusal = say(gang)
        if refusal is not None:
            return refusal
    return None


def check(gang: Gang) -> None:
    """Raise Refusal if the gang's owner may not say by which rules it goes."""
    refusal = why_not(gang)
    if refusal is not None:
        raise refusal
