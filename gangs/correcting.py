"""Correcting a gang's past: what would become of it. ``gangs.ledger`` carries it out."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db.models import Q

from gangs.entries import Entry
from gangs.fold import refold
from gangs.misfit import Misfit
from gangs.models import Gang, StoredEntry, Strike
from gangs.refusal import Refusal
from gangs.roster import Roster
from gangs.stored import read, stored_book


@dataclass(frozen=True)
class Insertion:
    """A new entry to be replayed at ``place``, behind what stands there already.

    ``number``: what the member or the item that it brings is known by, if it stands for an entry
    that is struck; None: the number that it is written down with.
    """

    place: int
    entry: Entry
    number: int | None = None
    at: datetime.datetime | None = None


@dataclass(frozen=True)
class Weighed:
    """What a correction would bring about. ``misfits``: entries that no longer fit, and why."""

    roster: Roster
    misfits: list[tuple[StoredEntry, Misfit]]


def weigh(
    gang: Gang,
    *,
    strike: Collection[int] = (),
    insert: Sequence[Insertion] = (),
    restore: Collection[int] = (),
) -> Weighed:
    """What would become of ``gang`` without the entries whose ``seq`` is in ``strike``, and with
    others: new ones, and those in ``restore`` that were struck. Nothing is written.

    Raises Refusal if something to be struck does not stand, and Misfit if a new or restored entry
    does not fit where it is to stand.
    """
    rows = list(gang.entries.live())
    if not set(strike) <= {row.seq for row in rows}:
        raise Refusal("nothing_to_strike")
    if restore:
        rows += gang.entries.filter(seq__in=restore)
    kept = [row for row in rows if row.seq not in strike]
    by_number = {row.number: row for row in kept}
    new = {insertion.number or seq for seq, insertion in inserted(gang, insert)}
    if len(by_number) < len(kept) or new & set(by_number):
        # Two entries would bear one number: a later correction stands where this one stood.
        raise Refusal("corrected_since")
    ordered = [(row.place, row.seq, row.number, read(row)) for row in kept]
    ordered += [
        (insertion.place, seq, insertion.number or seq, insertion.entry)
        for seq, insertion in inserted(gang, insert)
    ]
    ordered.sort(key=lambda each: each[:2])
    numbered = [(number, entry) for _, _, number, entry in ordered]
    roster, misfits = refold(gang.first_book, numbered, stored_book)
    for number, misfit in misfits:
        if number in new or by_number[number].seq in restore:
            raise misfit
    return Weighed(roster, [(by_number[number], misfit) for number, misfit in misfits])


def inserted(gang: Gang, insert: Sequence[Insertion]) -> list[tuple[int, Insertion]]:
    """New entries with the ``seq`` that each will be written down with."""
    return list(enumerate(insert, start=gang.last_seq + 1))


def undone(gang: Gang, act: Strike) -> tuple[list[int], list[int]]:
    """What taking ``act`` back puts back, and what it strikes, by ``seq``.

    Raises Refusal if it is taken back already, or if a later correction stands on it.
    """
    if act.undone_by.exists():
        raise Refusal("taken_back_already")
    back = gang.entries.filter(struck=act).values_list("seq", flat=True)
    brought = gang.entries.filter(Q(added_by=act) | Q(seq__in=act.restored))
    if brought.exclude(struck=None).exists():
        raise Refusal("corrected_since")
    return list(back), list(brought.values_list("seq", flat=True))
