"""What a correction would bring about, as values: what no longer fits, and what is in doubt."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from gangs.engine.entries import Entry
from gangs.engine.errors import Misfit
from gangs.engine.plausibility import Implausible, doubts_along
from gangs.engine.roster import Roster
from gangs.ledger.revision import Insertion, outcome
from gangs.ledger.storage import stored_book
from gangs.models import Gang, StoredEntry


@dataclass(frozen=True)
class Weighed:
    """What a correction would bring about.

    ``misfits``: entries that no longer fit, and why; ``doubts``: entries that still fit, but that
    are in doubt and were not before; ``own_doubts``: new entries that are in doubt.
    """

    roster: Roster
    misfits: list[tuple[StoredEntry, Misfit]]
    implausible: list[tuple[StoredEntry, Implausible]]
    own_doubts: list[tuple[Entry, Implausible]]


def weigh(
    gang: Gang,
    *,
    strike: Collection[int] = (),
    insert: Sequence[Insertion] = (),
    restore: Collection[int] = (),
) -> Weighed:
    """What would become of ``gang``, and what would have to be decided. Raises as ``outcome``."""
    found = outcome(gang, strike=strike, insert=insert, restore=restore)
    known = {(number, doubt.code) for number, doubt in _doubts(gang, found.before)}
    doubts = _doubts(gang, found.after)
    entries, rows = dict(found.after), found.rows
    own = [(entries[number], doubt) for number, doubt in doubts if number not in rows]
    implausible = [
        (rows[number], doubt)
        for number, doubt in doubts
        if number in rows and (number, doubt.code) not in known
    ]
    return Weighed(found.roster, found.misfits, implausible, own)


def _doubts(gang: Gang, entries: Sequence[tuple[int, Entry]]) -> list[tuple[int, Implausible]]:
    doubts = doubts_along(gang.first_book, entries, stored_book)
    return [(number, doubt) for number, listed in doubts.items() for doubt in listed]
