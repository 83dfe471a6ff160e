"""Corrections in words: what came later and no longer fits, or is in doubt, and the choices."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from gangs.history.log import sentences_of
from gangs.history.preview import wrong_entries
from gangs.ledger.revision import Weighed
from gangs.models import Gang


@dataclass(frozen=True)
class LaterLine:
    """A later entry and what is wrong with it. ``must``: it cannot stay; ``ticked``: the one
    who corrects wants it struck, too."""

    seq: int
    sentence: str
    why: str
    must: bool
    ticked: bool = False


def later_lines(gang: Gang, weighed: Weighed, ticked: Collection[int] = ()) -> list[LaterLine]:
    """What is to be decided about what came later: first what does not fit, then what is in
    doubt. What was ticked is struck already, and is listed so that it can be unticked."""
    if not (weighed.misfits or weighed.implausible or ticked):
        return []
    wrong = wrong_entries(weighed)
    sentences = sentences_of(gang, {*ticked, *(entry.seq for entry, _why, _must in wrong)})
    lines = [
        LaterLine(seq, sentences[seq], "", must=False, ticked=True)
        for seq in sorted(ticked)
        if seq in sentences
    ]
    lines += [LaterLine(entry.seq, sentences[entry.seq], why, must) for entry, why, must in wrong]
    return lines
