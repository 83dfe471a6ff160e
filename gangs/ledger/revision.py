"""Correcting a gang's past: what would become of it. ``gangs.ledger.writer`` carries it out."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.db.models import Q

from common.errors import Refusal
from gangs.engine.entries import Entry
from gangs.engine.errors import Misfit
from gangs.engine.fold import refold
from gangs.engine.plausibility import implausible_entries
from gangs.engine.roster import Roster
from gangs.ledger.storage import number_entries, read_entry, stored_book
from gangs.models import Gang, StoredEntry, Strike
from rules.book.model import Book


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
class Weighed:
    """What a correction would bring about. ``roster``: what the rest folds to.

    ``misfits``: entries that no longer fit, and why; ``before`` and ``after``: what stands, in
    order, each entry with its number; ``rows``: where those stand that are not new.
    """

    first_book: Book
    roster: Roster
    misfits: list[tuple[StoredEntry, Misfit]]
    before: list[tuple[int, Entry]]
    after: list[tuple[int, Entry]]
    rows: dict[int, StoredEntry]

    @cached_property
    def _all_implausible(self) -> list[tuple[int, Refusal]]:
        return implausible_entries(self.first_book, self.after, stored_book)

    @cached_property
    def implausible(self) -> list[tuple[StoredEntry, Refusal]]:
        """Entries that still fit, but that are in doubt and were not before, and why."""
        before = implausible_entries(self.first_book, self.before, stored_book)
        known = {(number, reason.code) for number, reason in before}
        return [
            (self.rows[number], reason)
            for number, reason in self._all_implausible
            if number in self.rows and (number, reason.code) not in known
        ]

    @property
    def own_implausible(self) -> list[Refusal]:
        """Why new entries are in doubt."""
        return [reason for number, reason in self._all_implausible if number not in self.rows]


def weigh(
    gang: Gang,
    *,
    strike: Collection[int] = (),
    insert: Sequence[Insertion] = (),
    restore: Collection[int] = (),
) -> Weighed:
    """What ``gang`` would be without the entries whose ``seq`` is in ``strike``, and with others:
    new ones, and those in ``restore`` that were struck. Nothing is written.

    Raises Refusal if something to be struck does not stand, and Misfit if a new or restored entry
    does not fit where it is to stand.
    """
    rows = list(gang.entries.live())
    before = number_entries(rows)
    if not set(strike) <= {row.seq for row in rows}:
        raise Refusal("nothing_to_strike")
    if restore:
        rows += gang.entries.filter(seq__in=restore)
    kept = [row for row in rows if row.seq not in strike]
    by_number = {row.number: row for row in kept}
    new = [
        (each.place, seq, each.number or seq, each.entry)
        for seq, each in number_insertions(gang, insert)
    ]
    numbers = {number for _, _, number, _ in new}
    if len(by_number) < len(kept) or numbers & set(by_number):
        # Two entries would bear one number: a later correction stands where this one stood.
        raise Refusal("corrected_since")
    ordered = [(row.place, row.seq, row.number, read_entry(row)) for row in kept] + new
    ordered.sort(key=lambda row: row[:2])
    after = [(number, entry) for _, _, number, entry in ordered]
    roster, misfits = refold(gang.first_book, after, stored_book)
    for number, misfit in misfits:
        if number in numbers or by_number[number].seq in restore:
            raise misfit
    left = [(by_number[number], misfit) for number, misfit in misfits]
    return Weighed(gang.first_book, roster, left, before, after, by_number)


def instead(gang: Gang, row: StoredEntry, entry: Entry) -> tuple[list[int], list[Insertion]]:
    """What is struck, and what stands there then, so that ``entry`` takes the place of ``row``:
    same number, same moment, and before what follows it.

    What was put in at the same place behind it is written down again, to stay behind it.
    """
    behind = gang.entries.live().filter(place=row.place, seq__gt=row.seq)
    moved = [row, *behind]
    return [old.seq for old in moved], [
        Insertion(
            place=old.place,
            entry=entry if old is row else read_entry(old),
            number=old.number,
            at=old.at,
            batch=old.batch,
        )
        for old in moved
    ]


def number_insertions(gang: Gang, insert: Sequence[Insertion]) -> list[tuple[int, Insertion]]:
    """New entries with the ``seq`` that each will be written down with."""
    return list(enumerate(insert, start=gang.last_seq + 1))


def find_undone(gang: Gang, act: Strike) -> tuple[list[int], list[int]]:
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
