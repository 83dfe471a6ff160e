"""The history of a gang as sentences, one group for everything that was done at once."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from gangs.engine.entries import KINDS, Learned, Upgraded
from gangs.engine.errors import Misfit
from gangs.engine.fold import apply, book_now
from gangs.engine.roster import Roster
from gangs.hooks import why_rules_fixed
from gangs.ledger.storage import read_entry, stored_book
from gangs.models import Gang, StoredEntry, Strike
from gangs.text.entries import Describer
from gangs.text.refusals import MISFITS


@dataclass(frozen=True)
class LogLine:
    """One entry. ``may_be_struck``, ``may_be_edited``: alone."""

    seq: int
    sentence: str
    may_be_struck: bool
    may_be_edited: bool


@dataclass
class Batch:
    """What was done at once, by whoever wrote its ``first`` entry. ``act``: the correction that
    took it back, if it was, or that put entries in; ``lines``: each entry by itself."""

    first: StoredEntry
    may_be_struck: bool = True
    act: Act | None = None
    sentences: list[str] = field(default_factory=list)
    lines: list[LogLine] = field(default_factory=list)


@dataclass(frozen=True)
class Act:
    """A correction, and what it struck, added and put back, in sentences. ``in_effect``: nobody
    has taken it back since."""

    strike: Strike
    in_effect: bool
    struck: tuple[str, ...]
    added: tuple[str, ...]
    restored: tuple[str, ...]


@dataclass(frozen=True)
class History:
    """All batches and all corrections of a gang, newest first."""

    batches: list[Batch]
    acts: list[Act]


@dataclass(frozen=True)
class _Described:
    """An entry and its sentence; ``merged``: that of all who learned the same, or none."""

    row: StoredEntry
    sentence: str
    merged: str


def history_of(gang: Gang) -> History:
    """The gang's whole history. The same few queries however long it is."""
    stored = list(gang.entries.select_related("actor").order_by("place", "seq"))
    # Taken back by no button of the history, alone or with others.
    fixed = {kind for kind, model in KINDS.items() if model.stays}
    if any(entry.kind == "upgraded" for entry in stored) and why_rules_fixed(gang):
        fixed.add("upgraded")
    sentences = list(_sentences(gang, stored))
    acts = _acts(gang, sentences)
    batches: dict[tuple[uuid.UUID, int | None], Batch] = {}
    for described in sentences:
        entry = described.row
        free = entry.struck_id is None and entry.kind not in fixed
        batch = batches.setdefault((entry.batch, entry.struck_id), Batch(entry))
        batch.act = acts.get(entry.struck_id or entry.added_by_id, batch.act)
        batch.may_be_struck = batch.may_be_struck and free
        if described.merged:
            batch.sentences.append(described.merged)
        # A game goes with all that it brought.
        alone = free and entry.kind != "played"
        edited = entry.struck_id is None and KINDS[entry.kind].editable
        batch.lines.append(LogLine(entry.seq, described.sentence, alone, edited))
    return History(list(reversed(batches.values())), list(reversed(acts.values())))


def _acts(gang: Gang, sentences: list[_Described]) -> dict[int | None, Act]:
    """All corrections, oldest first, with what each did."""
    acts = list(gang.strikes.select_related("actor").order_by("pk"))
    undone = {act.undoes_id: act for act in acts if act.undoes_id is not None}
    by_seq = {described.row.seq: described.sentence for described in sentences}
    struck: defaultdict[int | None, list[int]] = defaultdict(list)
    added: defaultdict[int | None, list[int]] = defaultdict(list)
    for described in sentences:
        struck[described.row.struck_id].append(described.row.seq)
        added[described.row.added_by_id].append(described.row.seq)

    def sentences_of(seqs: Iterable[int]) -> tuple[str, ...]:
        return tuple(by_seq[seq] for seq in seqs if seq in by_seq)

    return {
        act.pk: Act(
            strike=act,
            in_effect=act.pk not in undone,
            # What was put back since is no longer marked as struck by it.
            struck=sentences_of(undone[act.pk].restored if act.pk in undone else struck[act.pk]),
            added=sentences_of(added[act.pk]),
            restored=sentences_of(act.restored),
        )
        for act in acts
    }


def misfit_sentences(
    gang: Gang, misfits: list[tuple[StoredEntry, Misfit]]
) -> list[tuple[str, str]]:
    """(sentence, why it no longer fits) for each of ``misfits``."""
    sentences = sentences_of(gang)
    return [(sentences[entry.seq], str(MISFITS[misfit.code])) for entry, misfit in misfits]


def sentences_of(gang: Gang) -> dict[int, str]:
    """Every entry by its ``seq``, described by itself."""
    stored = list(gang.entries.order_by("place", "seq"))
    return {described.row.seq: described.sentence for described in _sentences(gang, stored)}


def _sentences(gang: Gang, stored: list[StoredEntry]) -> Iterator[_Described]:
    """Every entry described against what stood before it; struck ones change nothing.

    The rulebook of its time describes each: what a newer one no longer has keeps its name there,
    and so does what was struck along with an upgrade. What several members learned for the same
    award is described once, at the first of them; merged, the others have no sentence of their own.
    """
    describer = Describer(gang.first_book, Roster(), stored_book)
    # The rulebook of the last upgrade, struck or not: what struck entries may speak of.
    latest = describer.book
    rows = [(row, read_entry(row)) for row in stored]
    shared: dict[tuple[object, ...], list[int]] = {}
    for row, entry in rows:
        if isinstance(entry, Learned) and entry.award:
            shared.setdefault(_at_once(row, entry), []).append(entry.member)
    for row, entry in rows:
        standing = row.struck_id is None
        describer.book = (
            book_now(gang.first_book, describer.roster, stored_book) if standing else latest
        )
        sentence = merged = describer.describe(entry)
        if isinstance(entry, Learned) and entry.award:
            together = shared.pop(_at_once(row, entry), None)
            merged = describer.describe_award(entry, together) if together else ""
        yield _Described(row, sentence, merged)
        if standing:
            describer.roster = apply(
                describer.book, describer.roster, row.number, entry, stored_book
            )
        describer.remember(row.number, entry)
        if isinstance(entry, Upgraded):
            latest = stored_book(entry.digest)


def _at_once(row: StoredEntry, entry: Learned) -> tuple[object, ...]:
    """What those have in common who learned the same for the same award at once."""
    return row.batch, row.struck_id, entry.award, entry.amount
