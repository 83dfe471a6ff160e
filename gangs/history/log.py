"""A page of a gang's history as sentences: one group for each thing that somebody did."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from django.core.paginator import Page, Paginator
from django.db.models import TextField
from django.db.models.functions import Cast

from gangs.engine.entries import KINDS, Entry, Learned, Upgraded
from gangs.engine.errors import Misfit
from gangs.engine.fold import apply, book_now
from gangs.engine.roster import Roster
from gangs.hooks import why_rules_fixed
from gangs.ledger.storage import read_entries, stored_book
from gangs.models import Gang, StoredEntry, Strike
from gangs.text.entries import Describer
from gangs.text.refusals import MISFITS

# A page has as many entries as a browser shows quickly; each group counts for some more.
MOST_ON_A_PAGE = 120
GROUP_WEIGHT = 4
ACTS_ON_A_PAGE = 10


@dataclass(frozen=True)
class LogLine:
    """One entry. ``may_be_struck``, ``may_be_edited``: without the rest of its group."""

    seq: int
    sentence: str
    may_be_struck: bool
    may_be_edited: bool


@dataclass
class Batch:
    """Entries that somebody wrote together. ``act``: the correction that struck or added them;
    ``lines``: each entry by itself."""

    first: StoredEntry
    may_be_struck: bool = True
    act: Act | None = None
    sentences: list[str] = field(default_factory=list)
    lines: list[LogLine] = field(default_factory=list)


@dataclass(frozen=True)
class Act:
    """A correction, and what it struck, added and restored, in sentences. ``in_effect``: nobody
    has taken it back since."""

    strike: Strike
    in_effect: bool
    struck: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()


@dataclass(frozen=True)
class History:
    """One page of a gang's batches and one of its corrections, newest first."""

    page: Page[list[list[_Row]]]
    batches: list[Batch]
    act_page: Page[Strike]
    acts: list[Act]


class _Row(NamedTuple):
    """An entry, and the corrections that struck and added it, by key."""

    entry: Entry
    seq: int
    number: int
    batch: str
    struck: int | None
    added_by: int | None


class _Described(NamedTuple):
    """An entry and its sentence. ``merged``: one sentence for all members who learned the same, or
    none.
    """

    row: _Row
    sentence: str
    merged: str


def history_of(
    gang: Gang,
    page: int | str | None = 1,
    corrections: int | str | None = 1,
    entry: int | None = None,
) -> History:
    """A page of the gang's batches, and one of its corrections, by number; ``entry``: the page
    with the entry that has this ``seq``, instead.

    Three queries. Folds all entries up to the page's, at 16 µs each.
    """
    rows = _rows(gang)
    groups: dict[tuple[str, int | None], list[_Row]] = {}
    for row in rows:
        groups.setdefault((row.batch, row.struck), []).append(row)
    pages = _pages(reversed(groups.values()))
    wanted = (
        number
        for number, found in enumerate(pages, start=1)
        if any(row.seq == entry for group in found for row in group)
    )
    here = Paginator(pages, 1).get_page(page if entry is None else next(wanted, 1))
    shown = here.object_list[0] if pages else []
    strikes = list(gang.strikes.select_related("actor").order_by("-pk"))
    act_page = Paginator(strikes, ACTS_ON_A_PAGE).get_page(corrections)
    acts = _Acts(rows, strikes)
    seqs = {row.seq for group in shown for row in group}
    for strike in act_page:
        seqs.update(*acts.seqs(strike))
    described = {each.row.seq: each for each in _sentences(gang, rows, seqs)}
    firsts = gang.entries.filter(seq__in=[group[0].seq for group in shown])
    stored = {row.seq: row for row in firsts.select_related("actor")}
    # No button of the history takes these entries back.
    fixed = {kind for kind, model in KINDS.items() if model.stays}
    if any(isinstance(row.entry, Upgraded) for row in rows) and why_rules_fixed(gang):
        fixed.add("upgraded")
    return History(
        page=here,
        batches=[
            _batch(stored[group[0].seq], [described[row.seq] for row in group], acts, fixed)
            for group in shown
        ],
        act_page=act_page,
        acts=[acts.describe(strike, described) for strike in act_page],
    )


def _pages(groups: Iterable[list[_Row]]) -> list[list[list[_Row]]]:
    """The groups, page by page; a group is never split."""
    pages: list[list[list[_Row]]] = []
    room = 0
    for group in groups:
        weight = GROUP_WEIGHT + len(group)
        if weight > room:
            pages.append([])
            room = MOST_ON_A_PAGE
        pages[-1].append(group)
        room -= weight
    return pages


def _batch(
    first: StoredEntry, described: list[_Described], acts: _Acts, fixed: Collection[str]
) -> Batch:
    batch = Batch(first)
    for each in described:
        row, kind = each.row, each.row.entry.kind
        free = row.struck is None and kind not in fixed
        batch.act = acts.of(row) or batch.act
        batch.may_be_struck = batch.may_be_struck and free
        if each.merged:
            batch.sentences.append(each.merged)
        # A game is only struck with everything that it brought.
        alone = free and kind != "played"
        edited = row.struck is None and KINDS[kind].editable
        batch.lines.append(LogLine(row.seq, each.sentence, alone, edited))
    return batch


class _Acts:
    """The corrections of a gang."""

    def __init__(self, rows: Iterable[_Row], strikes: list[Strike]) -> None:
        self._strikes = {strike.pk: strike for strike in strikes}
        self._undoing = {strike.undoes_id: strike for strike in strikes}
        self._struck: defaultdict[int | None, list[int]] = defaultdict(list)
        self._added: defaultdict[int | None, list[int]] = defaultdict(list)
        for row in rows:
            self._struck[row.struck].append(row.seq)
            self._added[row.added_by].append(row.seq)

    def of(self, row: _Row) -> Act | None:
        """The correction that struck an entry, or else added it; without sentences."""
        strike = self._strikes.get(row.struck or row.added_by or 0)
        return Act(strike, strike.pk not in self._undoing) if strike else None

    def seqs(self, strike: Strike) -> tuple[list[int], list[int], list[int]]:
        """The entries that a correction struck, added and restored."""
        # Entries that were restored since are no longer marked as struck by it.
        undoing = self._undoing.get(strike.pk)
        struck = undoing.restored if undoing else self._struck[strike.pk]
        return struck, self._added[strike.pk], strike.restored

    def describe(self, strike: Strike, described: Mapping[int, _Described]) -> Act:
        """A correction in sentences."""
        parts = (
            tuple(described[seq].sentence for seq in seqs if seq in described)
            for seqs in self.seqs(strike)
        )
        return Act(strike, strike.pk not in self._undoing, *parts)


def misfit_sentences(
    gang: Gang, misfits: list[tuple[StoredEntry, Misfit]]
) -> list[tuple[str, str]]:
    """(sentence, why it no longer fits) for each of ``misfits``."""
    sentences = sentences_of(gang, [entry.seq for entry, _misfit in misfits])
    return [(sentences[entry.seq], str(MISFITS[misfit.code])) for entry, misfit in misfits]


def sentences_of(gang: Gang, seqs: Collection[int]) -> dict[int, str]:
    """The entries with these ``seqs``, each with its sentence. Makes one query, or none without
    ``seqs``.
    """
    described = _sentences(gang, _rows(gang), seqs) if seqs else ()
    return {each.row.seq: each.sentence for each in described}


def _rows(gang: Gang) -> list[_Row]:
    columns = ("seq", "number", Cast("batch", TextField()), "struck_id", "added_by_id")
    return [_Row(*row) for row in read_entries(gang.entries.order_by("place", "seq"), *columns)]


def _sentences(gang: Gang, rows: list[_Row], seqs: Collection[int]) -> Iterator[_Described]:
    """Describe the entries with these ``seqs`` against the roster before each; struck entries
    change nothing.

    Each is described by the rulebook of its time: things that a newer one no longer has keep their
    names there, and so do entries that were struck along with an upgrade. An award that several
    members got is described once, at the first of them; merged, the others have no sentence.
    """
    describer = Describer(gang.first_book, Roster(), stored_book)
    # The rulebook of the last upgrade, struck or not: struck entries may speak of its rows.
    latest = describer.book
    shared: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
    wanted = [row for row in rows if row.seq in seqs]
    for row in wanted:
        if isinstance(row.entry, Learned) and row.entry.award:
            shared[_award(row, row.entry)].append(row.entry.member)
    missing = len(wanted)
    for row in rows if wanted else ():
        entry, stands = row.entry, row.struck is None
        book = book_now(gang.first_book, describer.roster, stored_book) if stands else latest
        describer.book = book
        if row.seq in seqs:
            sentence = merged = describer.describe(entry)
            if isinstance(entry, Learned) and entry.award:
                together = shared.pop(_award(row, entry), None)
                merged = describer.describe_award(entry, together) if together else ""
            yield _Described(row, sentence, merged)
            missing -= 1
            if not missing:
                return
        if stands:
            describer.roster = apply(book, describer.roster, row.number, entry, stored_book)
        describer.remember(row.number, entry)
        if isinstance(entry, Upgraded):
            latest = stored_book(entry.digest)


def _award(row: _Row, entry: Learned) -> tuple[object, ...]:
    """A key that identical awards of several members share."""
    return row.batch, row.struck, entry.award, entry.amount
