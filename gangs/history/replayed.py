"""Later post-games that a correction changes, in the reader's language."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gangs.engine.entries import Learned
from gangs.engine.replaying import Replayed
from gangs.history.log import sentences_of
from gangs.ledger.storage import stored_book
from gangs.models import Gang
from gangs.text.entries import Describer


@dataclass(frozen=True)
class ReplayedLine:
    """A later post-game that a correction changes: what it no longer brings, and what it brings
    now. ``label``: of its game; ``missing``: dice and choices without which it cannot be played
    again; ``is_reopened``: it has to be; ``is_settled``: it no longer has to be."""

    label: str
    url: str
    removed: tuple[str, ...]
    added: tuple[str, ...]
    is_reopened: bool
    missing: tuple[str, ...]
    is_settled: bool


def replayed_lines(gang: Gang, replayed: Sequence[Replayed]) -> list[ReplayedLine]:
    """The lines of these post-games. Makes one query, or none if no entry goes."""
    sentences = sentences_of(gang, [row.seq for each in replayed for row in each.removed])
    return [
        ReplayedLine(
            label=each.postgame.label(),
            url=each.postgame.url,
            removed=tuple(sentences[row.seq] for row in each.removed if row.seq in sentences),
            added=tuple(_added(each)),
            is_reopened=each.again,
            missing=tuple(_missing(each)),
            is_settled=each.settled,
        )
        for each in replayed
    ]


def _added(replayed: Replayed) -> Iterator[str]:
    """The new entries, with one sentence for all members who learn the same."""
    describer = Describer(replayed.book, replayed.roster, stored_book)
    learners: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
    for _roster, row in replayed.added:
        if isinstance(row.entry, Learned) and row.entry.award:
            learners[row.entry.award, row.entry.amount].append(row.entry.member)
    for roster, row in replayed.added:
        describer.roster = roster
        if isinstance(row.entry, Learned) and row.entry.award:
            together = learners.pop((row.entry.award, row.entry.amount), None)
            if together:
                yield describer.describe_award(row.entry, together)
        else:
            yield describer.describe(row.entry)
        describer.remember(row.number, row.entry)


def _missing(replayed: Replayed) -> list[str]:
    if not replayed.again:
        return []
    return replayed.postgame.list_missing(replayed.book, replayed.roster, replayed.playback)
