"""The history of a gang as sentences, one group for everything that was done at once."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from gangs import versions
from gangs.entries import Bought, Entry, Learned, Recruited, Upgraded
from gangs.fold import Misfit, apply, in_force
from gangs.models import Gang, StoredEntry, Strike
from gangs.roster import Roster
from gangs.stored import read, stored_book
from gangs.telling import Teller
from gangs.wording import MISFITS

# Taken back by no button of the history, alone or with others.
FIXED = frozenset({"founded", "joined"})
# Stands as it is: corrected where it was decided, or not at all.
NOT_EDITED = frozenset({"founded", "joined", "played", "upgraded", "settings", "hired"})


@dataclass(frozen=True)
class Line:
    """One entry. ``may_be_struck``, ``may_be_edited``: alone."""

    seq: int
    sentence: str
    may_be_struck: bool
    may_be_edited: bool


@dataclass
class Batch:
    """What was done at once. ``struck``: the act that took it back, if it was; ``act``: that act,
    or the one that put entries in; ``lines``: each entry by itself."""

    id: uuid.UUID
    at: datetime.datetime
    actor: str
    struck: int | None
    may_be_struck: bool
    act: Act | None = None
    sentences: list[str] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)


@dataclass(frozen=True)
class Act:
    """A correction: who made it, when and why; what it struck, added and put back.

    ``undoes``: it takes another back; ``in_effect``: nobody has taken it back since.
    """

    id: int
    at: datetime.datetime
    actor: str
    reason: str
    by_organiser: bool
    undoes: bool
    in_effect: bool
    struck: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()


@dataclass(frozen=True)
class History:
    """All batches and all corrections of a gang, newest first."""

    batches: list[Batch]
    acts: list[Act]


@dataclass(frozen=True)
class _Told:
    """An entry and its sentence; ``merged``: that of all who learned the same, or none."""

    row: StoredEntry
    sentence: str
    merged: str


def told(gang: Gang) -> list[Batch]:
    """All batches of the gang, newest first."""
    return history_of(gang).batches


def history_of(gang: Gang) -> History:
    """The gang's whole history. The same few queries however long it is."""
    stored = list(gang.entries.select_related("actor").order_by("place", "seq"))
    fixed = set(FIXED)
    if any(entry.kind == "upgraded" for entry in stored) and versions.why_not(gang):
        fixed.add("upgraded")
    sentences = list(_sentences(gang, stored))
    acts = _acts(gang, sentences)
    batches: dict[tuple[uuid.UUID, int | None], Batch] = {}
    for each in sentences:
        entry = each.row
        key = (entry.batch, entry.struck_id)
        free = entry.struck_id is None and entry.kind not in fixed
        if key not in batches:
            batches[key] = Batch(
                id=entry.batch,
                at=entry.at,
                actor=_name(entry),
                struck=entry.struck_id,
                may_be_struck=free,
                act=acts.get(entry.struck_id),
            )
        batch = batches[key]
        if entry.struck_id is None and entry.added_by_id is not None:
            batch.act = acts.get(entry.added_by_id)
        batch.may_be_struck = batch.may_be_struck and free
        if each.merged:
            batch.sentences.append(each.merged)
        # A game goes with all that it brought.
        alone = free and entry.kind != "played"
        edited = entry.struck_id is None and entry.kind not in NOT_EDITED
        batch.lines.append(Line(entry.seq, each.sentence, alone, edited))
    return History(list(reversed(batches.values())), list(reversed(acts.values())))


def _acts(gang: Gang, sentences: Iterable[_Told]) -> dict[int | None, Act]:
    """All corrections, oldest first, with what each did."""
    acts = list(gang.strikes.select_related("actor").order_by("pk"))
    undone = {act.undoes_id: act for act in acts if act.undoes_id is not None}
    by_seq = {each.row.seq: each for each in sentences}
    struck: dict[int | None, list[int]] = {}
    added: dict[int | None, list[int]] = {}
    for each in by_seq.values():
        struck.setdefault(each.row.struck_id, []).append(each.row.seq)
        added.setdefault(each.row.added_by_id, []).append(each.row.seq)

    def said(seqs: Iterable[int]) -> tuple[str, ...]:
        return tuple(by_seq[seq].sentence for seq in seqs if seq in by_seq)

    return {
        act.pk: Act(
            id=act.pk,
            at=act.at,
            actor=_name(act),
            reason=act.reason,
            by_organiser=act.by_organiser,
            undoes=act.undoes_id is not None,
            in_effect=act.pk not in undone,
            # What was put back since is no longer marked as struck by it.
            struck=said(undone[act.pk].restored if act.pk in undone else struck.get(act.pk, ())),
            added=said(added.get(act.pk, ())),
            restored=said(act.restored),
        )
        for act in acts
    }


def _name(made: StoredEntry | Strike) -> str:
    return str(made.actor or "")


def misfit_sentences(
    gang: Gang, misfits: list[tuple[StoredEntry, Misfit]]
) -> list[tuple[str, str]]:
    """(sentence, why it no longer fits) for each of ``misfits``."""
    sentences = sentences_of(gang)
    return [(sentences[entry.seq], str(MISFITS[misfit.code])) for entry, misfit in misfits]


def sentences_of(gang: Gang) -> dict[int, str]:
    """Every entry by its ``seq``, told by itself."""
    stored = list(gang.entries.order_by("place", "seq"))
    return {each.row.seq: each.sentence for each in _sentences(gang, stored)}


def _sentences(gang: Gang, stored: list[StoredEntry]) -> Iterator[_Told]:
    """Every entry told against what stood before it; struck ones change nothing.

    Each is told by the rulebook of its time: what a newer one no longer has keeps its name there,
    and so does what was struck along with an upgrade. What several members learned for the same
    award is told once, at the first of them; merged, the others have no sentence of their own.
    """
    teller = Teller(gang.first_book, Roster(), stored_book)
    # The rulebook of the last upgrade, struck or not: what struck entries may speak of.
    latest = teller.book
    rows = [(row, read(row)) for row in stored]
    shared = _shared_awards(rows)
    for row, entry in rows:
        standing = row.struck_id is None
        teller.book = in_force(gang.first_book, teller.roster, stored_book) if standing else latest
        sentence = merged = teller.tell(entry)
        if isinstance(entry, Learned) and entry.award:
            together = shared.pop(_at_once(row, entry), None)
            merged = teller.tell_award(entry, together) if together else ""
        yield _Told(row, sentence, merged)
        if standing:
            teller.roster = apply(teller.book, teller.roster, row.number, entry, stored_book)
        if name := _brought(teller, entry):
            teller.brought[row.number] = name
        if isinstance(entry, Upgraded):
            latest = stored_book(entry.digest)


def _brought(teller: Teller, entry: Entry) -> str:
    """The name of whom or what an entry brought."""
    match entry:
        case Recruited():
            return entry.name or teller.row(teller.book.rank, entry.rank)
        case Bought():
            return teller.item_row(entry.item)
    return ""


# A batch, the strike that took it back, an award and its amount.
AtOnce = tuple[uuid.UUID, int | None, str | None, int]


def _at_once(row: StoredEntry, entry: Learned) -> AtOnce:
    return row.batch, row.struck_id, entry.award, entry.amount


def _shared_awards(rows: list[tuple[StoredEntry, Entry]]) -> dict[AtOnce, list[int]]:
    """Who learned the same for the same award at once."""
    shared: dict[AtOnce, list[int]] = {}
    for row, entry in rows:
        if isinstance(entry, Learned) and entry.award:
            shared.setdefault(_at_once(row, entry), []).append(entry.member)
    return shared
