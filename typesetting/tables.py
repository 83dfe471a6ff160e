"""Narrow tables of items: numbers in columns, labelled once, and words below them.

All tables of a print with the same columns have them in the same places.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from typesetting.measuring import Run, width
from typesetting.passages import Columns, Passage

NOTHING = "–"
# Millimetres: between two columns; the widest column of numbers (or this share of the width); the
# least width for names.
APART = 1.4
WIDEST, WIDEST_SHARE = 10.5, 0.15
NAMES = 19.0
# Letters from which a value with several words needs no label.
SENTENCE = 12


class Item(Protocol):
    """An item with a line in a table: ``marked``, its name with its marks, and a ``text``."""

    @property
    def marked(self) -> str:
        """The name, with its marks."""

    @property
    def text(self) -> str:
        """The description."""


@dataclass(frozen=True)
class Kit[I: Item]:
    """Items that share their columns, each with its values in them."""

    columns: tuple[str, ...]
    rows: tuple[tuple[I, tuple[str, ...]], ...]


class Tables[I: Item]:
    """The tables of all ``kits`` of a print, ``room`` millimetres wide, with letters of ``size``
    points and heads of ``label``; ``name`` is the head of the items' names.
    """

    def __init__(
        self, kits: Sequence[Kit[I]], name: str, room: float, size: float, label: float
    ) -> None:
        self._columns: dict[tuple[str, ...], tuple[Columns | None, tuple[int, ...]]] = {}
        widths: dict[tuple[str, ...], list[float]] = {}
        for kit in kits:
            widest = widths.setdefault(kit.columns, [0.0] * len(kit.columns))
            for place in range(len(kit.columns)):
                values = [values[place] for _item, values in kit.rows]
                if any(value != NOTHING for value in values):
                    needed = max(width(value, size, "bold") for value in values)
                    head = width(kit.columns[place], label)
                    widest[place] = max(widest[place], needed, head)
        for columns, widest in widths.items():
            self._columns[columns] = _laid_out(name, columns, widest, room, label)

    def passages(self, kit: Kit[I]) -> Iterator[Passage]:
        """Yield the items of a kit, in order: as rows of a table, or in words where it has none."""
        columns, beside = self._columns[kit.columns]
        for item, values in kit.rows:
            apart = [place for place in range(len(values)) if place not in beside]
            words = Run(in_words(_said(kit.columns, values, apart), item.text))
            if columns is None:
                yield Passage("kit", (Run(f"{item.marked} ", "title"), words))
                continue
            shown = tuple(values[place] for place in beside)
            yield Passage("kit", (words,) if words.text else (), columns, item.marked, shown)


def in_words(*parts: str) -> str:
    """Join the ``parts`` that are not empty."""
    return " · ".join(filter(None, parts))


def _laid_out(
    name: str, heads: Sequence[str], widest: Sequence[float], room: float, label: float
) -> tuple[Columns | None, tuple[int, ...]]:
    """Return the columns with their widths, and their places. A column that is too wide, or leaves
    too little for names, goes in words; without any other there are no columns.
    """
    most = max(WIDEST, room * WIDEST_SHARE)
    beside = [place for place, needed in enumerate(widest) if 0 < needed <= most]
    while beside:
        taken = sum(widest[place] + APART for place in beside)
        if room - taken >= NAMES:
            break
        beside.remove(max(beside, key=lambda place: widest[place]))
    if not beside:
        return None, ()
    widths = [round(widest[place] + APART, 2) for place in beside]
    named = (name, *(heads[place] for place in beside))
    return Columns(named, (round(room - sum(widths), 2), *widths), label), tuple(beside)


def _said(columns: Sequence[str], values: Sequence[str], places: Iterable[int]) -> str:
    """Return columns in words. A sentence needs no label."""
    told = [(columns[place], values[place]) for place in places if values[place] != NOTHING]
    return " · ".join(
        value if len(value) >= SENTENCE and " " in value else f"{column}\N{NO-BREAK SPACE}{value}"
        for column, value in told
    )
