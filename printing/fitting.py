"""Dealing text out to cards: as large as it fits, and on as few cards as its smallest letters take.

Everything here is in millimetres, but for the sizes of letters, which are in points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from printing.measuring import MILLIMETRES, Face, Line, Run, wrapped

LEADING = 1.2
# Between two passages, and more between two kinds of them; print/cards.css says the same.
GAP = 0.5
RULE = 1.1
# What a passage with a bar beside it has less room.
BAR = 1.8
# A passage is continued elsewhere only if so many of its lines stay.
FEWEST_LINES = 2

Kind = Literal["kit", "skill", "ill", "note"]


@dataclass(frozen=True)
class Passage:
    """A paragraph on a card."""

    kind: Kind
    runs: tuple[Run, ...]


@dataclass(frozen=True)
class Room:
    """What is free on a member's cards: ``width``, and the height on the ``first`` and ``others``.

    ``sizes``: of letters, from the largest to the floor.
    """

    width: float
    first: float
    others: float
    sizes: tuple[float, ...]

    def deal(self, passages: Sequence[Passage]) -> tuple[float, list[list[Passage]]]:
        """``passages`` card by card, and the size of their letters: the largest that takes no more
        cards than the smallest does."""
        fewest = len(self._dealt(passages, self.sizes[-1]))
        for size in self.sizes:
            cards = self._dealt(passages, size)
            if len(cards) == fewest:
                return size, cards
        raise AssertionError("the smallest size takes as few cards as itself")

    def height(self, passages: Sequence[Passage], size: float) -> float:
        """How high ``passages`` are, below each other."""
        lines = sum(len(self._lines(passage, size)) for passage in passages)
        kinds = sum(above.kind != below.kind for above, below in pairwise(passages))
        return lines * _line(size) + len(passages) * GAP + kinds * RULE

    def markup(self, passage: Passage, size: float) -> SafeString:
        """A passage as HTML, its lines broken where they were measured."""
        lines = (
            format_html_join("", "{}", map(_marked_up, line)) for line in self._lines(passage, size)
        )
        return format_html_join("\n", "{}", ((line,) for line in lines))

    def _dealt(self, passages: Sequence[Passage], size: float) -> list[list[Passage]]:
        cards: list[list[Passage]] = [[]]
        waiting = list(reversed(passages))
        while waiting:
            passage = waiting.pop()
            card = cards[-1]
            room = self.first if len(cards) == 1 else self.others
            left = room - self.height(card, size)
            if card and card[-1].kind != passage.kind:
                left -= RULE
            lines = self._lines(passage, size)
            fit = int((left - GAP) / _line(size) + 1e-6)
            if len(lines) <= fit:
                card.append(passage)
                continue
            # What fits a card of its own is not torn; what fits none is.
            whole = int((self.others - GAP) / _line(size) + 1e-6)
            if len(lines) > whole and (fit >= FEWEST_LINES or (not card and len(cards) > 1)):
                fit = max(1, fit)
                card.append(replace(passage, runs=_text(lines[:fit])))
                passage = replace(passage, runs=_text(lines[fit:]))
            waiting.append(passage)
            cards.append([])
        return cards

    def _lines(self, passage: Passage, size: float) -> list[Line]:
        bar = BAR if passage.kind == "ill" else 0
        return wrapped(passage.runs, size, self.width - bar)


def _line(size: float) -> float:
    return size * LEADING * MILLIMETRES


def _text(lines: Sequence[Line]) -> tuple[Run, ...]:
    """Lines as one text again."""
    runs: list[Run] = []
    for line in lines:
        runs += [Run(" "), *line] if runs else line
    return tuple(runs)


_MARKUP: dict[Face, str] = {"plain": "{}", "bold": "<b>{}</b>", "title": '<b class="t">{}</b>'}


def _marked_up(run: Run) -> tuple[SafeString]:
    return (format_html(_MARKUP[run.face], run.text),)
