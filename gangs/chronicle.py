"""The history of a gang as sentences, one group for everything that was done at once."""

from __future__ import annotations

import datetime
import uuid
from dataclasses import dataclass, field

from gangs import versions
from gangs.entries import Entry, Learned, Upgraded
from gangs.fold import Misfit, apply, in_force
from gangs.ledger import read, stored_book
from gangs.models import Gang, StoredEntry
from gangs.roster import Roster
from gangs.wording import MISFITS, Teller


@dataclass
class Batch:
    """What was done at once. ``struck``: the act that took it back, if it was."""

    id: uuid.UUID
    at: datetime.datetime
    actor: str
    struck: int | None
    may_be_struck: bool
    sentences: list[str] = field(default_factory=list)


def told(gang: Gang) -> list[Batch]:
    """All batches of the gang, newest first."""
    stored = list(gang.entries.select_related("actor").order_by("seq"))
    fixed = {"founded", "joined"}
    if any(entry.kind == "upgraded" for entry in stored) and versions.why_not(gang):
        fixed.add("upgraded")
    batches: dict[tuple[uuid.UUID, int | None], Batch] = {}
    for entry, sentence in _sentences(gang, stored):
        key = (entry.batch, entry.struck_id)
        if key not in batches:
            batches[key] = Batch(
                id=entry.batch,
                at=entry.at,
                actor=entry.actor.get_username() if entry.actor else "",
                struck=entry.struck_id,
                may_be_struck=entry.struck_id is None and entry.kind not in fixed,
            )
        if sentence:
            batches[key].sentences.append(sentence)
    return list(reversed(batches.values()))


def misfit_sentences(
    gang: Gang, misfits: list[tuple[StoredEntry, Misfit]]
) -> list[tuple[str, str]]:
    """(sentence, why it no longer fits) for each of ``misfits``."""
    sentences = sentences_of(gang)
    return [(sentences[entry.seq], str(MISFITS[misfit.code])) for entry, misfit in misfits]


def sentences_of(gang: Gang) -> dict[int, str]:
    """Every entry of the gang as a sentence of its own, by ``seq``."""
    return {entry.seq: sentence for entry, sentence in _sentences(gang, _all(gang), merged=False)}


def _all(gang: Gang) -> list[StoredEntry]:
    return list(gang.entries.order_by("seq"))


def _sentences(
    gang: Gang, stored: list[StoredEntry], *, merged: bool = True
) -> list[tuple[StoredEntry, str]]:
    """Every entry told against what stood before it; struck ones change nothing.

    Each is told by the rulebook of its time: what a newer one no longer has keeps its name there,
    and so does what was struck along with an upgrade. With ``merged``, what several members learned
    for the same award is told once, at the first of them; the others have no sentence of their own.
    """
    teller = Teller(gang.first_book, Roster(), stored_book)
    # The rulebook of the last upgrade, struck or not: what struck entries may speak of.
    latest = teller.book
    rows = [(row, read(row)) for row in stored]
    shared = _shared_awards(rows)
    sentences = []
    for row, entry in rows:
        standing = row.struck_id is None
        teller.book = in_force(gang.first_book, teller.roster, stored_book) if standing else latest
        if merged and isinstance(entry, Learned) and entry.award:
            together = shared.pop(_at_once(row, entry), None)
            sentence = teller.tell_award(entry, together) if together else ""
        else:
            sentence = teller.tell(entry)
        sentences.append((row, sentence))
        if standing:
            teller.roster = apply(teller.book, teller.roster, row.seq, entry, stored_book)
        if isinstance(entry, Upgraded):
            latest = stored_book(entry.digest)
    return sentences


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
