"""Blocks of a roster sheet: who gets the whole width, who half of it, and how small letters are.

Everything is measured before the press lays it out. Whoever leads, or has more than a narrow column
holds, gets the whole width; the others stand side by side. Letters are as large as they can be
without taking another page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import batched
from math import ceil

from django.utils.safestring import SafeString

from gangs.cards.item_tables import Kit, Row, Statlines, Stops
from gangs.cards.values import Card, Stat
from gangs.prints import ticks
from gangs.prints.drawings import NO_TRACK, Track
from gangs.prints.ticks import Ticked
from printing.measuring import MILLIMETRES, width

# Points. What is not in this list (names, values, labels) is never made smaller.
SIZES = (8.0, 7.5, 7.0, 6.5)
NAME, NARROW_NAME = 13.0, 11.5
LABEL, VALUE, WORTH, TICK = 6.5, 11.0, 10.0, 7.5
LEADING = 1.25
# Between what somebody is worth and the boxes of their life.
APART = "\N{NO-BREAK SPACE}" * 4
# Millimetres: around a block's text, between two blocks; the name beside the characteristics.
PADDING, BETWEEN = 3.6, 1.8
NAME_ROOM = 58.0
STATLINE = 7.2
LOW = 5.0
PICTURE = 12.5
TALLEST_NARROW = 100.0
# A narrow block must not be so much higher than a wide one that nothing is won.
WORTH_IT = 1.8
# What an estimate of a length of text may be short by: lines break at words.
SURELY = 1.06


@dataclass(frozen=True)
class Entry:
    """What a block shows. ``card``: None for what belongs to nobody, whose ``name`` it is.

    ``first``: it gets the whole width whatever is in it. ``stats``: those set as values; ``worth``
    and ``life``: what stands in its corner; ``experience``: draws no wider than so many
    millimetres; ``ticks``: what else is ticked.
    """

    name: str
    standing: str
    card: Card | None
    kits: Sequence[Kit]
    stats: tuple[Stat, ...] = ()
    first: bool = False
    worth: str = ""
    life: Track = NO_TRACK
    experience: Callable[[float], SafeString | str] = lambda _room: ""
    note: str = ""
    picture: str = ""
    ticks: tuple[Ticked, ...] = ()

    @property
    def ticked(self) -> SafeString:
        """What they tick off besides their life, drawn."""
        return ticks.markup(self.ticks)

    def corner(self, *, wide: bool) -> float:
        """The width of its corner: in a wide block what they are worth stands above their life,
        in a narrow one beside it."""
        worth = width(self.worth, WORTH, "bold") + 2 if self.worth else 0
        if wide:
            return max(self.life.across, worth)
        return self.life.across + worth + (width(APART, WORTH, "bold") if self.apart else 0)

    @property
    def apart(self) -> str:
        """What parts a member's worth from their life, where the two stand beside each other."""
        return APART if self.worth and self.life.drawing else ""


@dataclass(frozen=True)
class Block:
    """A block as it is set: in its columns, and how high that will be in millimetres."""

    entry: Entry
    wide: bool
    statlines: list[tuple[str, str]]
    rows: list[Row]
    experience: SafeString | str
    height: float


class Measure:
    """One width of blocks in one size of letters, with the tab stops that all of them share."""

    def __init__(self, entries: Sequence[Entry], room: float, size: float, *, wide: bool) -> None:
        self.room, self.size, self.wide = room, size, wide
        self.corner = round(max((entry.corner(wide=wide) for entry in entries), default=0) + 1, 1)
        stats = [entry.stats for entry in entries if entry.stats]
        # What is drawn higher than a line of text reaches down beside the characteristics.
        self.life_height = max((entry.life.high for entry in entries), default=0)
        self.worth = any(entry.worth for entry in entries)
        beside = room - NAME_ROOM - self.corner if wide else room
        if not wide and self.life_height > LOW:
            beside -= self.corner
        self.statlines = Statlines(stats, beside, LABEL, VALUE)
        self.beside = wide and all(len(line) <= self.statlines.per_line for line in stats)
        if wide and not self.beside:
            self.statlines = Statlines(stats, room, LABEL, VALUE)
        kits = [kit for entry in entries for kit in entry.kits]
        self.stops = Stops(kits, room, size)

    def block(self, entry: Entry) -> Block:
        """An entry as a block of this width."""
        rows = [row for kit in entry.kits for row in self.stops.rows(kit)]
        lines = self.statlines.lines(entry.stats) if entry.stats else []
        experience = entry.experience(self.room)
        height = self._height(entry, rows, len(lines), bool(experience))
        return Block(entry, self.wide, lines, rows, experience, height)

    def _height(self, entry: Entry, rows: Sequence[Row], statlines: int, track: bool) -> float:
        line = self.size * LEADING * MILLIMETRES
        name_size = NAME if self.wide else NARROW_NAME
        for_name = NAME_ROOM - 2 if self.beside else self.room - self.corner
        if entry.picture:
            for_name -= PICTURE
        long = width(entry.name, name_size, "title")
        long += 0 if self.wide else width(entry.standing, 8) + 2
        head = ceil(long * SURELY / for_name) * name_size * 1.1 * MILLIMETRES
        if entry.picture:
            head = max(head, PICTURE)
        stats = statlines * STATLINE
        corner = entry.life.high + (5 if self.wide and entry.worth else 0)
        if self.wide:
            head += 8 * LEADING * MILLIMETRES if entry.standing else 0
            head = max(head, stats, corner) if self.beside else max(head, corner) + stats
        else:
            head = max(head + stats, corner)
        body = sum(self._row(row) for row in rows) * line
        body += ticks.lines(entry.ticks, TICK, self.room) * ticks.HIGH + 0.4 * bool(entry.ticks)
        if entry.card and entry.card.abilities:
            text = " ".join(f"{ability.name} {ability.text}" for ability in entry.card.abilities)
            body += self._lines(text) * line + 0.6
        if entry.card and entry.card.afflictions:
            text = " ".join(f"{ailment.name} {ailment.text}" for ailment in entry.card.afflictions)
            body += (self._lines(text) + 0.5) * line + 0.6
        if entry.card:
            body += max(4.2, ceil(width(entry.note, LABEL) * SURELY / self.room + track) * 3)
        return head + body + PADDING + BETWEEN

    def _row(self, row: Row) -> float:
        """How many lines a row takes."""
        if not row.values:
            return self._lines(f"{row.names} {row.text}")
        below = self._lines(row.text) if row.text else 0
        return row.lines_above + row.values.count("\n") + 1 + below

    def _lines(self, text: str) -> int:
        return ceil(width(text, self.size) * SURELY / self.room)


@dataclass(frozen=True)
class Arrangement:
    """The blocks of a sheet, line by line: one wide block, or two narrow ones side by side."""

    size: float
    lines: list[list[Block]]
    wide: Measure
    narrow: Measure

    def pages(self, height: float, first: float, foot: float) -> float:
        """About how many pages it takes: each ``height`` millimetres high, of which ``first`` are
        the head's on the first; ``foot``: what comes below the blocks."""
        pages, left = 1, height - first
        for line in self.lines:
            needed = max(block.height for block in line)
            if needed > left:
                pages, left = pages + 1, height
            left -= needed
        return pages + (foot > left)


def arranged(
    entries: Sequence[Entry], room: float, gutter: float, fits: Callable[[Arrangement], float]
) -> Arrangement:
    """The entries in the largest letters that take no page more than the smallest would.

    ``room``: millimetres of a wide block's text; ``gutter``: what two narrow ones lose of that;
    ``fits``: tells how many pages an arrangement takes.
    """
    smallest = _arranged(entries, room, gutter, SIZES[-1])
    fewest = fits(smallest)
    for size in SIZES[:-1]:
        larger = _arranged(entries, room, gutter, size)
        if fits(larger) <= fewest:
            return larger
    return smallest


def _arranged(entries: Sequence[Entry], room: float, gutter: float, size: float) -> Arrangement:
    wide = Measure(entries, room, size, wide=True)
    # Whoever gets the whole width anyway does not decide where the others' columns are.
    candidates = [entry for entry in entries if not entry.first]
    narrow = Measure(candidates, (room - gutter) / 2, size, wide=False)
    lines = list(_lines(entries, wide, narrow))
    return Arrangement(size, lines, wide, narrow)


def _lines(entries: Iterable[Entry], wide: Measure, narrow: Measure) -> Iterator[list[Block]]:
    waiting: list[tuple[Block, Block]] = []
    for entry in entries:
        broad, slim = wide.block(entry), narrow.block(entry)
        if entry.first or not _is_worth_it(broad, slim, narrow):
            yield from _paired(waiting)
            waiting = []
            yield [broad]
        else:
            waiting.append((broad, slim))
    yield from _paired(waiting)


def _is_worth_it(broad: Block, slim: Block, narrow: Measure) -> bool:
    if slim.height > min(TALLEST_NARROW, broad.height * WORTH_IT):
        return False
    return len(slim.statlines) <= 2 and narrow.statlines.fits


def _paired(waiting: Sequence[tuple[Block, Block]]) -> Iterator[list[Block]]:
    """Narrow blocks two by two; one that is left over gets the whole width."""
    for pair in batched(waiting, 2):
        yield [slim for _broad, slim in pair] if len(pair) > 1 else [pair[0][0]]
