"""Who plays, on paper: how high each is, and in which letters all of them are set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from gangs.cards.item_tables import Kit
from gangs.cards.values import Card, NamedText, Stat
from gangs.prints import ticks
from gangs.prints.card_sides import words_of
from gangs.prints.card_tables import Tables
from gangs.prints.drawings import DrawnTrack
from gangs.prints.stamps import stamp
from gangs.prints.ticks import Ticked
from printing.fitting import Block, Passage, Room
from printing.legibility import LARGE, SMALLEST, SMALLEST_LABEL
from printing.measuring import MILLIMETRES, Run, width
from printing.orders import Paper

# Points: the letters of a crew are as large as one page allows, and never smaller than the last.
SIZES = (11.0, 10.5, 10.0, 9.5, 9.0, 8.5, 8.0, SMALLEST)
# Millimetres: what a page holds between its margins, and what is left free of it.
HIGH: dict[Paper, float] = {"a4": 275, "letter": 257.4}
SPARE = 2.0
# A column, over the whole width in large print; a characteristic in it at least, and what parts
# them from what is ticked.
COLUMN, A_STAT, APART = 92.0, 6.5, 3.0
WHOLE = 186.0
# As static/print/pack.css has them, in ems but for labels, which are in their own: a line, a name
# with what is below it, what stands beside it, values and what is below, and around all.
LINE = 1.25
NAME, NAME_LINE, NAME_BELOW, BESIDE = 1.35, 1.1, 0.27, 0.85
VALUE, STATS_BELOW = 1.15 * 1.15, 0.3
TICKS, TICKS_BELOW = 1.4, 0.2
AROUND, RULE = 0.95, 0.5
# How many letters are left to write upon.
BLANK = "_" * 12


def label(size: float) -> float:
    """How large labels are beside letters of ``size`` points."""
    return max(SMALLEST_LABEL, round(size * 0.85, 1))


@dataclass(frozen=True)
class Fighter:
    """Somebody who plays. ``standing``: what they are, and what they are worth; ``stats``: those
    set as values; ``kits``: what they have, and of what everybody has what is not the same for all;
    ``track``: the life to tick off, drawn, unless that would be too large; ``ticks``: what else is
    ticked off."""

    card: Card
    standing: str
    stats: tuple[Stat, ...]
    kits: tuple[Kit, ...]
    track: DrawnTrack | None
    ticks: tuple[Ticked, ...]

    @property
    def name(self) -> str:
        """What they are called."""
        return self.card.shown_name

    @property
    def ticked(self) -> SafeString:
        """What is ticked off besides the life, drawn."""
        return ticks.markup(self.ticks)

    @property
    def stamp(self) -> str:
        """Why they could not play, if they are listed all the same."""
        return stamp(self.card)

    @property
    def beside(self) -> str:
        """How broad a column beside the characteristics the life takes; "" if it has no room."""
        if self.track is None:
            return ""
        needed = self.track.across + APART
        return f"{needed:.1f}mm" if needed + len(self.stats) * A_STAT <= COLUMN else ""

    def passages(self, tables: Tables) -> Iterator[Passage]:
        """What they have and can."""
        for kit in self.kits:
            yield from tables.passages(kit)
        yield from words_of(self.card)

    def high(self, size: float, room: float) -> float:
        """How high they are without their passages, in letters of ``size`` points, in a column of
        ``room`` millimetres."""
        em, small = size * MILLIMETRES, label(size) * MILLIMETRES
        high = _head(self.name, self.standing, size, room) + AROUND * em + RULE
        high += small * LINE + em * STATS_BELOW
        tall = self.track.high if self.track else 0.0
        high += max(VALUE * em, tall if self.beside else 0)
        if self.card.life and not self.beside:
            high += max(LINE * em, tall + 1) + em / 2
        if self.ticks:
            lines = ticks.lines(self.ticks, label(size), room)
            high += small * (TICKS * lines + TICKS_BELOW)
        if self.stamp:
            high += em * (LINE + 0.4) + 1
        return high


@dataclass(frozen=True)
class Everybody:
    """What holds for all of a crew, once: ``kits`` that everybody has, the texts of their
    ``ranks``, and what is written down of the crew while it plays: what it counts, each with what
    it begins with, and who is in which state."""

    kits: tuple[Kit, ...]
    ranks: tuple[NamedText, ...]
    counted: tuple[tuple[str, str], ...]
    states: tuple[str, ...]
    stamp = ""

    @property
    def name(self) -> str:
        """What stands above it."""
        return _("For everybody")

    def __bool__(self) -> bool:
        return bool(self.kits or self.ranks or self.counted or self.states)

    def passages(self, tables: Tables) -> Iterator[Passage]:
        """All of it."""
        for kit in self.kits:
            yield from tables.passages(kit)
        for rank in self.ranks:
            yield Passage("skill", (Run(rank.name, "title"), Run(f" {rank.text}")))
        for name, start in self.counted:
            yield Passage("note", (Run(name, "title"), Run(f" {start} {BLANK}")))
        if self.states:
            runs = ((Run(f"{state} ", "title"), Run(f"{BLANK}  ")) for state in self.states)
            yield Passage("note", tuple(run for pair in runs for run in pair))

    def high(self, size: float, room: float) -> float:
        """How high it is without its passages."""
        return _head(self.name, "", size, room) + AROUND * size * MILLIMETRES + RULE


@dataclass(frozen=True)
class Laid:
    """A fighter, or what holds for all, with what they have and can in lines as they were
    measured. ``turn``: it stands at the top of the second column."""

    of: Fighter | Everybody
    blocks: tuple[Block, ...]
    turn: bool = False

    @property
    def fighter(self) -> Fighter | None:
        """Who it is, if it is somebody."""
        return self.of if isinstance(self.of, Fighter) else None


@dataclass(frozen=True)
class Layout:
    """A crew in letters of ``size`` points. ``high``: how high its columns are where it takes but
    one page; ``pages``: about how many it takes."""

    size: float
    laid: tuple[Laid, ...]
    high: float
    pages: int

    @property
    def label(self) -> float:
        """How large its labels are, in points."""
        return label(self.size)


def in_large_print(fighters: Sequence[Fighter], everybody: Everybody) -> Layout:
    """All of them below each other, over the whole width of as many pages as that takes."""
    laid, _highs = _laid(_all(fighters, everybody), LARGE, WHOLE)
    return Layout(LARGE, laid, 0, 2)


def in_columns(fighters: Sequence[Fighter], everybody: Everybody, size: float) -> Layout:
    """All of them in two columns about as long as each other, in letters of ``size`` points. What
    holds for all stands at the foot of either."""
    laid, highs = _laid(_all(fighters, everybody), size, COLUMN)
    count = len(fighters)
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
    return Layout(size, tuple(turned), high, 1)


def over_pages(
    fighters: Sequence[Fighter], everybody: Everybody, first: float, others: float
) -> Layout:
    """All of them on as few pages as the smallest letters take, in the largest that do: columns are
    ``first`` millimetres high on the first page, ``others`` on those after it."""
    fewest = 0
    for size in reversed(SIZES):
        laid, highs = _laid(_all(fighters, everybody), size, COLUMN)
        pages = _pages(highs, first, others)
        fewest = fewest or pages
        if pages > fewest:
            break
        layout = Layout(size, laid, first, pages)
    return layout


def _pages(highs: Sequence[float], first: float, others: float) -> int:
    """How many pages of two columns they fill, none of them broken in two."""
    columns, left = 1, first
    for high in highs:
        if high > left:
            columns += 1
            left = first if columns <= 2 else others
        left -= high
    return ceil(columns / 2)


def _all(fighters: Sequence[Fighter], everybody: Everybody) -> list[Fighter | Everybody]:
    return [*fighters, everybody] if fighters and everybody else [*fighters]


def _laid(
    everybody: Sequence[Fighter | Everybody], size: float, room: float
) -> tuple[tuple[Laid, ...], list[float]]:
    """All of them in letters of ``size`` points, and how high each is."""
    tables = Tables([kit for one in everybody for kit in one.kits], room, size, label(size))
    column = Room(room, 0, 0)
    laid, highs = [], []
    for one in everybody:
        passages = [*one.passages(tables)]
        laid.append(Laid(one, tuple(column.blocks(passages, size))))
        highs.append(one.high(size, room) + column.height(passages, size))
    return tuple(laid), highs


def _head(name: str, standing: str, size: float, room: float) -> float:
    """How high a name is with what stands beside it."""
    across = width(name, size * NAME, "title")
    if standing:
        across += width(f" {standing}", size * NAME * BESIDE)
    lines = 1 if across <= room else ceil(across / room * 1.1)
    return (lines * NAME * NAME_LINE + NAME_BELOW) * size * MILLIMETRES
