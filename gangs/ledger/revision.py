"""Correcting a gang's past: what would become of it. ``gangs.ledger`` carries it out."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db.models import Q

from gangs.doubts import Doubt, doubts_along
from gangs.entries import Entry
from gangs.fold import refold
from gangs.misfit import Misfit
from gangs.models import Gang, StoredEntry, Strike
from gangs.refusal import Refusal
from gangs.roster import Roster
from gangs.stored import numbered, read, stored_book


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
    batch: uuid.UUID | None = None


@dataclass(frozen=True)
class Outcome:
    """What the rest folds to. ``misfits``: entries that no longer fit, and why; ``before`` and
    ``after``: what stands, in order, each entry with its number; ``rows``: where they stand."""

    roster: Roster
    misfits: list[tuple[StoredEntry, Misfit]]
    before: list[tuple[int, Entry]]
    after: list[tuple[int, Entry]]
    rows: dict[int, StoredEntry]


@dataclass(frozen=True)
class Weighed:
    """What a correction would bring about.

    ``misfits``: entries that no longer fit, and why; ``doubts``: entries that still fit, but that
    are in doubt and were not before; ``own_doubts``: new entries that are in doubt.
    """

    roster: Roster
    misfits: list[tuple[StoredEntry, Misfit]]
    doubts: list[tuple[StoredEntry, Doubt]]
    own_doubts: list[tuple[Entry, Doubt]]


def weigh(
    gang: Gang,
    *,
    strike: Collection[int] = (),
    insert: Sequence[Insertion] = (),
    restore: Collection[int] = (),
) -> Weighed:
    """What would become of ``gang``, and what would have to be decided. Raises as ``outcome``."""
    found = outcome(gang, strike=strike, insert=insert, restore=restore)
    book = gang.first_book
    known = {
        (number, doubt.code)
        for number, doubts in doubts_along(book, found.before, stored_book).items()
        for doubt in doubts
    }
    entries = dict(found.after)
    doubts: list[tuple[StoredEntry, Doubt]] = []
    own: list[tuple[Entry, Doubt]] = []
    for number, listed in doubts_along(book, found.after, stored_book).items():
        for doubt in listed:
            if number not in found.rows:
                own.append((entries[number], doubt))
            elif (number, doubt.code) not in known:
                doubts.append((found.rows[number], doubt))
    return Weighed(found.roster, found.misfits, doubts, own)


def outcome(
    gang: Gang,
    *,
    strike: Collection[int] = (),
    insert: Sequence[Insertion] = (),
    restore: Collection[int] = (),
) -> Outcome:
    """What ``gang`` would be without the entries whose ``seq`` is in ``strike``, and with others:
    new ones, and those in ``restore`` that were struck. Nothing is written.

    Raises Refusal if something to be struck does not stand, and Misfit if a new or restored entry
    does not fit where it is to stand.
    """
    rows = list(gang.entries.live())
    before = numbered(rows)
    if not set(strike) <= {row.seq for row in rows}:
        raise Refusal("nothing_to_strike")
    if restore:
        rows += gang.entries.filter(seq__in=restore)
    kept = [row for row in rows if row.seq not in strike]
    by_number = {row.number: row for row in kept}
    new = [
        (each.place, seq, each.number or seq, each.entry) for seq, each in inserted(gang, insert)
    ]
    numbers = {number for _, _, number, _ in new}
    if len(by_number) < len(kept) or numbers & set(by_number):
        # Two entries would bear one number: a later correction stands where this one stood.
        raise Refusal("corrected_since")
    ordered = [(row.place, row.seq, row.number, read(row)) for row in kept] + new
    ordered.sort(key=lambda each: each[:2])
    after = [(number, entry) for _, _, number, entry in ordered]
    roster, misfits = refold(gang.first_book, after, stored_book)
    for number, misfit in misfits:
        if number in numbers or by_number[number].seq in restore:
            raise misfit
    left = [(by_number[number], misfit) for number, misfit in misfits]
    return Outcome(roster, left, before, after, by_number)


def instead(gang: Gang, row: StoredEntry, entry: Entry) -> tuple[list[int], list[Insertion]]:
    """What is struck, and what stands there then, so that ``entry`` takes the place of ``row``:
    same number, same moment, and before what follows it.

    What was put in at the same place behind it is written down again, to stay behind it.
    """
    behind = gang.entries.live().filter(place=row.place, seq__gt=row.seq)
    moved = [row, *behind]
    return [each.seq for each in moved], [
        Insertion(
            place=each.place,
            entry=entry if each is row else read(each),
            number=each.number,
            at=each.at,
            batch=each.batch,
        )
        for each in moved
    ]


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
