"""The blank roster sheet: empty blocks with the game's own characteristics and columns.

All heights are computed here, so that the blocks fill their pages and every line is high enough to
write on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from printing.members.parts import (
    blank_stats,
    find_carried_groups,
    hosts,
    is_members,
    marks,
    most_life,
    step_of,
)
from printing.paper import drawings
from printing.paper.drawings import NO_TRACK, DrawnTrack
from printing.paper.orders import Order
from printing.sheets.written import ACROSS, LINE, Field, Sheet, mm, sheet_of
from rules.book.model import Rating, Rules
from rules.reference_pages.words import ELLIPSIS, BookWording

MISSED = 3
# Millimetres: around the contents of a block, between two blocks, between its halves; and the share
# of its width that the characteristics take (the table of items has the rest).
INSIDE, BETWEEN, GUTTER = 1.6, 2.0, 3.0
LEFT = 0.42
# Millimetres: a line of the head, a cell for a characteristic, a line of things to tick, a narrow
# column and one for words.
TOP, CELL, TICKED, COLUMN, WORDS = 7.4, 7.2, 5.2, 8.0, 24.0
# The least width of the names of items.
NAMES = 34.0
FEWEST_ROWS, MOST_ROWS = 3, 5
FEWEST_LINES, MOST_LINES = 2, 6
# The most lines of boxes for experience, and the most thresholds written out.
MOST_WAYS = 2
MOST_WRITTEN = 20
BARREL = 1.25
# Millimetres: between two things to tick.
APART = 2.8
# A line that is comfortable to write on; lines for the stash; a row of the gang's counters.
COMFORT, STASH, GANG_ROW = 6.4, 2, 6.2
# The height of a table's heads for each point of a label.
HEAD = 0.44


@dataclass(frozen=True)
class Kit:
    """An empty table of items: the heads of its columns, each with its width, and its rows."""

    name: str
    heads: tuple[Field, ...]
    rows: range


@dataclass(frozen=True)
class Ticked:
    """Something to tick off, with its label."""

    label: str
    drawing: SafeString | str


@dataclass(frozen=True)
class Block:
    """A member to fill in. Heights and widths are in CSS units. ``corner``: a drawing, with the
    characteristics and ``ticks`` ``beside`` it; ``lines``: the labels of the lines to write on
    ``below`` them; ``fits``: every line is high enough to write on.
    """

    who: tuple[Field, ...]
    stats: tuple[str, ...]
    corner: Ticked | None
    ticks: tuple[tuple[Ticked, ...], ...]
    lines: tuple[str, ...]
    kits: tuple[Kit, ...]
    experience: Ticked | None
    high: str
    top: str
    left: str
    right: str
    beside: str
    below: str
    cell: str
    line: str
    row: str
    fits: bool


@dataclass(frozen=True)
class RosterForm:
    """A roster sheet to fill in. ``pages``: the numbers of the blocks on each; ``top``: the height
    of a line of the head and of the stash.
    """

    head: tuple[tuple[Field, ...], ...]
    pages: tuple[range, ...]
    block: Block
    stash: range
    gang_kits: tuple[Kit, ...]
    legend: tuple[str, ...]
    top: str


def roster_form(words: BookWording, rules: Rules, order: Order) -> RosterForm:
    """Return the roster sheet of a game, under its options."""
    return _Drawing(words, rules, sheet_of(order)).form()


class _Drawing:
    def __init__(self, words: BookWording, rules: Rules, sheet: Sheet) -> None:
        self.words, self.book, self.rules, self.sheet = words, words.book, rules, sheet
        self.room = ACROSS - 2 * INSIDE - 0.6
        self.left = round((self.room - GUTTER) * LEFT, 1)
        self.right = round(self.room - GUTTER - self.left, 1)
        self.scale = 1.3 if sheet.large else 1.0
        self.top = TOP * self.scale
        self.label = sheet.label * HEAD

    def form(self) -> RosterForm:
        sheet = self.sheet
        head = list(self._head())
        heading = (12.0 if sheet.large else 10.5) + len(head) * self.top + 1.5
        gang_kits = tuple(self._kits(apart=True))
        legend = tuple(self._legend())
        foot = sum(self.label + 1 + len(kit.rows) * GANG_ROW for kit in gang_kits)
        foot += STASH * self.top + sheet.text_high(" ".join(legend)) + 1.5
        room = sheet.high - max(heading, foot)
        # The largest number of blocks that are comfortable to write in.
        for blocks in (3, 2) if sheet.large else (4, 3, 2):
            block = self._block(room / blocks - BETWEEN)
            if block.fits:
                break
        return RosterForm(
            head=tuple(head),
            pages=(range(1, blocks + 1), range(blocks + 1, 2 * blocks + 1)),
            block=block,
            stash=range(STASH),
            gang_kits=gang_kits,
            legend=legend,
            top=mm(self.top),
        )

    def _block(self, high: float) -> Block:
        """Return a block of this height."""
        sheet, scale = self.sheet, self.scale
        way = self._way_up()
        body = high - 2 * INSIDE - 0.8 - self.top - (way.high + 1.2 if way.drawing else 0)
        corner = self._corner()
        beside = corner[1].across + sheet.across(corner[0]) if corner else 0.0
        ticks = self._in_lines(list(self._ticks(barrel=corner is None)), self.left - beside)
        cell = CELL * scale
        upper = self.label + cell + 1 + sum(self._high(line) for line in ticks)
        free = body - max(upper, corner[1].high + 1.2 if corner else 0.0)
        lines = self._lines(free)
        kits = self._fitting(list(self._kits(apart=False)), body)
        row = (body - self.label * len(kits)) / sum(len(kit.rows) for kit in kits)
        number = sheet.across(_("Member %(number)s") % {"number": 8})
        return Block(
            who=sheet.line(list(self._who()), self.room - number),
            stats=tuple(self.words.translated(row.short) for row in blank_stats(self.rules)),
            corner=Ticked(corner[0], corner[1].drawing) if corner else None,
            ticks=tuple(tuple(Ticked(label, one.drawing) for label, one in line) for line in ticks),
            lines=lines,
            kits=kits,
            experience=Ticked(self._learning(), way.drawing) if way.drawing else None,
            high=mm(high),
            top=mm(self.top),
            left=mm(self.left),
            right=mm(self.right),
            beside=mm(self.left - beside),
            below=mm(body - free),
            cell=mm(cell),
            line=mm(free / len(lines)),
            row=mm(row),
            fits=free >= FEWEST_LINES * LINE and row >= LINE,
        )

    # The gang ---------------------------------------------------------------------------------

    def _head(self) -> Iterator[tuple[Field, ...]]:
        words, book = self.words, self.book
        first = [(_("Gang"), 3.0), (_("Player"), 2.0), (_("Campaign"), 2.0)]
        line: list[tuple[str, float]] = []
        if book.origin_setting is not None:
            line.append((words.translated(book.setting[book.origin_setting].name), 2))
        if book.rating is not None:
            line.append((_with_unit(words, book.rating), 1))
        if book.money is not None and self.rules.pays:
            unit = words.translated(book.money.unit)
            line.append((_("Treasury (%(unit)s)") % {"unit": unit}, 1))
        games = (_("Games played"), 1.0)
        yield self.sheet.line(first if line else [*first, games], ACROSS)
        if line:
            yield self.sheet.line([*line, games], ACROSS)
        if self.rules.holdings:
            yield self.sheet.line([(_("Holdings"), 1.0)], ACROSS)

    # A member ---------------------------------------------------------------------------------

    def _who(self) -> Iterator[tuple[str, float]]:
        words, book = self.words, self.book
        yield _("Name"), 4
        yield _("Rank"), 2
        if book.professions:
            yield words.translated(book.profession_name) or _("Profession"), 2
        if book.origins and book.origin_setting is not None:
            yield words.translated(book.setting[book.origin_setting].name), 1.5
        if any(rank.squad for rank in self.rules.ranks):
            yield words.translated(book.squad_name) or _("Squad"), 0.3
        if book.money is not None and (book.rating is None or book.rating.counts == "worth"):
            yield _("Price (%(unit)s)") % {"unit": words.translated(book.money.unit)}, 0.3
        if book.rating is not None:
            yield _with_unit(words, book.rating), 0.3

    def _corner(self) -> tuple[str, DrawnTrack] | None:
        """Return the life if its drawing is too high for a line of things to tick and the
        characteristics have enough room beside it.
        """
        label, track = next(self._ticks(barrel=True), ("", NO_TRACK))
        room = self.left - track.across - self.sheet.across(label)
        stats = len(blank_stats(self.rules))
        return (label, track) if track.high > TICKED and room >= stats * COLUMN else None

    def _ticks(self, *, barrel: bool) -> Iterator[tuple[str, DrawnTrack]]:
        """Yield the things to tick at the table; the life of members comes first. ``barrel``:
        includes a life that is drawn as a barrel.
        """
        words, book = self.words, self.book
        if book.life is not None and (most := most_life(self.rules)):
            row = book.characteristic[book.life]
            label = words.translated(row.short)
            life = (False,) * min(most, drawings.BOXES_A_ROW)
            drawn = row.kind == "track" and row.drawn == "barrel"
            if not drawn or not 1 < most <= drawings.MOST_CHAMBERS:
                yield label, drawings.boxes(life, label)
            elif barrel:
                yield label, drawings.barrel(life, label, BARREL)
        for tick in self.rules.ticks:
            if is_members(tick):
                label = words.translated(tick.name)
                if whose := words.whom(tick.of):
                    label = f"{label} ({whose})"
                yield label, drawings.boxes((False,) * tick.boxes, label)
        if any(row.absent for row in self.rules.conditions):
            label = _("Games to miss")
            yield label, drawings.boxes((False,) * MISSED, label)

    def _in_lines(
        self, ticks: Sequence[tuple[str, DrawnTrack]], room: float
    ) -> list[list[tuple[str, DrawnTrack]]]:
        lines: list[list[tuple[str, DrawnTrack]]] = [[]]
        left = room
        for label, track in ticks:
            needed = self.sheet.across(label) + track.across + APART
            if needed - APART > left and lines[-1]:
                lines.append([])
                left = room
            lines[-1].append((label, track))
            left -= needed
        return [line for line in lines if line]

    def _high(self, line: Sequence[tuple[str, DrawnTrack]]) -> float:
        """Return the height of a line of things to tick."""
        return max([TICKED, *(track.high + 0.6 for _label, track in line)]) + 0.6

    def _lines(self, free: float) -> tuple[str, ...]:
        """Return the labels of the lines for text that fit ``free`` millimetres: an empty one where
        a line continues the one before.
        """
        book = self.book
        labels = []
        if book.traits:
            labels.append(self.words.translated(book.traits_name) or _("Traits and skills"))
        if self.rules.conditions:
            labels.append(_("Injuries"))
        labels.append(_("Notes"))
        labels = labels[: max(1, int(free / LINE))]
        more = min(int(free / COMFORT), MOST_LINES) - len(labels)
        for place in range(max(0, more)):
            labels.insert(min(1 + place * 2, len(labels)), "")
        return tuple(labels)

    # The items --------------------------------------------------------------------------------

    def _kits(self, *, apart: bool) -> Iterator[Kit]:
        """Yield empty tables. Groups share a table if one has the columns of the other; the table
        for the most items comes first.
        """
        groups = [row for row in find_carried_groups(self.rules) if row.apart is apart]
        for number, hosted in enumerate(hosts(self.rules, groups)):
            host = hosted[0]
            heads: list[tuple[str, float]] = []
            items = [item for item in self.book.items if item.group in {row.key for row in hosted}]
            if any(item.level is not None for item in items):
                heads.append((pgettext("head of a narrow column: level", "Lv"), COLUMN))
            if any(item.hands is not None for item in items):
                heads.append((pgettext("head of a narrow column: hands", "H"), COLUMN))
            for column in self.rules.columns(host):
                if not column.minor:
                    short = self.words.translated(column.short or column.name)
                    heads.append((short, WORDS if column.kind == "text" else COLUMN))
            for tick in self.rules.ticks:
                if {row.key for row in hosted} & set(tick.groups):
                    heads.append((self.words.translated(tick.name), COLUMN))
            if number or apart:
                name = ", ".join(self.words.translated(row.name) for row in hosted)
                rows = 2 if apart else min(2, sum(row.most_per_member or 1 for row in hosted))
            else:
                name, rows = _("Weapons and gear"), MOST_ROWS
            yield Kit(name, self._measured(name, heads), range(rows))
        if not groups and not apart:
            yield Kit(_("Weapons and gear"), (), range(MOST_ROWS))

    def _measured(self, name: str, heads: Sequence[tuple[str, float]]) -> tuple[Field, ...]:
        """Return the widths of columns; columns for words leave enough room for the names."""
        widths = {head: max(least, self.sheet.across(head)) for head, least in heads}
        taken = sum(widths[head] for head, least in heads if least == COLUMN)
        left = self.right - taken - max(NAMES, self.sheet.across(name))
        for head, least in heads:
            if least == WORDS:
                widths[head] = max(self.sheet.across(head), min(WORDS, left))
        return tuple(Field(head, mm(wide)) for head, wide in widths.items())

    def _fitting(self, kits: list[Kit], body: float) -> tuple[Kit, ...]:
        """Return the tables with as many rows as fit: rows of the first table go before second rows
        of the others.
        """
        room = int((body - self.label * len(kits)) / LINE)
        others = [len(kit.rows) for kit in kits[1:]]
        if room - sum(others) < FEWEST_ROWS:
            others = [1] * len(others)
        first = max(FEWEST_ROWS, min(MOST_ROWS, room - sum(others)))
        rows = (first, *others)
        return tuple(replace(kit, rows=range(n)) for kit, n in zip(kits, rows, strict=True))

    # Experience -------------------------------------------------------------------------------

    def _learning(self) -> str:
        return self.words.translated(self.book.experience_word)

    def _way_up(self) -> DrawnTrack:
        """Draw as many boxes as the rank with the most has, or one line of them."""
        if not self.rules.teaches:
            return NO_TRACK
        room = self.room - self.sheet.across(self._learning()) - 1
        step = step_of(self.book)
        ranks = [rank.experience for rank in self.rules.recruited if rank.experience]
        line = drawings.WIDE.a_line(step, room)
        boxes = min(max(ranks, default=line), MOST_WAYS * line)
        label = f"{self._learning()} {boxes}"
        return drawings.WIDE.way_up(marks(self.book, boxes), step, room, label)

    def _legend(self) -> Iterator[str]:
        words, book = self.words, self.book
        if book.life is not None:
            life = book.characteristic[book.life]
            yield _("%(life)s: cross out the boxes a member does not have.") % {
                "life": words.translated(life.name)
            }
            if life.kind == "track":
                for box in life.boxes:
                    if box.marked:
                        yield _("Circle every %(box)s.") % {"box": words.translated(box.name)}
        if not self.rules.teaches:
            return
        found = marks(book, step_of(book) * MOST_ROWS)
        if "advance" in found:
            growth = book.campaign.growth is not None
            yield _("Heavy box: a point to assign.") if growth else _("Heavy box: an advance.")
        if "rank" in found:
            yield _("Triangle: a higher rank.")
        # Boxes are the same for all members; thresholds that differ are written out.
        rows = self.rules.advancements if len(self.rules.advancements) > 1 else ()
        for advancement in rows:
            at = ", ".join(map(str, advancement.thresholds[:MOST_WRITTEN]))
            values = {"name": words.translated(advancement.name), "at": at}
            if len(advancement.thresholds) > MOST_WRITTEN:
                values["at"] += f" {ELLIPSIS}"
            yield _("%(name)s, advances at: %(at)s.") % values
        last = [
            f"{words.translated(rank.name)}\N{NO-BREAK SPACE}{rank.experience}"
            for rank in self.rules.ranks
            if rank.experience
        ]
        if last:
            yield _("Last box: %(ranks)s.") % {"ranks": ", ".join(last)}
        for row in self.rules.promotions:
            if row.trigger == "experience":
                start = words.translated(book.rank[row.start].name)
                yield f"{words.translated(row.name)} ({start}, {row.experience})."


def _with_unit(words: BookWording, rating: Rating) -> str:
    name, unit = words.translated(rating.name), words.translated(rating.unit)
    return name if unit.lower() == name.lower() else f"{name} ({unit})"
