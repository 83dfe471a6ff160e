"""Telling corrections: what came later and no longer fits, or is in doubt, and the choices."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from gangs.chronicle import sentences_of
from gangs.correcting import Weighed
from gangs.models import Gang
from gangs.reasons import DOUBTS, MISFITS
from gangs.wording import spoken


@dataclass(frozen=True)
class LaterLine:
    """A later entry and what is wrong with it. ``must``: it cannot stay; ``ticked``: whoever
    corrects wants it struck, too."""

    seq: int
    sentence: str
    why: str
    must: bool
    ticked: bool = False


def later_lines(gang: Gang, weighed: Weighed, ticked: Collection[int] = ()) -> list[LaterLine]:
    """What is to be decided about what came later: first what does not fit, then what is in
    doubt. What was ticked is struck already, and is listed so that it can be unticked."""
    if not (weighed.misfits or weighed.doubts or ticked):
        return []
    told = sentences_of(gang)
    lines = [
        LaterLine(seq, told[seq], "", must=False, ticked=True)
        for seq in sorted(ticked)
        if seq in told
    ]
    for entry, misfit in weighed.misfits:
        why = str(MISFITS[misfit.code])
        lines.append(LaterLine(entry.seq, told[entry.seq], why, must=True))
    for entry, doubt in weighed.doubts:
        values = {key: spoken(value) for key, value in doubt.values.items()}
        why = str(DOUBTS[doubt.code]) % values
        lines.append(LaterLine(entry.seq, told[entry.seq], why, must=False))
    return lines
