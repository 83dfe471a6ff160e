"""Working post-games out again after a correction of something earlier.

A post-game follows from the gang before it, its report, and the answers and dice of its player. If
a correction changes the gang before it, the same answers and dice bring other entries. Only the
differences are carried out, so that corrections of single entries by hand survive.
"""

from __future__ import annotations

import heapq
import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from difflib import SequenceMatcher
from typing import NamedTuple, Protocol

from gangs.engine import entries as kinds
from gangs.engine.entries import Entry
from gangs.engine.errors import Misfit
from gangs.engine.fold import Books, apply, book_now
from gangs.engine.roster import Roster
from rules.book.model import Book

# Other entries refer to what these bring, by number.
BRINGING = (kinds.Recruited, kinds.Bought, kinds.HoldingGained)
Numbered = tuple[int, Entry]


class LedgerRow(NamedTuple):
    """An entry in a ledger, or about to be; sorted in the order of replay.

    ``batch``: None for a new entry whose batch is not known yet.
    """

    place: int
    seq: int
    number: int
    entry: Entry
    batch: uuid.UUID | None = None
    at: datetime | None = None


@dataclass(frozen=True)
class Playback:
    """The result of playing a post-game again. ``entries``: with their numbers; ``waits``: the keys
    of the dice and choices that are still missing."""

    entries: tuple[Numbered, ...]
    waits: frozenset[str] = frozenset()

    @property
    def is_complete(self) -> bool:
        """Whether no dice and no choices are missing."""
        return not self.waits


class LaterPostgame(Protocol):
    """A post-game in a gang's ledger, as the app above stores it."""

    @property
    def batch(self) -> uuid.UUID:
        """The batch of its entries."""

    @property
    def is_reopened(self) -> bool:
        """Whether it has to be, or is being, played again already."""

    @property
    def url(self) -> str:
        """The address of its page."""

    def label(self) -> str:
        """The name of its game, in the reader's language."""

    def replay(self, book: Book, roster: Roster, next_number: int) -> Playback:
        """Play it on this gang from the answers in the ledger. Raises Misfit if that cannot be."""

    def replay_draft(self, book: Book, roster: Roster, next_number: int) -> Playback:
        """Play it from the answers given since it was reopened. Raises as ``replay``."""

    def list_missing(self, book: Book, roster: Roster, playback: Playback) -> list[str]:
        """The missing dice and choices of a playback on this gang, in the reader's language."""


@dataclass
class Replayed:
    """A later post-game whose outcome a correction changes.

    ``book``, ``roster``: the gang before it; ``removed``: its entries that no longer come about;
    ``added``: new ones, each with the gang before it; ``again``: it has to be played again, since
    dice or choices are missing; ``settled``: it no longer has to be.
    """

    postgame: LaterPostgame
    book: Book
    roster: Roster
    playback: Playback
    removed: list[LedgerRow] = field(default_factory=list)
    added: list[tuple[Roster, LedgerRow]] = field(default_factory=list)
    again: bool = False
    settled: bool = False

    def __bool__(self) -> bool:
        return bool(self.removed or self.added or self.again or self.settled)


@dataclass(frozen=True)
class Refolded:
    """A ledger after a correction, with its later post-games worked out again.

    ``rows``: all entries in order, those that no longer fit included; ``struck``: the ``seq`` of
    those that the replay takes away; ``new``: those that it adds, by ``seq``; ``misfits``: entries
    that no longer fit, by number.
    """

    roster: Roster
    rows: list[LedgerRow]
    struck: frozenset[int]
    new: list[LedgerRow]
    misfits: list[tuple[int, Misfit]]
    replayed: list[Replayed]


class _Unmergeable(Exception):
    """A new entry of a post-game contradicts a correction by hand of the same post-game."""

    def __init__(self, batch: uuid.UUID) -> None:
        super().__init__(str(batch))
        self.batch = batch


def refold_later(
    book: Book,
    books: Books,
    start: Roster,
    before: Sequence[LedgerRow],
    after: Sequence[LedgerRow],
    next_seq: int,
    postgames: Mapping[uuid.UUID, LaterPostgame],
    *,
    fixed: Collection[uuid.UUID | None] = (),
    exact: bool = False,
    earlier: Mapping[uuid.UUID, LaterPostgame] | None = None,
) -> Refolded:
    """Fold a corrected ledger, and work its later post-games out again.

    ``book``: the one that the gang was founded with; ``start``: the gang up to which nothing
    changes; ``before`` and ``after``: the rest of the ledger without and with the correction;
    ``next_seq``: the ``seq`` of the next new entry; ``postgames``: those to work out again, by
    batch, except for the entries of those that are ``fixed``, since the correction itself says what
    they are; ``exact``: the correction restores what was there, so post-games that are waiting to
    be played again stay as they are; ``earlier``: post-games of which other facts are known now, as
    they were before.
    """
    unmergeable: set[uuid.UUID] = set()
    while True:
        run = _Run(book, books, next_seq, postgames, fixed, exact, earlier or {}, unmergeable)
        try:
            return run.fold(start, before, after)
        except _Unmergeable as error:
            unmergeable.add(error.batch)


class _Run:
    """One fold of a corrected ledger. ``unmergeable``: post-games to be played again by hand."""

    def __init__(
        self,
        book: Book,
        books: Books,
        next_seq: int,
        postgames: Mapping[uuid.UUID, LaterPostgame],
        fixed: Collection[uuid.UUID | None],
        exact: bool,
        earlier: Mapping[uuid.UUID, LaterPostgame],
        unmergeable: Collection[uuid.UUID],
    ) -> None:
        self.book, self.books = book, books
        self.first_new = self.next_seq = next_seq
        self.postgames, self.earlier = postgames, earlier
        self.fixed, self.exact, self.unmergeable = fixed, exact, unmergeable
        self.heap: list[LedgerRow] = []
        self.struck: set[int] = set()
        self.new: list[LedgerRow] = []
        # New entries that only repeat old ones, to stay behind other new ones.
        self.moved: set[int] = set()
        self.replayed: dict[uuid.UUID, Replayed] = {}

    def fold(
        self, start: Roster, before: Sequence[LedgerRow], after: Sequence[LedgerRow]
    ) -> Refolded:
        """Carry the entries out in order. Raises _Unmergeable."""
        bases = dict(self._bases(start, before))
        known = {row.seq for row in before}
        self.heap, roster = list(after), start
        heapq.heapify(self.heap)
        rows: list[LedgerRow] = []
        misfits: list[tuple[int, Misfit]] = []
        while self.heap:
            row = self.heap[0]
            batch = row.batch
            if batch is not None and batch in self.postgames and batch not in self.replayed:
                self._replay(self.postgames[batch], bases.get(batch), roster)
                continue
            heapq.heappop(self.heap)
            current = book_now(self.book, roster, self.books)
            outcome = self.replayed.get(batch) if batch is not None else None
            try:
                folded = apply(current, roster, row.number, row.entry, self.books)
            except Misfit as misfit:
                if row.seq >= self.first_new and batch is not None and outcome is not None:
                    raise _Unmergeable(batch) from None
                if outcome is not None and self._is_provisional(outcome):
                    # It is played again anyway: until then it keeps what fits.
                    self.struck.add(row.seq)
                    outcome.removed.append(row)
                else:
                    rows.append(row)
                    misfits.append((row.number, misfit))
                continue
            if outcome is not None and batch in bases and row.seq not in known | self.moved:
                outcome.added.append((roster, row))
            rows.append(row)
            roster = folded
        for batch in self.replayed.keys() & bases.keys() & set(self.fixed):
            self._list_removed(self.replayed[batch], before, after)
        changed = [outcome for outcome in self.replayed.values() if outcome]
        return Refolded(roster, rows, frozenset(self.struck), self.new, misfits, changed)

    def _bases(
        self, start: Roster, before: Sequence[LedgerRow]
    ) -> Iterator[tuple[uuid.UUID, Roster]]:
        """The gang before each post-game, without the correction."""
        roster, seen = start, set[uuid.UUID]()
        for row in before:
            if row.batch in self.postgames and row.batch is not None and row.batch not in seen:
                seen.add(row.batch)
                yield row.batch, roster
            current = book_now(self.book, roster, self.books)
            roster = apply(current, roster, row.number, row.entry, self.books)

    def _replay(self, postgame: LaterPostgame, base: Roster | None, roster: Roster) -> None:
        """Put the entries that the post-game brings now among those to carry out. ``base``: the
        gang before it without the correction; None if the correction restores it."""
        book, batch = book_now(self.book, roster, self.books), postgame.batch
        self.replayed[batch] = Replayed(postgame, book, roster, Playback(()))
        known = self.earlier.get(batch, postgame)
        if base == roster and known is postgame:
            return
        live = sorted(row for row in self.heap if row.batch == batch)
        try:
            new = postgame.replay(book, roster, self.next_seq)
            old = Playback(tuple((row.number, row.entry) for row in live))
            if base is not None:
                old = known.replay(book_now(self.book, base, self.books), base, self.next_seq)
        except Misfit:
            # It cannot be worked out at all, so it stays as it is.
            return
        outcome = Replayed(postgame, book, roster, new)
        if batch in self.fixed:
            outcome = Replayed(postgame, book, roster, Playback(()))
        elif batch in self.unmergeable or not new.is_complete:
            is_new = old.is_complete or not new.waits <= old.waits
            outcome.again = is_new and not postgame.is_reopened
        elif old.is_complete:
            if _keys(old.entries) != _keys(new.entries):
                self._merge(outcome, live, old.entries)
        elif postgame.is_reopened and not self.exact:
            self._merge(outcome, live, [(row.number, row.entry) for row in live])
        if postgame.is_reopened:
            outcome.settled = self._is_settled(postgame, book, roster)
        self.replayed[batch] = outcome

    def _is_provisional(self, outcome: Replayed) -> bool:
        """Whether the entries of a post-game wait to be replaced."""
        return not outcome.playback.is_complete or outcome.postgame.batch in self.unmergeable

    def _is_settled(self, postgame: LaterPostgame, book: Book, roster: Roster) -> bool:
        """Whether the answers given since a post-game was reopened bring what its entries say."""
        try:
            draft = postgame.replay_draft(book, roster, self.first_new)
        except Misfit:
            return False
        rows = sorted(row for row in self.heap if row.batch == postgame.batch)
        brought = _keys([(row.number, row.entry) for row in rows])
        return draft.is_complete and _keys(draft.entries) == brought

    def _merge(self, outcome: Replayed, live: list[LedgerRow], old: Sequence[Numbered]) -> None:
        """Apply the differences between the ``old`` entries and the new ones to the ``live`` ones.

        A new entry takes the place of the one before it. Entries at the same place that belong
        behind it are written again.
        """
        items = _merged(live, old, outcome.playback.entries)
        kept = {item.seq for item in items if isinstance(item, LedgerRow)}
        for row in live:
            if row.seq not in kept:
                self._strike(row, outcome)
        numbers = {row.number for row in self.heap}
        place, seq, at = live[0].place, 0, live[0].at
        renamed: dict[int, int] = {}
        for item in items:
            if isinstance(item, LedgerRow):
                if (item.place, item.seq) > (place, seq):
                    place, seq = item.place, item.seq
                    continue
                self._take(item)
                self.moved.add(self.next_seq)
                number, entry = item.number, item.entry
            else:
                played, entry = item[0], _renumber(item[1], renamed)
                number = self.next_seq
                if isinstance(entry, BRINGING) and played < self.first_new:
                    number = number if played in numbers else played
                renamed[played] = number
            numbers.add(number)
            row = LedgerRow(place, self.next_seq, number, entry, outcome.postgame.batch, at)
            seq, self.next_seq = row.seq, row.seq + 1
            self.new.append(row)
            heapq.heappush(self.heap, row)

    def _list_removed(
        self, outcome: Replayed, before: Sequence[LedgerRow], after: Sequence[LedgerRow]
    ) -> None:
        """List what the correction itself takes from a post-game, without what it adds again."""
        kept = {row.seq for row in after}
        gone = [row for row in before if row.seq not in kept]
        for row in gone:
            if row.batch == outcome.postgame.batch:
                same = (one for one in outcome.added if one[1].entry == row.entry)
                again = next(same, None)
                if again is None:
                    outcome.removed.append(row)
                else:
                    outcome.added.remove(again)

    def _strike(self, row: LedgerRow, outcome: Replayed) -> None:
        """Take an entry away because its post-game no longer brings it."""
        self._take(row)
        outcome.removed.append(row)

    def _take(self, row: LedgerRow) -> None:
        """Take an entry out of those to carry out."""
        self.struck.add(row.seq)
        self.heap = [other for other in self.heap if other.seq != row.seq]
        heapq.heapify(self.heap)


def _merged(
    live: Sequence[LedgerRow], old: Sequence[Numbered], new: Sequence[Numbered]
) -> list[LedgerRow | Numbered]:
    """The ``live`` entries with everything changed that differs between ``old`` and ``new``.

    Usually ``live`` and ``old`` are equal; otherwise somebody has corrected single entries.
    """
    numbered = [(row.number, row.entry) for row in live]
    in_live = {
        first + step: second + step
        for first, second, size in _matcher(old, numbered).get_matching_blocks()
        for step in range(size)
    }
    dropped: set[int] = set()
    # New entries by the place of the live entry that they come after.
    added: dict[int, list[Numbered]] = {}
    for tag, old_from, old_to, new_from, new_to in _matcher(old, new).get_opcodes():
        if tag != "equal":
            dropped.update(in_live[at] for at in range(old_from, old_to) if at in in_live)
            earlier = (in_live[at] for at in range(old_from - 1, -1, -1) if at in in_live)
            added.setdefault(next(earlier, -1), []).extend(new[new_from:new_to])
    merged: list[LedgerRow | Numbered] = list(added.get(-1, ()))
    for at, row in enumerate(live):
        merged += [] if at in dropped else [row]
        merged += added.get(at, ())
    return merged


def _matcher(
    first: Sequence[Numbered], second: Sequence[Numbered]
) -> SequenceMatcher[tuple[int, str]]:
    return SequenceMatcher(None, _keys(first), _keys(second), autojunk=False)


def _keys(entries: Sequence[Numbered]) -> list[tuple[int, str]]:
    """A value for each entry that is equal for equal entries. The number only matters for entries
    that bring something."""
    return [
        (number if isinstance(entry, BRINGING) else 0, f"{entry.kind} {entry.model_dump_json()}")
        for number, entry in entries
    ]


def _renumber(entry: Entry, renamed: Mapping[int, int]) -> Entry:
    """The entry with other numbers for the members and things that it refers to."""
    values: dict[str, object] = {}
    for name in ("member", "item", "place", "on", "owner", "teacher"):
        known = getattr(entry, name, None)
        if isinstance(known, int) and renamed.get(known, known) != known:
            values[name] = renamed[known]
    for name in ("members", "places"):
        several = getattr(entry, name, ())
        if any(renamed.get(known, known) != known for known in several):
            values[name] = tuple(renamed.get(known, known) for known in several)
    return entry.model_copy(update=values) if values else entry
