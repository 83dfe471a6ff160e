"""The parts of a page of rules, as plain values; all texts are in the reader's language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from rules.book.model import Book
from rules.book.schema import Box

# About half the size of a letter in a diagram.
LETTER = 5
# A cell with more letters than this is a text, which needs a separate line on a phone.
LONG_CELL = 20
# A cell with at most this many letters is a value that no line may break.
VALUE = 8
# In pixels: the width of a table on the narrowest phone, of a letter, and of a column's edges.
PHONE, PER_LETTER, PER_COLUMN = 258, 7.5, 8


@dataclass(frozen=True)
class Link:
    """Some words with an address, "tables/#table-injury"; no link if it is empty."""

    text: str
    to: str = ""


@dataclass(frozen=True)
class Citation:
    """A document that a row comes from: its number in the list of sources, title and page."""

    number: int
    title: str
    page: str = ""


@dataclass(frozen=True)
class SourceNote:
    """The origin of a row. ``house``: it is a house value; ``cells``: or these parts of it are."""

    citations: tuple[Citation, ...] = ()
    house: bool = False
    cells: str = ""

    @property
    def any_house(self) -> bool:
        """Whether any part of the row is a house value."""
        return self.house or bool(self.cells)


@dataclass(frozen=True)
class PageCell:
    """One cell of a table. ``more``: texts or links after its text; ``squares``: the boxes of a
    track, drawn."""

    text: str = ""
    strong: str = ""
    more: tuple[Link, ...] = ()
    squares: tuple[Box, ...] = ()
    house: bool = False

    @cached_property
    def letters(self) -> int:
        """The number of its letters, including ``strong`` and ``more``."""
        return len("".join([self.strong, self.text, *(link.text for link in self.more)]))

    @property
    def long(self) -> bool:
        """Whether the piece is a text or a drawing, not a value of a few letters."""
        return bool(self.squares) or self.letters > LONG_CELL

    @property
    def is_plain(self) -> bool:
        """Whether it is only a text, as most cells are."""
        return not (self.squares or self.strong or self.more or self.house)

    @property
    def is_value(self) -> bool:
        """Whether it is a value such as "14 / 0", which no line may break."""
        return 0 < len(self.text) <= VALUE and not (self.squares or self.strong or self.more)

    @cached_property
    def style(self) -> str:
        """Its class in a table whose lines become blocks on a phone."""
        if not self.letters and not self.squares:
            return "is-blank"
        return "is-long" if self.long else "is-value" if self.is_value else ""


@dataclass(frozen=True)
class ColumnHead:
    """The heading of a column. ``title``: its full name; ``under``: small print below it."""

    name: str
    title: str = ""
    under: str = ""


@dataclass(frozen=True)
class PageLine:
    """One line of a table: its name, description and cells. ``terms``: the options that it needs;
    ``row``: the anchor of the row that it is about, if that is elsewhere."""

    name: str
    cells: tuple[PageCell, ...]
    anchor: str = ""
    detail: str = ""
    terms: str = ""
    source: SourceNote | None = None
    row: str = ""


@dataclass(frozen=True)
class PageTable:
    """A table. ``rolled``: its lines are named by results of dice."""

    corner: str
    columns: tuple[ColumnHead, ...]
    lines: tuple[PageLine, ...]
    caption: str = ""
    rolled: bool = False

    @cached_property
    def sourced(self) -> bool:
        """Whether any line has a source."""
        return any(line.source for line in self.lines)

    @property
    def marks_house(self) -> bool:
        """Whether any line or cell is a house value."""
        return any(
            (line.source and line.source.any_house) or any(cell.house for cell in line.cells)
            for line in self.lines
        )

    @property
    def explained(self) -> list[ColumnHead]:
        """The columns with abbreviated names, to be explained below the table, each once."""
        return list({column.name: column for column in self.columns if column.title}.values())

    @property
    def rows(self) -> list[tuple[PageLine, list[tuple[ColumnHead, PageCell]]]]:
        """Its lines, each with its cells and their columns."""
        return [(line, list(zip(self.columns, line.cells, strict=True))) for line in self.lines]

    @cached_property
    def stacks(self) -> bool:
        """Whether the table is too wide for a phone: each line becomes a block there, with its name
        above its labelled values.
        """
        if self.rolled:
            return False
        widths = [_word(self.corner, *(line.name for line in self.lines))]
        texts = int(any(len(line.name) > LONG_CELL or line.detail for line in self.lines))
        for number, column in enumerate(self.columns):
            cells = [line.cells[number] for line in self.lines]
            widths.append(_word(column.name, column.under, *map(_unbroken, cells)))
            texts += any(cell.long for cell in cells)
        room = sum(width * PER_LETTER + PER_COLUMN for width in widths)
        crowded = self.sourced or texts > 1 or bool(texts and len(self.columns) > 1)
        return room > PHONE or (crowded and len(self.columns) > 1)


def _unbroken(cell: PageCell) -> str:
    """The text of a cell; the spaces of a value do not break."""
    return cell.text.replace(" ", "\N{NO-BREAK SPACE}") if cell.is_value else cell.text


def _word(*texts: str) -> int:
    """The letters of the longest word: the least width of a column."""
    return max(
        (len(word) for text in texts for word in text.replace("-", " ").split(" ")), default=0
    )


@dataclass(frozen=True)
class Fact:
    """A short fact about a row: a label and its values."""

    label: str
    values: tuple[Link, ...]


def fact(label: str, *values: str | int | Link | None) -> Iterator[Fact]:
    """A fact, if any value is not empty."""
    links = (value if isinstance(value, Link) else Link(str(value or "")) for value in values)
    if filled := tuple(link for link in links if link.text):
        yield Fact(label, filled)


@dataclass(frozen=True)
class Shape:
    """One zone of a diagram, in its coordinates. ``letter``: its side's; ``measure``: its size on
    the table, in words."""

    kind: str
    side: str
    letter: str
    x: float
    y: float
    width: float
    height: float
    name: str
    measure: str = ""
    letter_x: float = 0
    letter_y: float = 0

    @property
    def spots(self) -> list[tuple[float, float]]:
        """Places for the shape's letter, the best first: its middle, then towards its edges."""
        if self.kind == "box":
            x, y = self.x + self.width / 2, self.y + self.height / 2
            reach_x, reach_y = self.width * 0.35, self.height * 0.35
        elif self.kind == "triangle":
            x, y = self.x + self.inwards_x / 3, self.y + self.inwards_y / 3
            reach_x, reach_y = self.width / 4, self.height / 4
        else:
            x, y = self.x, self.y
            # Outside a circle that is too small for two letters.
            inside, outside = self.width * 0.33, self.width / 2 + LETTER
            reach_x = reach_y = inside if inside > 2 * LETTER else outside
        ways = [(0, 0), (0, -1), (0, 1), (-1, 0), (1, 0)]
        return [(round(x + reach_x * a, 1), round(y + reach_y * b, 1)) for a, b in ways]

    @property
    def inwards_x(self) -> float:
        """The side of a triangle along the upper or lower edge, from its corner of the table."""
        return -self.width if self.x else self.width

    @property
    def inwards_y(self) -> float:
        """The side of a triangle along the left or right edge, from its corner of the table."""
        return -self.height if self.y else self.height

    @property
    def points(self) -> str:
        """The three corners of a triangle, for SVG."""
        along, down = round(self.x + self.inwards_x, 1), round(self.y + self.inwards_y, 1)
        return f"{self.x:g},{self.y:g} {along:g},{self.y:g} {self.x:g},{down:g}"

    @property
    def radius(self) -> float:
        """The radius of a circle."""
        return round(self.width / 2, 2)


@dataclass(frozen=True)
class Diagram:
    """A drawing of a deployment. ``description``: the same in words, for readers who cannot see it;
    ``table``: the size of the table, "" if it is unknown."""

    width: float
    height: float
    shapes: tuple[Shape, ...]
    description: str
    table: str = ""

    @property
    def view_box(self) -> str:
        """The whole table, with room for its edge."""
        return f"-1 -1 {self.width + 2:g} {self.height + 2:g}"

    @property
    def legend(self) -> tuple[Shape, ...]:
        """One shape of each side and name."""
        found: dict[tuple[str, str], Shape] = {}
        for shape in self.shapes:
            found.setdefault((shape.letter, shape.name), shape)
        return tuple(sorted(found.values(), key=lambda shape: shape.letter))


@dataclass(frozen=True)
class Piece:
    """One row of the rulebook, or a part of it. ``terms``: the options that it needs."""

    anchor: str
    name: str
    text: str = ""
    chips: tuple[str, ...] = ()
    terms: str = ""
    facts: tuple[Fact, ...] = ()
    steps: tuple[str, ...] = ()
    numbered: bool = False
    grid: PageTable | None = None
    diagram: Diagram | None = None
    source: SourceNote | None = None


@dataclass(frozen=True)
class Section:
    """A part of a chapter. ``brief``: its pieces are short and may be side by side."""

    anchor: str
    title: str
    text: str = ""
    pieces: tuple[Piece, ...] = ()
    grid: PageTable | None = None
    brief: bool = False

    @property
    def marks_house(self) -> bool:
        """Whether the section has a house value."""
        grids = [self.grid, *(piece.grid for piece in self.pieces)]
        return any(piece.source and piece.source.any_house for piece in self.pieces) or any(
            grid.marks_house for grid in grids if grid
        )


def section(
    anchor: str, title: str, pieces: Iterable[Piece], text: str = "", *, brief: bool = False
) -> Iterator[Section]:
    """A section, if it has any pieces."""
    if listed := tuple(pieces):
        yield Section(anchor, title, text, listed, brief=brief)


@dataclass(frozen=True)
class Chapter:
    """One page of the rules."""

    key: str
    title: str
    sections: tuple[Section, ...]

    @property
    def marks_house(self) -> bool:
        """Whether the chapter has a house value, and so must explain the mark."""
        return any(section.marks_house for section in self.sections)


@dataclass(frozen=True)
class RulebookPages:
    """The pages of a whole rulebook."""

    book: Book
    facts: tuple[Fact, ...]
    settings: tuple[Piece, ...]
    chapters: tuple[Chapter, ...]

    @property
    def marks_house(self) -> bool:
        """Whether any chapter has a house value."""
        return any(chapter.marks_house for chapter in self.chapters)

    def chapter(self, key: str) -> Chapter | None:
        """The chapter with this key."""
        return next((chapter for chapter in self.chapters if chapter.key == key), None)
