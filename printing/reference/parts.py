"""The parts of a reference sheet: texts, steps and tables to look up, and how each table is set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import floor

from django.utils.translation import gettext as _

from rules.book.fates import Condition, DiceTable
from rules.book.model import Rules
from rules.book.schema import ItemGroup, Trait
from rules.book.vocabulary import Row
from rules.engine.dice import gather_rows
from rules.reference_pages.goods import head_of, mode_rows, say_uses
from rules.reference_pages.pieces import ColumnHead, PageCell, PageLine, PageTable, Piece
from rules.reference_pages.play import play
from rules.reference_pages.tables import rolls
from rules.reference_pages.words import BookWording
from typesetting.measuring import MILLIMETRES, narrowest

# Points: the sheet has the largest of these that takes no more pages than the smallest, which still
# reads well under a lamp.
SIZES = (10.0, 9.3, 8.6, 8.0)
SMALLEST = SIZES[-1]
# Cells with at most this many letters are centred in their column.
SHORT = 6
# A table with longer cells is set as lines of text, as wide as the column of the page.
LONG = 22
# The most letters in an item's value for which it gets a column.
NUMBER = 12
NOTHING = ("", "–")
# A part with more letters may be broken over two columns; in large print, one with more lines than
# about a third of a page, counted in lines of this many letters.
WHOLE, LINES, A_LINE = 260, 15, 90
# Millimetres: the narrowest column of a page; ems: the gap between two columns of a table; points:
# the smallest letters of a table that is turned on its side.
COLUMN, BETWEEN, LYING = 95.0, 0.5, 9.0


def size_class(limit: float) -> str:
    """Return the class of tables that fit a column in letters of this size at most."""
    return f"at-most-{limit * 100:.0f}"


@dataclass(frozen=True)
class PrintedTable:
    """A table on the sheet. ``short``: for each column, whether its cells are short; ``as_text``:
    its cells are so long that it is set as lines of text; ``notes``: the text below each line, if
    there is any.
    """

    grid: PageTable
    short: tuple[bool, ...]
    as_text: bool
    notes: tuple[str, ...] = ()

    @property
    def broad(self) -> int:
        """The number of columns, with the one for the names of lines."""
        return len(self.grid.columns) + 1

    @property
    def largest(self) -> float:
        """The largest letters, in points, in which the table fits a column."""
        return SIZES[0] if self.as_text else floor(COLUMN / _across(self.grid) * 10) / 10

    @property
    def limited(self) -> str:
        """The class of a table that must not have the largest letters of the page, or ""."""
        return size_class(self.largest) if self.largest < SIZES[0] else ""

    @property
    def text_lines(self) -> list[tuple[PageLine, list[PageCell]]]:
        """The lines, each with its cells that are not empty."""
        return [
            (line, [cell for cell in line.cells if cell.strong or cell.text not in NOTHING])
            for line in self.grid.lines
        ]

    @property
    def text_heads(self) -> list[str]:
        """The heads, for printing above lines of text."""
        heads = [self.grid.corner, *(column.name for column in self.grid.columns)]
        return [head for head in heads if head]

    @property
    def rows(self) -> list[tuple[PageLine, list[tuple[PageCell, bool]], str]]:
        """The lines: for each, its cells, whether they are short, and the note below."""
        notes = self.notes or ("",) * len(self.grid.lines)
        return [
            (line, list(zip(line.cells, self.short, strict=True)), note)
            for line, note in zip(self.grid.lines, notes, strict=True)
        ]

    @property
    def heads(self) -> list[tuple[ColumnHead, bool]]:
        """The columns, and whether their cells are short."""
        return list(zip(self.grid.columns, self.short, strict=True))


@dataclass(frozen=True)
class Part:
    """Something to look up: a piece of the rules, and the layout of its table."""

    piece: Piece
    table: PrintedTable | None
    house: bool

    @property
    def letters(self) -> int:
        """The number of letters."""
        lines = self.table.grid.lines if self.table else ()
        cells = [cell.strong + cell.text for line in lines for cell in line.cells]
        return len("".join([self.piece.text, *self.piece.steps, *cells]))

    @property
    def is_long(self) -> bool:
        """Whether the part may be broken in two."""
        return self.letters > WHOLE

    @property
    def is_short(self) -> bool:
        """Whether the part must stay whole in large print."""
        lines = len(self.piece.steps) + (len(self.table.grid.lines) if self.table else 0)
        return lines + self.letters / A_LINE <= LINES


@dataclass(frozen=True)
class Group:
    """Parts under one title."""

    title: str
    parts: tuple[Part, ...]


def find_groups(words: BookWording, rules: Rules, plain: bool) -> Iterator[Group]:
    book = words.book
    known = rules.references
    here = {f"reference-{row.key}" for row in known if row.on_sheet}
    for section in play(words, rules):
        pieces = (piece for piece in section.pieces if piece.anchor in here)
        yield Group(section.title, tuple(_part(piece, plain) for piece in pieces))
    groups = rules.groups
    items = (_items(words, group, rules) for group in groups)
    yield Group(_("Items"), tuple(part for part in items if part is not None))
    traits = words.translated(book.traits_name) or _("Traits and skills")
    yield Group(traits, tuple(_families(words, rules.traits)))
    tables = rules.tables
    yield Group(_("Tables"), tuple(_dice_table(words, row, plain) for row in tables))
    conditions = rules.conditions
    yield Group(_("Conditions"), _glossary(words, "", conditions))


def _families(words: BookWording, traits: Sequence[Trait]) -> Iterator[Part]:
    """Yield traits with their effects, list by list."""
    by_family: dict[str, list[Trait]] = {}
    for row in traits:
        by_family.setdefault(words.translated(row.family), []).append(row)
    for family, rows in by_family.items():
        yield from _glossary(words, family, rows)


def _glossary(words: BookWording, name: str, rows: Sequence[Trait | Condition]) -> tuple[Part, ...]:
    """Return rows with their texts, as lines of text; nothing if there are none."""
    if not rows:
        return ()
    lines = tuple(
        PageLine(_named(words, row), (PageCell(words.translated(row.text)),)) for row in rows
    )
    table = PrintedTable(PageTable("", (ColumnHead(""),), lines), (False,), as_text=True)
    return (Part(Piece("", name), table, any(_is_house(words, row) for row in rows)),)


def _named(words: BookWording, row: Trait | Condition) -> str:
    """The name of a row, with the value of a power."""
    name, power = words.translated(row.name), words.power(row) if isinstance(row, Trait) else ""
    return f"{name} ({power})" if power else name


def _part(piece: Piece, plain: bool) -> Part:
    house = piece.source is not None and piece.source.any_house
    return Part(piece, _table(piece.grid, plain) if piece.grid else None, house)


def _table(grid: PageTable, plain: bool) -> PrintedTable:
    # The fonts of prints lack the arrow.
    grid = replace(grid, corner=grid.corner.replace("→", "›"))
    if not plain and _lies_better(grid):
        grid = _laid_down(grid)
    short = tuple(
        all(len(line.cells[place].text) <= SHORT for line in grid.lines)
        for place in range(len(grid.columns))
    )
    longest = max((len(cell.text) for line in grid.lines for cell in line.cells), default=0)
    # A table that is too wide even in the smallest letters becomes text as well.
    as_text = longest > LONG or _across(grid) * SMALLEST > COLUMN
    return PrintedTable(grid, short, as_text and not plain)


def _lies_better(grid: PageTable) -> bool:
    """Whether a table of short values is long and slim, so that it is better turned on its side: it
    then takes as many lines as it had columns. Its letters must not become too small.
    """
    longest = max((len(cell.text) for line in grid.lines for cell in line.cells), default=0)
    slim = len(grid.lines) > len(grid.columns) + 1
    return slim and longest <= SHORT and _across(_laid_down(grid)) * LYING <= COLUMN


def _across(grid: PageTable) -> float:
    """Return the least width of a table, in millimetres per point of its letters: its lines break
    only at words.
    """
    columns = [[(grid.corner, False), *((line.name, True) for line in grid.lines)]]
    for place, column in enumerate(grid.columns):
        cells = [line.cells[place] for line in grid.lines]
        heads = [(column.name, False), *((cell.strong, True) for cell in cells)]
        columns.append([*heads, *((cell.text, False) for cell in cells)])
    return sum(map(_narrowest, columns)) + len(columns) * BETWEEN * MILLIMETRES


def _narrowest(column: Iterable[tuple[str, bool]]) -> float:
    """Return the width of a column's longest word; bold words are marked."""
    return max(narrowest(_whole(text), 1, "bold" if bold else "plain") for text, bold in column)


def _whole(text: str) -> str:
    """Return a text with spaces that do not break, if it is a short value such as "14 / 0"."""
    return text.replace(" ", "\N{NO-BREAK SPACE}") if len(text) <= SHORT else text


def _laid_down(grid: PageTable) -> PageTable:
    lines = [
        PageLine(column.name or grid.caption, tuple(line.cells[place] for line in grid.lines))
        for place, column in enumerate(grid.columns)
    ]
    columns = tuple(ColumnHead(line.name) for line in grid.lines)
    return PageTable(grid.corner, columns, tuple(lines), grid.caption)


def _dice_table(words: BookWording, row: DiceTable, plain: bool) -> Part:
    lines = []
    for same in gather_rows(row):
        result = PageCell(words.translated(same[0].text), strong=words.translated(same[0].name))
        lines.append(PageLine(rolls(words, row, same), (result,)))
    grid = PageTable(row.dice.upper(), (ColumnHead(_("Result")),), tuple(lines))
    table = PrintedTable(grid, (False,), as_text=not plain)
    return Part(Piece("", words.translated(row.name)), table, _is_house(words, row))


def _items(words: BookWording, group: ItemGroup, rules: Rules) -> Part | None:
    """Return the items of a group, with the values looked up at the table, without prices."""
    rows = [item for item in rules.items if item.group == group.key]
    if not rows:
        return None
    written = {
        column.key: [words.translated(item.columns.get(column.key)) for item in rows]
        for column in rules.columns(group)
        if not column.minor
    }
    # Texts stand below an item's line, numbers in columns.
    numbers = [
        key
        for key, cells in written.items()
        if max(map(len, cells)) <= NUMBER and not {*cells} <= {*NOTHING}
    ]
    hands = any(item.hands is not None for item in rows)
    heads = {column.key: head_of(words, column).name for column in group.columns}
    columns = [ColumnHead(_("Hands"))] if hands else []
    columns += [ColumnHead(heads[key]) for key in numbers]
    lines, notes = [], []
    for place, item in enumerate(rows):
        cells = [PageCell(str(item.hands or "–"))] if hands else []
        cells += [PageCell(written[key][place] or "–") for key in numbers]
        lines.append(PageLine(words.translated(item.name), tuple(cells)))
        told = [cells[place] for key, cells in written.items() if key not in numbers]
        told += [say_uses(item.uses) if item.uses else "", words.translated(item.text)]
        notes.append(" · ".join(said for said in told if said not in NOTHING))
        for name, values, more in mode_rows(words, item, written):
            cells = [PageCell("")] if hands else []
            cells += [PageCell(values.get(key, "")) for key in numbers]
            lines.append(PageLine(name, tuple(cells)))
            usual = {key: column[place] for key, column in written.items()}
            changed = [
                values[key]
                for key in written
                if key not in numbers and values.get(key, "") != usual[key]
            ]
            notes.append(" · ".join(filter(None, (*changed, more))))
    grid = PageTable(_("Item"), tuple(columns), tuple(lines))
    table = replace(_table(grid, plain=True), notes=tuple(notes))
    house = any(_is_house(words, item) for item in rows)
    return Part(Piece("", words.translated(group.name)), table, house)


def _is_house(words: BookWording, row: Row) -> bool:
    return words.source(row).any_house


def name_options(words: BookWording, rules: Rules) -> Iterator[str]:
    """Yield the chosen options that decide what is on the sheet."""
    book = words.book
    rows = [*book.references, *book.tables, *book.items]
    asked = {setting for row in rows for setting in row.when}
    for setting in book.settings:
        if setting.key in asked:
            value = str(rules.settings.get(setting.key, ""))
            named = words.only_when({setting.key: (value,)})
            if named:
                yield named
