"""Weighing corrections of a gang's past. ``gangs.ledger.writer`` carries them out."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from common.errors import Refusal
from gangs import hooks
from gangs.engine.entries import Entry, Played
from gangs.engine.errors import Misfit
from gangs.engine.fold import refold
from gangs.engine.plausibility import implausible_entries
from gangs.engine.replaying import LaterPostgame, LedgerRow, Replayed, refold_later
from gangs.engine.roster import Roster
from gangs.ledger.storage import read_entries, read_entry, stored_book
from gangs.models import Gang, StoredEntry, Strike

# The most undoings in a row that can be taken back one after the other.
MOST_UNDONE = 50


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


@dataclass(frozen=True)
class Weighed:
    """The effects of a correction. ``roster``: the result of the fold after it.

    ``misfits``: entries that no longer fit, and why. ``replayed``: later post-games with other
    outcomes; ``struck``, ``insert``: what else to strike, by ``seq``, and to insert for those;
    ``own``: the numbers of the correction's own new entries. Up to ``start`` nothing changes:
    ``before`` and ``after`` are the rest of the ledger as it is and as it would be.
    """

    gang: Gang
    roster: Roster
    misfits: list[tuple[StoredEntry, Misfit]]
    replayed: list[Replayed]
    struck: frozenset[int]
    insert: list[Insertion]
    own: frozenset[int]
    start: Roster
    before: list[LedgerRow]
    after: list[LedgerRow]

    @property
    def cuts_end(self) -> bool:
        """Whether the correction only takes the last entries away."""
        return not self.after and not self.misfits

    @cached_property
    def _all_implausible(self) -> list[tuple[int, Refusal]]:
        return self._doubt(self.after)

    def _doubt(self, rows: list[LedgerRow]) -> list[tuple[int, Refusal]]:
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
        return [reason for number, reason in self._all_implausible if number in self.own]


def weigh(
    gang: Gang,
    *,
    strike: Collection[int] = (),
    insert: Sequence[Insertion] = (),
    restore: Collection[int] = (),
    exact: bool = False,
    earlier: Mapping[uuid.UUID, LaterPostgame] | None = None,
) -> Weighed:
    """Work out ``gang`` without the entries whose ``seq`` is in ``strike``, and with others: new
    ones, and the struck ones in ``restore``. Later post-games are worked out again. Nothing is
    written.

    ``exact``: restore what was there, later post-games included; ``earlier``: post-games of which
    other facts are known now, as they were before. Three queries at most, and those of
    ``hooks.Oversight.later_postgames`` if there are later games. Raises Refusal if something to be
    struck is struck already, and Misfit if a new or restored entry does not fit in its place.
    """
    before = _rows(gang.entries.live())
    if not set(strike) <= {row.seq for row in before}:
        raise Refusal("nothing_to_strike")
    kept = [row for row in before if row.seq not in strike]
    restored = _rows(gang.entries.filter(seq__in=restore)) if restore else []
    kept += restored
    seqs = {row.number: row.seq for row in kept}
    new = [
        LedgerRow(each.place, seq, each.number or seq, each.entry, each.batch, each.at)
        for seq, each in number_insertions(gang, insert)
    ]
    numbers = frozenset(row.number for row in new)
    if len(seqs) < len(kept) or numbers & set(seqs):
        # Two entries would have one number: a later correction replaced the same entry.
        raise Refusal("corrected_since")
    after = sorted(kept + new)
    pairs = zip(before, after, strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], pairs))
    changed = [row for row in before if row.seq in strike] + new + (restored if exact else [])
    if earlier:
        facts = [at for at, row in enumerate(before) if row.batch in earlier]
        same = min([same, *facts])
    start, misfits = refold(gang.first_book, _numbered(after[:same]), stored_book)
    found = refold_later(
        gang.first_book,
        stored_book,
        start,
        before[same:],
        after[same:],
        gang.last_seq + len(new) + 1,
        _later_postgames(gang, after[same:]),
        # Post-games that the correction replaces as a whole or, if it is exact, touches at all.
        fixed={row.batch for row in changed if exact or isinstance(row.entry, Played)},
        exact=exact,
        earlier=earlier,
    )
    misfits += found.misfits
    for number, misfit in misfits:
        if number in numbers or seqs[number] in restore:
            raise misfit
    rows = rows_of(gang, [seqs[number] for number, _misfit in misfits])
    return Weighed(
        gang=gang,
        roster=found.roster,
        misfits=[(rows[seqs[number]], misfit) for number, misfit in misfits],
        replayed=found.replayed,
        struck=found.struck,
        insert=[
            Insertion(row.place, row.entry, number=row.number, at=row.at, batch=row.batch)
            for row in found.new
        ],
        own=numbers,
        start=start,
        before=before[same:],
        after=found.rows,
    )


def _later_postgames(gang: Gang, rows: Sequence[LedgerRow]) -> Mapping[uuid.UUID, LaterPostgame]:
    """The post-games among ``rows``, by batch. Makes no query without games."""
    games = {row.batch for row in rows if isinstance(row.entry, Played)}
    batches = [batch for batch in games if batch is not None]
    return hooks.oversight.later_postgames(gang, batches) if batches else {}


def _rows(entries: QuerySet[StoredEntry]) -> list[LedgerRow]:
    return [
        LedgerRow(place, seq, number, entry, batch, at)
        for entry, place, seq, number, batch, at in read_entries(
            entries, "place", "seq", "number", "batch", "at"
        )
    ]


def _numbered(rows: list[LedgerRow]) -> list[tuple[int, Entry]]:
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


class Undoing(NamedTuple):
    """The entries that taking a correction back restores, and those that it strikes, by ``seq``.

    ``exact``: they include those of later post-games, which nothing has changed since.
    ``replayed``: those among them.
    """

    restore: list[int]
    strike: list[int]
    exact: bool
    replayed: list[int]


def find_undone(gang: Gang, act: Strike) -> Undoing:
    """Return what taking ``act`` back restores and strikes. After other corrections, that leaves
    out the entries of later post-games: they are worked out again.

    Raises Refusal if ``act`` is taken back already, or if a later correction builds on it.
    """
    if act.undone_by.exists():
        raise Refusal("taken_back_already")
    exact = not gang.strikes.filter(pk__gt=act.pk).exists()
    derived = [] if exact else act.replayed
    entries = gang.entries.exclude(seq__in=derived).only("seq", "kind", "batch", "struck")
    back = list(entries.filter(struck=act))
    brought = list(entries.filter(Q(added_by=act) | Q(seq__in=act.restored)))
    if any(entry.struck_id is not None for entry in brought):
        raise Refusal("corrected_since")
    # Without its game, a post-game keeps no entries, not even those that were added later.
    ended = _batches_of_games(brought) - _batches_of_games(back)
    along = gang.entries.live().filter(batch__in=ended) if ended else ()
    return Undoing(
        restore=[entry.seq for entry in back],
        strike=sorted({entry.seq for entry in (*brought, *along)}),
        exact=exact,
        replayed=act.replayed if exact else [],
    )


def find_undone_last(gang: Gang) -> Strike | None:
    """Return the newest undoing that can be taken back before anything else changes: it is followed
    only by other undoings and by their taking back. None without one. One query."""
    newest = gang.entries.order_by("-seq").values("at")[:1]
    adds = StoredEntry.objects.filter(added_by=OuterRef("pk"))
    acts = gang.strikes.filter(at__gte=Subquery(newest)).annotate(adds=Exists(adds))
    found = list(acts.order_by("-pk")[:MOST_UNDONE])
    keys = {act.pk for act in found}
    taken_back = {act.undoes_id for act in found if act.undoes_id is not None}
    if not taken_back <= keys:
        return None
    for act in found:
        if act.undoes_id is None and act.pk not in taken_back:
            is_plain = not (act.adds or act.by_organiser or act.occasion)
            return act if is_plain else None
    return None


def _batches_of_games(entries: Collection[StoredEntry]) -> set[uuid.UUID]:
    return {entry.batch for entry in entries if entry.kind == Played.kind}
