"""Lay out fighters below each other, over pages or in columns, in letters of one size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from gangs.cards.item_tables import ItemKit
from gangs.cards.values import ItemLine, Stat
from printing.members import markup, ticks
from printing.members.drawings import draw_life
from printing.members.markup import Block
from printing.members.ticks import Ticked
from printing.members.values import PaperMember
from printing.paper.drawings import NO_TRACK, DrawnTrack
from printing.paper.orders import Paper
from typesetting.letters import LARGE, SMALLEST, SMALLEST_LABEL
from typesetting.measuring import MILLIMETRES, lines_height, width
from typesetting.passages import Passage, Room
from typesetting.tables import Tables

# Points: the letters of a crew are as large as one page allows, and never smaller than the last.
SIZES = (11.0, 10.5, 10.0, 9.5, 9.0, 8.5, 8.0, SMALLEST)
# Millimetres: the height of a page between its margins, and how much of it stays free.
HIGH: dict[Paper, float] = {"a4": 275, "letter": 257.4}
SPARE = 2.0
# Millimetres: a column; a characteristic in it at least; the space between the characteristics and
# the boxes; the width of the page, for large print.
COLUMN, A_STAT, APART = 92.0, 6.5, 3.0
WHOLE = 186.0
# As static/print/fighters.css has them, in ems (labels in their own): a line; a name, its lines,
# the space below it, the text beside it; values and the space below them; boxes and the space below
# them; the space around everything.
LINE = 1.25
NAME, NAME_LINE, NAME_BELOW, BESIDE = 1.35, 1.1, 0.27, 0.85
VALUE, STATS_BELOW = 1.15 * 1.15, 0.3
TICKS, TICKS_BELOW = 1.4, 0.2
AROUND, RULE = 0.95, 0.5


def label(size: float) -> float:
    """Return the size of labels beside letters of ``size`` points."""
    return max(SMALLEST_LABEL, round(size * 0.85, 1))


@dataclass(frozen=True)
class Fighter:
    """A member, or the items that belong to everybody or nobody: a ``name`` with the text below it.

    ``standing``: rank and worth; ``stamp``: why they cannot play; ``stats``: the characteristics
    set as values; ``life``: its boxes, under ``life_label``, with all other ``ticks``; ``kits``:
    items; ``words``: abilities and everything else.
    """

    name: str
    standing: str = ""
    stamp: str = ""
    stats: tuple[Stat, ...] = ()
    life: DrawnTrack = NO_TRACK
    life_label: str = ""
    ticks: tuple[Ticked, ...] = ()
    kits: tuple[ItemKit, ...] = ()
    words: tuple[Passage, ...] = ()

    @property
    def ticked(self) -> SafeString:
        """The drawn boxes other than life."""
        return ticks.markup(self.ticks)

    @property
    def beside(self) -> str:
        """The width of the life's column next to the characteristics; "" if it does not fit."""
        needed = self.life.across + APART
        room = self.life.drawing and needed + len(self.stats) * A_STAT <= COLUMN
        return f"{needed:.1f}mm" if room else ""

    def passages(self, tables: Tables[ItemLine]) -> Iterator[Passage]:
        """Yield everything below the characteristics."""
        for kit in self.kits:
            yield from tables.passages(kit)
        yield from self.words

    def high(self, size: float, room: float) -> float:
        """Return the height without passages, in letters of ``size`` points, in a column ``room``
        millimetres wide.
        """
        em, small = size * MILLIMETRES, label(size) * MILLIMETRES
        taken = _head(self.name, self.standing, size, room) + AROUND * em + RULE
        if self.stats or self.beside:
            taken += small * LINE + em * STATS_BELOW
            taken += max(VALUE * em, self.life.high if self.beside else 0)
        if self.life.drawing and not self.beside:
            taken += max(LINE * em, self.life.high + 1) + em / 2
        if self.ticks:
            lines = ticks.lines(self.ticks, label(size), room)
            taken += small * (TICKS * lines + TICKS_BELOW)
        if self.stamp:
            taken += em * (LINE + 0.4) + 1
        return taken


@dataclass(frozen=True)
class Laid:
    """A fighter with measured lines. ``turn``: it is at the top of the second column."""

    fighter: Fighter
    blocks: tuple[Block, ...]
    turn: bool = False


@dataclass(frozen=True)
class Layout:
    """Fighters in letters of ``size`` points. ``high``: the height of their columns if they take
    only one page.
    """

    size: float
    laid: tuple[Laid, ...]
    high: float

    @property
    def label(self) -> float:
        """The size of the labels, in points."""
        return label(self.size)


def fighter_of(
    member: PaperMember,
    kits: Sequence[ItemKit],
    words: Iterable[Passage],
    *,
    standing: str,
    stats: tuple[Stat, ...],
    more_ticks: Iterable[Ticked] = (),
) -> Fighter:
    """Return a member with the ``kits`` they carry and the ``words`` below them."""
    return Fighter(
        name=member.card.shown_name,
        standing=standing,
        stamp=member.stamp,
        stats=stats,
        life=draw_life(member.book, member.life, member.life_label),
        life_label=member.life_label,
        ticks=(*member.ticks, *more_ticks),
        kits=tuple(kits),
        words=tuple(words),
    )


def in_large_print(fighters: Sequence[Fighter]) -> Layout:
    """Lay out all fighters below each other, over the full width of as many pages as they take."""
    laid, _highs = _laid(fighters, LARGE, WHOLE)
    return Layout(LARGE, laid, 0)


def in_columns(fighters: Sequence[Fighter], count: int, size: float) -> Layout:
    """Lay out all fighters in two columns of about the same height, in letters of ``size`` points.
    Fighters after the first ``count`` are at the foot of one of the columns.
    """
    laid, highs = _laid(fighters, size, COLUMN)
    first, second, foot = list(laid[:count]), laid[count:], sum(highs[count:])
    choices = [
        (max(sum(highs[:at]) + low, sum(highs[at:count]) + foot - low), low, at)
        for at in range(1, count + 1)
        for low in ((0.0, foot) if foot > 0 and at < count else (0.0,))
    ]
    high, low, at = min(choices, default=(foot, 0.0, 0))
    ordered = [*first[:at], *second, *first[at:]] if low else [*first, *second]
    turn = at + len(second) if low else at
    turned = (replace(one, turn=place == turn > 0) for place, one in enumerate(ordered))
    return Layout(size, tuple(turned), high)


def over_pages(fighters: Sequence[Fighter], first: float, others: float) -> Layout:
    """Lay out all fighters in the largest letters that take no more pages than the smallest do.
    Columns are ``first`` millimetres high on the first page, ``others`` on later pages.
    """
    fewest = 0
    for size in reversed(SIZES):
        laid, highs = _laid(fighters, size, COLUMN)
        pages = _pages(highs, first, others)
        fewest = fewest or pages
        if pages > fewest:
            break
        layout = Layout(size, laid, first)
    return layout


def _pages(highs: Sequence[float], first: float, others: float) -> int:
    """Return the number of pages of two columns that the fighters fill, none broken over two
    columns.
    """
    columns, left = 1, first
    for high in highs:
        if high > left:
            columns += 1
            left = first if columns <= 2 else others
        left -= high
    return ceil(columns / 2)


def _laid(
    fighters: Sequence[Fighter], size: float, room: float
) -> tuple[tuple[Laid, ...], list[float]]:
    """Return all fighters in letters of ``size`` points, and the height of each."""
    every = [kit for one in fighters for kit in one.kits]
    tables = Tables(every, _("Item"), room, size, label(size))
    column = Room(room, 0, 0)
    laid, highs = [], []
    for one in fighters:
        passages = [*one.passages(tables)]
        laid.append(Laid(one, tuple(markup.blocks(column, passages, size))))
        highs.append(one.high(size, room) + column.height(passages, size))
    return tuple(laid), highs


def _head(name: str, standing: str, size: float, room: float) -> float:
    """Return the height of a name with the text beside it."""
    across = width(name, size * NAME, "title")
    if standing:
        across += width(f" {standing}", size * NAME * BESIDE)
    lines = 1 if across <= room else ceil(across / room * 1.1)
    return lines_height(lines, size * NAME, NAME_LINE) + NAME_BELOW * size * MILLIMETRES
