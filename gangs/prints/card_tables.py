"""What is carried, as narrow tables: numbers in columns, labelled once, words below them.

All tables of a print that have the same columns have them in the same places.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from gangs.cards.item_tables import NOTHING, Kit, kits, marked
from gangs.cards.values import ItemLine
from printing.fitting import Columns, Passage
from printing.measuring import Run, width
from rules.book.model import Book

# Millimetres: what parts two columns, the widest column of numbers (or so much of
# the room), and the least for names.
APART = 1.4
WIDEST, WIDEST_SHARE = 10.5, 0.15
NAMES = 19.0
# Letters of what says by itself what it is about.
SENTENCE = 12


def short_kits(book: Book, items: Sequence[ItemLine], language: str) -> list[Kit]:
    """Items by what can be looked up of them while playing, in columns with short heads. A kit that
    has no columns but those of another goes with it."""
    lines = kits(
        [_looked_up(book, item, language) for item in items],
        level=pgettext("head of a narrow column: level", "Lv"),
        hands=pgettext("head of a narrow column: hands", "H"),
    )
    hosts: dict[tuple[str, ...], Kit] = {}
    for kit in lines:
        wider = [one.columns for one in lines if set(kit.columns) < set(one.columns)]
        host = max(wider, key=len, default=kit.columns) if kit.columns else ()
        rows = tuple((item, _under(host, kit.columns, values)) for item, values in kit.rows)
        before = hosts[host].rows if host in hosts else ()
        hosts[host] = Kit(host, (*before, *rows))
    return list(hosts.values())


def _under(heads: Sequence[str], columns: Sequence[str], values: Sequence[str]) -> tuple[str, ...]:
    """The ``values`` of some ``columns`` under all of these ``heads``."""
    given = dict(zip(columns, values, strict=True))
    return tuple(given.get(head, NOTHING) for head in heads)


def _looked_up(book: Book, item: ItemLine, language: str) -> ItemLine:
    """An item with what is looked up of it, its columns called as briefly as they can be."""
    rows = {column.key: column for column in book.group[book.item[item.key].group].columns}
    shown = [
        (key, cell)
        for key, cell in zip(item.columns, item.cells, strict=True)
        if not rows[key].minor
    ]
    cells = tuple(
        (short.translated(language) if (short := rows[key].short) else head, value)
        for key, (head, value) in shown
    )
    return replace(item, columns=tuple(key for key, _cell in shown), cells=cells)


class Tables:
    """The tables of all ``kits`` of a print in a ``room`` of so many millimetres, with letters of
    ``size`` points and heads of ``label``."""

    def __init__(self, kits: Sequence[Kit], room: float, size: float, label: float) -> None:
        self.size = size
        self._columns: dict[tuple[str, ...], tuple[Columns, tuple[int, ...]] | None] = {}
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
            self._columns[columns] = _laid_out(columns, widest, room, label)

    def passages(self, kit: Kit) -> Iterator[Passage]:
        """The items of a kit, in order: as rows of a table, or in words where it has none."""
        found = self._columns[kit.columns]
        for item, values in kit.rows:
            name = marked(item.name, item.house)
            if found is None:
                words = _joined(_said(kit, values, range(len(values))), item.text)
                yield Passage("kit", (Run(f"{name} ", "title"), Run(words)))
                continue
            columns, beside = found
            apart = [place for place in range(len(values)) if place not in beside]
            words = _joined(_said(kit, values, apart), item.text)
            yield Passage(
                "kit",
                (Run(words),) if words else (),
                columns,
                name,
                tuple(values[place] for place in beside),
            )


def _laid_out(
    heads: Sequence[str], widest: Sequence[float], room: float, label: float
) -> tuple[Columns, tuple[int, ...]] | None:
    """Which columns stand beside the names, and how wide all of them are: what is too wide, or
    leaves too little for names, goes in words. None if nothing is left to stand there."""
    most = max(WIDEST, room * WIDEST_SHARE)
    beside = [place for place, needed in enumerate(widest) if 0 < needed <= most]
    while beside:
        taken = sum(widest[place] + APART for place in beside)
        if room - taken >= NAMES:
            break
        beside.remove(max(beside, key=lambda place: widest[place]))
    if not beside:
        return None
    widths = [round(widest[place] + APART, 2) for place in beside]
    named = (_("Item"), *(heads[place] for place in beside))
    return Columns(named, (round(room - sum(widths), 2), *widths), label), tuple(beside)


def _said(kit: Kit, values: Sequence[str], places: Sequence[int]) -> str:
    """Columns in words. What is a sentence by itself needs no label."""
    told = [(kit.columns[place], values[place]) for place in places if values[place] != NOTHING]
    return " · ".join(
        value if len(value) >= SENTENCE and " " in value else f"{column}\N{NO-BREAK SPACE}{value}"
        for column, value in told
    )


def _joined(*parts: str) -> str:
    return " · ".join(filter(None, parts))
