"""Lay out the blocks of a roster sheet: full width or half, and the size of the letters.

Everything is measured before the press lays it out. The leader, and members with more than a narrow
column can hold, get the full width; the others stand side by side.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import batched
from math import ceil

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from gangs.cards.item_tables import ItemKit
from printing.members import ticks
from printing.members.drawings import draw_life, experience
from printing.members.ticks import Ticked
from printing.members.values import PaperMember
from printing.paper.drawings import NO_TRACK, DrawnTrack
from typesetting.letters import SMALLEST, SMALLEST_LABEL
from typesetting.measuring import SURELY, about_lines, fitting_name, lines_height, width
from typesetting.tab_stops import Row, Statlines, Stops

# Points, for items, traits and skills; every other size on a sheet is derived from it.
SIZES = (10.5, 10.0, 9.5, 9.0, 8.5, 8.0, SMALLEST)
# A name that is too long shrinks to this size before it takes a third line.
LEAST_NAME = 10.0
# Names of any size may take two lines.
TWO_LINES = 99.0
NAME_STEP = 0.5
# Between a member's worth and the boxes of their life.
APART = "\N{NO-BREAK SPACE}" * 4
# Millimetres: around a block's text, between two blocks; the name beside the characteristics.
PADDING, BETWEEN = 3.6, 1.8
NAME_ROOM = 58.0
LOW = 5.0
PICTURE = 12.5
TALLEST_NARROW = 100.0
# A narrow block may be at most this many times as high as a wide one; above that it saves nothing.
WORTH_IT = 1.8
# Around the text of a stamp.
STAMP = 2.0


class Letters:
    """The sizes of all letters of a sheet, in points. ``body``: for items, traits and skills."""

    def __init__(self, body: float) -> None:
        self.body = body
        # A name in a block of full width, and of half the width.
        self.name, self.narrow_name = round(body * 1.5, 1), round(body * 1.35, 1)
        # A characteristic, and the label above it.
        self.value, self.label = round(body * 1.35, 1), max(SMALLEST_LABEL, round(body * 0.85, 1))
        # A member's worth, and the boxes to tick.
        self.worth = round(body * 1.1, 1)
        # A member's record, and the boxes to tick other than life.
        self.note = max(SMALLEST, round(body * 0.85, 1))
        # Millimetres: a line of characteristics with its labels.
        self.statline = lines_height(1, self.label + self.value, 1.15)


@dataclass(frozen=True)
class BlockEntry:
    """The content of a block: items under a ``name``, and the ``member`` who carries them; None for
    those of nobody, such as the stash. ``life``: the drawing in its corner; ``picture``: the
    member's, by its address.
    """

    name: str
    kits: Sequence[ItemKit]
    member: PaperMember | None = None
    life: DrawnTrack = NO_TRACK
    picture: str = ""

    @property
    def standing(self) -> str:
        """The member's rank, profession and origin."""
        return self.member.card.placed if self.member else ""

    @property
    def worth(self) -> str:
        """The member's price and worth, in the corner."""
        return self.member.worth if self.member else ""

    @property
    def is_first(self) -> bool:
        """Whether the block always gets the full width."""
        return self.member is not None and self.member.leads

    @property
    def labelled(self) -> list[tuple[str, str]]:
        """The characteristics as pairs of label and value."""
        return [(stat.short, stat.value) for stat in self.member.stats] if self.member else []

    @property
    def ticks(self) -> tuple[Ticked, ...]:
        """The things to tick other than life."""
        return self.member.ticks if self.member else ()

    @property
    def ticked(self) -> SafeString:
        """The drawn boxes other than life."""
        return ticks.markup(self.ticks)

    @property
    def note(self) -> str:
        """The member's record and notes, in one paragraph."""
        if self.member is None:
            return ""
        notes = self.member.card.notes
        return " · ".join(filter(None, (self.member.record, notes and f"{_('Notes')} {notes}")))

    def experience(self, room: float) -> SafeString | str:
        """Draw the member's boxes of experience no wider than ``room`` millimetres; "" if there are
        none.
        """
        if self.member is None or self.member.ladder is None:
            return ""
        return experience(self.member.ladder, room, self.member.card.learned).drawing

    def corner(self, size: float, *, wide: bool) -> float:
        """Return the width of the corner in letters of ``size`` points. In a wide block the worth
        is above the life, in a narrow one next to it.
        """
        worth = width(self.worth, size, "bold") + 2 if self.worth else 0
        if wide:
            return max(self.life.across, worth)
        return self.life.across + worth + (width(APART, size, "bold") if self.apart else 0)

    @property
    def apart(self) -> str:
        """The space between a member's worth and life where they are side by side."""
        return APART if self.worth and self.life.drawing else ""


@dataclass(frozen=True)
class Block:
    """The layout of a block: its columns, and its height in millimetres."""

    entry: BlockEntry
    wide: bool
    name_size: float
    statlines: list[tuple[str, str]]
    rows: list[Row]
    experience: SafeString | str
    height: float

    @property
    def name_css(self) -> str:
        """The size of the name, for a stylesheet."""
        return f"{self.name_size:g}pt"


class Measure:
    """Measure blocks of one width in one size of letters, with tab stops that all of them share."""

    def __init__(
        self, entries: Sequence[BlockEntry], room: float, letters: Letters, *, wide: bool
    ) -> None:
        self.room, self.letters, self.wide = room, letters, wide
        corners = (entry.corner(letters.worth, wide=wide) for entry in entries)
        self.corner = round(max(corners, default=0) + 1, 1)
        stats = [entry.labelled for entry in entries if entry.labelled]
        # A drawing higher than a line of text reaches down beside the characteristics.
        self.life_height = max((entry.life.high for entry in entries), default=0)
        self.worth = any(entry.worth for entry in entries)
        beside = room - NAME_ROOM - self.corner if wide else room
        if not wide and self.life_height > LOW:
            beside -= self.corner
        self.statlines = Statlines(stats, beside, letters.label, letters.value)
        self.beside = wide and all(len(line) <= self.statlines.per_line for line in stats)
        if wide and not self.beside:
            self.statlines = Statlines(stats, room, letters.label, letters.value)
        kits = [kit for entry in entries for kit in entry.kits]
        self.stops = Stops(kits, room, letters.body, letters.label)

    def block(self, entry: BlockEntry) -> Block:
        """Return an entry as a block of this width."""
        rows = [row for kit in entry.kits for row in self.stops.rows(kit)]
        lines = self.statlines.lines(entry.labelled) if entry.labelled else []
        experience = entry.experience(self.room)
        for_name = NAME_ROOM - 2 if self.beside else self.room - self.corner
        if entry.picture:
            for_name -= PICTURE
        size, named = fitting_name(entry.name, self._names(), for_name / SURELY, TWO_LINES)
        name = self._name_height(entry, size, len(named), for_name)
        height = self._height(entry, rows, name, len(lines), bool(experience))
        return Block(entry, self.wide, size, lines, rows, experience, height)

    def _names(self) -> list[float]:
        largest = self.letters.name if self.wide else self.letters.narrow_name
        steps = int(max(0, largest - LEAST_NAME) / NAME_STEP)
        return [*(round(largest - step * NAME_STEP, 1) for step in range(steps + 1)), LEAST_NAME]

    def _name_height(self, entry: BlockEntry, size: float, lines: int, room: float) -> float:
        named = lines_height(lines, size, 1.1)
        rank = width(entry.standing, self.letters.body) * SURELY + 2 if entry.standing else 0
        last = width(entry.name, size, "title") * SURELY % room if lines else 0
        if not self.wide and last + rank <= room:
            return named
        return named + lines_height(ceil(rank / room), self.letters.body)

    def _height(
        self, entry: BlockEntry, rows: Sequence[Row], head: float, statlines: int, track: bool
    ) -> float:
        letters = self.letters
        line = lines_height(1, letters.body)
        if entry.picture:
            head = max(head, PICTURE)
        stats = statlines * letters.statline + 0.6
        worth = lines_height(1, letters.worth) + 1
        corner = entry.life.high + (worth if self.wide and entry.worth else 0)
        if self.wide:
            head = max(head, stats, corner) if self.beside else max(head, corner) + stats
        else:
            head = max(head + stats, corner)
        if entry.member and entry.member.stamp:
            stamped = about_lines(entry.member.stamp.upper(), letters.worth, self.room, "bold")
            head += lines_height(stamped, letters.worth) + STAMP
        body = sum(self._row(row) for row in rows) * line
        body += ticks.lines(entry.ticks, letters.note, self.room) * ticks.HIGH
        body += 0.4 * bool(entry.ticks)
        card = entry.member and entry.member.card
        if card and card.abilities:
            text = " ".join(f"{ability.name} {ability.text}" for ability in card.abilities)
            body += self._lines(text) * line + 0.6
        if card and card.afflictions:
            text = " ".join(f"{ailment.name} {ailment.text}" for ailment in card.afflictions)
            body += (self._lines(text) + 0.5) * line + 0.6
        if card:
            noted = about_lines(entry.note, letters.note, self.room) + track
            body += max(4.8, lines_height(noted, letters.note) + 1)
        return head + body + PADDING + BETWEEN

    def _row(self, row: Row) -> float:
        """Return how many lines a row takes."""
        if not row.values:
            return self._lines(f"{row.names} {row.text}")
        below = self._lines(row.text) if row.text else 0
        return row.lines_above + row.values.count("\n") + 1 + below

    def _lines(self, text: str) -> int:
        return about_lines(text, self.letters.body, self.room)


@dataclass(frozen=True)
class Arrangement:
    """The blocks of a sheet, line by line: one wide block, or two narrow ones side by side."""

    letters: Letters
    lines: list[list[Block]]
    wide: Measure
    narrow: Measure

    def pages(self, height: float, first: float) -> tuple[int, float]:
        """Return about how many pages the blocks take, and how much of the last page is free.

        Every page is ``height`` millimetres high; the head takes ``first`` of them on the first
        page.
        """
        pages, left = 1, height - first
        for line in self.lines:
            needed = max(block.height for block in line)
            if needed > left:
                pages, left = pages + 1, height
            left -= needed
        return pages, left


def member_entry(member: PaperMember, kits: Sequence[ItemKit], picture: str = "") -> BlockEntry:
    """Return a member as the content of a block, with the ``kits`` they carry."""
    life = draw_life(member.book, member.life, member.life_label)
    if life.drawing:
        label = member.life_label
        across = life.across + width(label, Letters(SIZES[0]).worth, "bold") + 1.5
        life = replace(life, drawing=format_html("{} {}", label, life.drawing), across=across)
    return BlockEntry(member.card.shown_name, kits, member, life, picture)


def arrange(entries: Sequence[BlockEntry], room: float, gutter: float, size: float) -> Arrangement:
    """Arrange the entries in letters of ``size`` points. ``room``: the width of a wide block's text
    in millimetres; ``gutter``: the millimetres that two narrow blocks lose of it.
    """
    letters = Letters(size)
    wide = Measure(entries, room, letters, wide=True)
    # Entries that always get the full width do not decide where the others' columns are.
    candidates = [entry for entry in entries if not entry.is_first]
    narrow = Measure(candidates, (room - gutter) / 2, letters, wide=False)
    lines = list(_lines(entries, wide, narrow))
    return Arrangement(letters, lines, wide, narrow)


def _lines(entries: Iterable[BlockEntry], wide: Measure, narrow: Measure) -> Iterator[list[Block]]:
    waiting: list[tuple[Block, Block]] = []
    for entry in entries:
        broad, slim = wide.block(entry), narrow.block(entry)
        if entry.is_first or not _is_worth_it(broad, slim, narrow):
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
    """Yield narrow blocks in pairs; a last single one gets the full width."""
    for pair in batched(waiting, 2):
        yield [slim for _broad, slim in pair] if len(pair) > 1 else [pair[0][0]]
