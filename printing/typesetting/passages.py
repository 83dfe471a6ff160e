"""Dealing text out to cards: on as few cards as its smallest letters take, no card overfull.

Everything here is in millimetres, but for the sizes of letters, which are in points.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from typing import Literal

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from printing.typesetting.measuring import Face, Line, Run, lines_height, wrap_text

LEADING = 1.2
# Between two passages, and more between two kinds of them; print/passages.css says the same.
GAP = 0.5
RULE = 1.1
# What a passage with a bar beside it has less room, and every line of one but its first.
BAR = 1.8
HANG = 2.4
# A passage is continued elsewhere only if so many of its lines stay.
FEWEST_LINES = 2

Kind = Literal["kit", "skill", "ill", "note"]


@dataclass(frozen=True)
class Columns:
    """A table's columns: what stands above them, once a card, in letters of ``size`` points, and
    how wide they are, the first that of names."""

    heads: tuple[str, ...]
    widths: tuple[float, ...]
    size: float

    @property
    def measured(self) -> Iterator[tuple[str, str]]:
        """Each head with its width for a stylesheet."""
        return zip(self.heads, (f"{width}mm" for width in self.widths), strict=True)


@dataclass(frozen=True)
class Passage:
    """A paragraph on a card, or a row of a table: a name and ``values`` in its ``columns``, above
    what is said of it in words."""

    kind: Kind
    runs: tuple[Run, ...]
    columns: Columns | None = None
    name: str = ""
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Room:
    """What is free on a member's cards: ``width``, the height on the ``first`` and ``others``."""

    width: float
    first: float
    others: float

    def deal(self, passages: Sequence[Passage], size: float) -> list[list[Passage]]:
        """``passages`` card by card, in letters of ``size`` points: never none."""
        cards: list[list[Passage]] = [[]]
        waiting = list(reversed(passages))
        while waiting:
            passage = waiting.pop()
            card = cards[-1]
            room = self.first if len(cards) == 1 else self.others
            if self.height([*card, passage], size) <= room + 1e-6:
                card.append(passage)
                continue
            # What fits a card of its own is not torn; what fits none is.
            left = room - self.height([*card, replace(passage, runs=())], size)
            fit = int(left / _line(size) + 1e-6)
            torn = passage.columns is None and self.height([passage], size) > self.others
            if torn and (fit >= FEWEST_LINES or (not card and len(cards) > 1)):
                lines, fit = self._lines(passage, size), max(1, fit)
                card.append(replace(passage, runs=_text(lines[:fit])))
                passage = replace(passage, runs=_text(lines[fit:]))
            elif not card and len(cards) > 1:
                # Nowhere is more room.
                card.append(passage)
                continue
            waiting.append(passage)
            cards.append([])
        return cards

    def height(self, passages: Sequence[Passage], size: float) -> float:
        """How high ``passages`` are, below each other."""
        taken, above = 0.0, None
        for passage in passages:
            if above is not None and above.kind != passage.kind:
                taken += RULE
            if passage.columns and (above is None or above.columns != passage.columns):
                taken += _line(passage.columns.size) + GAP
            lines = len(self._lines(passage, size))
            if passage.columns:
                lines += len(self._named(passage, size))
            taken += lines * _line(size) + GAP
            above = passage
        return taken

    def blocks(self, passages: Sequence[Passage], size: float) -> Iterator[Block]:
        """``passages`` as they are set, the rows of a table together."""
        for (columns, kind), group in groupby(passages, key=lambda one: (one.columns, one.kind)):
            if columns is None:
                for passage in group:
                    yield Block(kind, _markup(self._lines(passage, size)))
                continue
            rows = tuple(
                (_markup(self._named(row, size)), row.values, _markup(self._lines(row, size)))
                for row in group
            )
            yield Block(kind, SafeString(), columns, rows)

    def _lines(self, passage: Passage, size: float) -> list[Line]:
        bar = BAR if passage.kind == "ill" else 0
        hang = 0 if passage.columns else HANG
        indent = HANG if passage.columns else 0
        return _wrapped(passage.runs, size, self.width - bar - indent, hang)

    def _named(self, passage: Passage, size: float) -> list[Line]:
        assert passage.columns is not None
        return _wrapped((Run(passage.name, "bold"),), size, passage.columns.widths[0], 0)


@dataclass(frozen=True)
class Block:
    """A paragraph as HTML, or a table whose ``rows`` are a name, values, and what is said below."""

    kind: Kind
    text: SafeString
    columns: Columns | None = None
    rows: tuple[tuple[SafeString, tuple[str, ...], SafeString], ...] = ()


@lru_cache(maxsize=4096)
def _wrapped(runs: tuple[Run, ...], size: float, room: float, hang: float) -> list[Line]:
    return wrap_text(runs, size, room, hang)


def _line(size: float) -> float:
    return lines_height(1, size, LEADING)


def _text(lines: Sequence[Line]) -> tuple[Run, ...]:
    """Lines as one text again."""
    runs: list[Run] = []
    for line in lines:
        runs += [Run(" "), *line] if runs else line
    return tuple(runs)


_MARKUP: dict[Face, str] = {"plain": "{}", "bold": "<b>{}</b>", "title": '<b class="t">{}</b>'}


def _markup(lines: Sequence[Line]) -> SafeString:
    """Lines as HTML, broken where they were measured."""
    return format_html_join(
        "\n", "{}", ((format_html_join("", "{}", map(_marked_up, line)),) for line in lines)
    )


def _marked_up(run: Run) -> tuple[SafeString]:
    return (format_html(_MARKUP[run.face], run.text),)
