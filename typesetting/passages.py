"""Deal text out to cards: as few cards as the smallest letters need, and no card overfull.

All lengths are in millimetres; the sizes of letters are in points.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from typesetting.measuring import Line, Run, lines_height, wrap_text

LEADING = 1.2
# Between two passages, and more between two kinds of them; print/passages.css says the same.
GAP = 0.5
RULE = 1.1
# The width that a passage loses to a bar beside it, and the indent of its lines after the first.
BAR = 1.8
HANG = 2.4
# A passage is continued on another card only if at least this many of its lines stay.
FEWEST_LINES = 2

Kind = Literal["kit", "skill", "ill", "note"]


@dataclass(frozen=True)
class Columns:
    """The columns of a table: their heads, shown once a card in letters of ``size`` points, and
    their widths; the first column has the names.
    """

    heads: tuple[str, ...]
    widths: tuple[float, ...]
    size: float

    @property
    def measured(self) -> Iterator[tuple[str, str]]:
        """Each head with its width, for a stylesheet."""
        return zip(self.heads, (f"{width}mm" for width in self.widths), strict=True)


@dataclass(frozen=True)
class Passage:
    """A paragraph on a card, or a row of a table: a name and ``values`` in its ``columns``, above a
    text.
    """

    kind: Kind
    runs: tuple[Run, ...]
    columns: Columns | None = None
    name: str = ""
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Room:
    """The free space on a member's cards: the ``width``, and the height on the ``first`` card and
    the ``others``.
    """

    width: float
    first: float
    others: float

    def deal(self, passages: Sequence[Passage], size: float) -> list[list[Passage]]:
        """Deal ``passages`` out card by card, in letters of ``size`` points; there is at least one
        card.
        """
        cards: list[list[Passage]] = [[]]
        waiting = list(reversed(passages))
        while waiting:
            passage = waiting.pop()
            card = cards[-1]
            room = self.first if len(cards) == 1 else self.others
            if self.height([*card, passage], size) <= room + 1e-6:
                card.append(passage)
                continue
            # A passage that fits a card of its own is not split; a longer one is.
            left = room - self.height([*card, replace(passage, runs=())], size)
            fit = int(left / _line(size) + 1e-6)
            torn = passage.columns is None and self.height([passage], size) > self.others
            if torn and (fit >= FEWEST_LINES or (not card and len(cards) > 1)):
                lines, fit = self.lines(passage, size), max(1, fit)
                card.append(replace(passage, runs=_text(lines[:fit])))
                passage = replace(passage, runs=_text(lines[fit:]))
            elif not card and len(cards) > 1:
                # No other card has more room.
                card.append(passage)
                continue
            waiting.append(passage)
            cards.append([])
        return cards

    def height(self, passages: Sequence[Passage], size: float) -> float:
        """Return the height of ``passages`` below each other."""
        taken, above = 0.0, None
        for passage in passages:
            if above is not None and above.kind != passage.kind:
                taken += RULE
            if passage.columns and (above is None or above.columns != passage.columns):
                taken += _line(passage.columns.size) + GAP
            lines = len(self.lines(passage, size))
            if passage.columns:
                lines += len(self.named(passage, size))
            taken += lines * _line(size) + GAP
            above = passage
        return taken

    def lines(self, passage: Passage, size: float) -> list[Line]:
        """Return the lines of a passage's text."""
        bar = BAR if passage.kind == "ill" else 0
        hang = 0 if passage.columns else HANG
        indent = HANG if passage.columns else 0
        return _wrapped(passage.runs, size, self.width - bar - indent, hang)

    def named(self, passage: Passage, size: float) -> list[Line]:
        """Return the lines of the name of a row."""
        assert passage.columns is not None
        return _wrapped((Run(passage.name, "bold"),), size, passage.columns.widths[0], 0)


@lru_cache(maxsize=4096)
def _wrapped(runs: tuple[Run, ...], size: float, room: float, hang: float) -> list[Line]:
    return wrap_text(runs, size, room, hang)


def _line(size: float) -> float:
    return lines_height(1, size, LEADING)


def _text(lines: Sequence[Line]) -> tuple[Run, ...]:
    """Join lines to one text again."""
    runs: list[Run] = []
    for line in lines:
        runs += [Run(" "), *line] if runs else line
    return tuple(runs)
