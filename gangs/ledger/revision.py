"""Weighing corrections of a gang's past. ``gangs.ledger.writer`` carries them out."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import NamedTuple

from django.db.models import Q, QuerySet

from common.errors import Refusal
from gangs.engine.entries import Entry
from gangs.engine.errors import Misfit
from gangs.engine.fold import refold
from gangs.engine.plausibility import implausible_entries
from gangs.engine.roster import Roster
from gangs.ledger.storage import read_entries, read_entry, stored_book
from gangs.models import Gang, StoredEntry, Strike


@dataclass(frozen=True)
class Insertion:
    """A new entry to replay at ``place``, after the entries already there.

    ``number``: the number of the member or item that it brings, if it replaces a struck entry;
    None: the number that it is written with.
    """

    place: int
    entry: Entry
    number: int | None = None
    at: datetime.datetime | None = None
    batch: uuid.UUID | None = None


class _Row(NamedTuple):
    """An entry in a ledger, or about to be; sorted in the order of replay."""

    place: int
    seq: int
    number: int
    entry: Entry


@dataclass(frozen=True)
class Weighed:
    """The effects of a correction. ``roster``: the result of the fold after it.

    ``misfits``: entries that no longer fit, and why. Up to ``start`` nothing changes: ``before``
    and ``after`` are the rest of the ledger as it is and as it would be.
    """

    gang: Gang
    roster: Roster
    misfits: list[tuple[StoredEntry, Misfit]]
    start: Roster
    before: list[_Row]
    after: list[_Row]

    @property
    def cuts_end(self) -> bool:
        """Whether the correction only takes the last entries away."""
        return not self.after and not self.misfits

    @cached_property
    def _all_implausible(self) -> list[tuple[int, Refusal]]:
        return self._doubt(self.after)

    def _doubt(self, rows: list[_Row]) -> list[tuple[int, Refusal]]:
        return implausible_entries(self.gang.first_book, _numbered(rows), stored_book, self.start)

    @cached_property
    def _stored(self) -> dict[int, int]:
        """The ``seq`` of the entries behind ``start`` that are not new, by number."""
        return {row.number: row.seq for row in self.after if row.seq <= self.gang.last_seq}

    @cached_property
    def implausible(self) -> list[tuple[StoredEntry, Refusal]]:
        """Entries that still fit, but are now in doubt and were not before, and why."""
        known = {(number, reason.code) for number, reason in self._doubt(self.before)}
        doubts = [
            (self._stored[number], reason)
            for number, reason in self._all_implausible
            if number in self._stored and (number, reason.code) not in known
        ]
        rows = rows_of(self.gang, [seq for seq, _reason in doubts])
        return [(rows[seq], reason) for seq, reason in doubts]

    @property
    def own_implausible(self) -> list[Refusal]:
        """Why new entries are in doubt."""
        return [reason for number, reason in self._all_implausible if number not in self._stored]


def weigh(
    gang: Gang,
    *,
    strike: Collection[int] = (),
    insert: Sequence[Insertion] = (),
    restore: Collection[int] = (),
) -> Weighed:
    """Work out ``gang`` without the entries whose ``seq`` is in ``strike``, and with others: new
    ones, and the struck ones in ``restore``. Nothing is written.

    Three queries at most. Raises Refusal if something to be struck is struck already, and Misfit
    if a new or restored entry does not fit in its place.
    """
    before = _rows(gang.entries.live())
    if not set(strike) <= {row.seq for row in before}:
        raise Refusal("nothing_to_strike")
    kept = [row for row in before if row.seq not in strike]
    if restore:
        kept += _rows(gang.entries.filter(seq__in=restore))
    seqs = {row.number: row.seq for row in kept}
    new = [
        _Row(each.place, seq, each.number or seq, each.entry)
        for seq, each in number_insertions(gang, insert)
    ]
    numbers = {row.number for row in new}
    if len(seqs) < len(kept) or numbers & set(seqs):
        # Two entries would have one number: a later correction replaced the same entry.
        raise Refusal("corrected_since")
    after = sorted(kept + new)
    pairs = zip(before, after, strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], pairs))
    start, misfits = refold(gang.first_book, _numbered(after[:same]), stored_book)
    roster, later = refold(gang.first_book, _numbered(after[same:]), stored_book, start)
    misfits += later
    for number, misfit in misfits:
        if number in numbers or seqs[number] in restore:
            raise misfit
    rows = rows_of(gang, [seqs[number] for number, _misfit in misfits])
    unfit = [(rows[seqs[number]], misfit) for number, misfit in misfits]
    return Weighed(gang, roster, unfit, start, before[same:], after[same:])


def _rows(entries: QuerySet[StoredEntry]) -> list[_Row]:
    return [
        _Row(place, seq, number, entry)
        for entry, place, seq, number in read_entries(entries, "place", "seq", "number")
    ]


def _numbered(rows: list[_Row]) -> list[tuple[int, Entry]]:
    return [(row.number, row.entry) for row in rows]


def rows_of(gang: Gang, seqs: Collection[int]) -> dict[int, StoredEntry]:
    """The gang's stored entries with these ``seqs``, by ``seq``. Makes one query, or none without
    ``seqs``.
    """
    rows = gang.entries.filter(seq__in=seqs) if seqs else ()
    return {row.seq: row for row in rows}


def instead(gang: Gang, row: StoredEntry, entry: Entry) -> tuple[list[int], list[Insertion]]:
    """Return what to strike and what to insert so that ``entry`` takes the place of ``row``: with
    the same number and time, and before what follows it.

    Entries inserted at the same place behind ``row`` are written again, to stay behind it.
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
    """New entries, each with the ``seq`` that it will be written with."""
    return list(enumerate(insert, start=gang.last_seq + 1))


def find_undone(gang: Gang, act: Strike) -> tuple[list[int], list[int]]:
    """Return the entries that taking ``act`` back restores, and those that it strikes, by ``seq``.

    Raises Refusal if ``act`` is taken back already, or if a later correction builds on it.
    """
    if act.undone_by.exists():
        raise Refusal("taken_back_already")
    back = gang.entries.filter(struck=act).values_list("seq", flat=True)
    brought = gang.entries.filter(Q(added_by=act) | Q(seq__in=act.restored))
    if brought.exclude(struck=None).exists():
        raise Refusal("corrected_since")
    return list(back), list(brought.values_list("seq", flat=True))
