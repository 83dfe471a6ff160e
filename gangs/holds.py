"""Holds: reasons, from outside this app, why a gang may not be changed for the moment.

This app knows no campaign. Whoever does registers a function that says whether something has to be
settled first: between a game and its post-game nobody may dismiss the dead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gangs.entries import Entry
from gangs.models import Gang
from gangs.refusal import Refusal

Hold = Callable[[Gang], Refusal | None]

# What is decided with these changes nothing that a game could depend on.
HARMLESS = {"named", "renamed", "noted", "reordered"}
_holds: list[Hold] = []


def register(hold: Hold) -> None:
    """Ask ``hold`` before every change of a gang's members or goods."""
    if hold not in _holds:
        _holds.append(hold)


def check(gang: Gang, entries: Sequence[Entry]) -> None:
    """Raise Refusal if something holds the gang and ``entries`` are more than words."""
    if all(entry.kind in HARMLESS for entry in entries):
        return
    for hold in _holds:
        refusal = hold(gang)
        if refusal is not None:
            raise refusal
