"""Tables of items: which items share one, its columns and their heads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from gangs.cards.values import ItemLine, Way, count_equal
from rules.book.model import Book
from typesetting.tables import NOTHING, Kit

type ItemKit = Kit[ItemLine]
# Before the name of another way to use an item.
INSIDE = "– "
# Letters of a value that a second row may repeat.
SHORT = 12


def kits(items: Iterable[ItemLine], level: str, hands: str) -> list[ItemKit]:
    """Group ``items`` by their columns, in order of appearance, and count equal ones; ``level`` and
    ``hands``: the heads of those two columns, which only some items have. Each other way to use an
    item has a row below it."""
    by_columns: dict[tuple[str, ...], list[tuple[ItemLine, tuple[str, ...]]]] = {}
    for item in count_equal(items):
        values = _values(item, level, hands)
        rows = by_columns.setdefault(tuple(values), [])
        described = replace(item, text=item.own_text) if item.ways else item
        rows.append((described, tuple(values.values())))
        for way in item.ways:
            line = replace(item, id=0, name=f"{INSIDE}{way.name}", text=way.more, house=False)
            rows.append((line, _values_of(way, item, values)))
    return [Kit(columns, tuple(rows)) for columns, rows in by_columns.items()]


def _values(item: ItemLine, level: str, hands: str) -> dict[str, str]:
    values = {}
    if item.level is not None:
        values[level] = str(item.level)
    if item.hands is not None:
        values[hands] = str(item.hands)
    return values | dict(item.cells)


def _values_of(way: Way, item: ItemLine, usual: Mapping[str, str]) -> tuple[str, ...]:
    """The values of another way to use an item, under the heads of its ``usual`` ones. A sentence
    is not repeated."""
    values = dict(usual)
    for key, (head, held) in zip(item.columns, item.cells, strict=True):
        value = way.cells.get(key, NOTHING)
        values[head] = NOTHING if value == held and len(value) > SHORT else value
    return tuple(values.values())


def named_kits(items: Sequence[ItemLine]) -> list[ItemKit]:
    """Items in kits of equal columns, with heads in the reader's language."""
    return kits(items, level=_("Level"), hands=_("Hands"))


def keep_looked_up(book: Book, items: Sequence[ItemLine], short_in: str = "") -> list[ItemLine]:
    """Leave out minor columns: nobody looks them up in a game, and paper has no room for them.
    ``short_in``: the language of abbreviated heads; "" for full ones."""
    shown = []
    for item in items:
        rows = {column.key: column for column in book.group[book.item[item.key].group].columns}
        cells = {
            key: (short.translated(short_in) if short_in and (short := rows[key].short) else head,
                  value)
            for key, (head, value) in zip(item.columns, item.cells, strict=True)
            if not rows[key].minor
        }  # fmt: skip
        shown.append(replace(item, columns=tuple(cells), cells=tuple(cells.values())))
    return shown


def short_kits(book: Book, items: Sequence[ItemLine], language: str) -> list[ItemKit]:
    """Items in kits without minor columns and with short heads. A kit joins a wider one that has
    all of its columns."""
    lines = kits(
        keep_looked_up(book, items, short_in=language),
        level=pgettext("head of a narrow column: level", "Lv"),
        hands=pgettext("head of a narrow column: hands", "H"),
    )
    hosts: dict[tuple[str, ...], ItemKit] = {}
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
