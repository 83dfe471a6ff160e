"""What a page of rules is made of: plain values, all texts in the reader's language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rules.book.model import Book
from rules.book.schema import Box

# About half of what a letter takes in a diagram.
LETTER = 5
# A cell with more letters than this is a text, which wants a line of its own on a phone.
LONG_CELL = 20
# How wide a table may be on the narrowest phone, and what a letter and the edges of a column take
# of that, in pixels.
PHONE, PER_LETTER, PER_COLUMN = 258, 7.5, 8


@dataclass(frozen=True)
class Link:
    """Some words, and where they lead: "tables/#table-injury", or nowhere if empty."""

    text: str
    to: str = ""


@dataclass(frozen=True)
class Citation:
    """One document that a row comes from: its number in the list of sources, and the page."""

    number: int
    title: str
    page: str = ""


@dataclass(frozen=True)
class SourceNote:
    """Where a row comes from. ``house``: it is this site's own; ``cells``: or these parts of it."""

    citations: tuple[Citation, ...] = ()
    house: bool = False
    cells: str = ""

    @property
    def any_house(self) -> bool:
        """Whether any part of the row is a house value."""
        return self.house or bool(self.cells)


@dataclass(frozen=True)
class PageCell:
    """One cell of a table. ``more``: what follows its text, each perhaps a link; ``squares``: the
    boxes of a track, drawn."""

    text: str = ""
    strong: str = ""
    more: tuple[Link, ...] = ()
    squares: tuple[Box, ...] = ()
    house: bool = False

    @property
    def letters(self) -> int:
        """How many letters it has, with all that follows its text."""
        parts = (self.strong, self.text, *(link.text for link in self.more))
        return sum(map(len, parts))

    @property
    def long(self) -> bool:
        """Whether it is a text, or drawn, and not a value of a few letters."""
        return bool(self.squares) or self.letters > LONG_CELL


@dataclass(frozen=True)
class ColumnHead:
    """The head of a column. ``title``: its whole name; ``under``: small print below it."""

    name: str
    title: str = ""
    under: str = ""


@dataclass(frozen=True)
class PageLine:
    """One line of a table: its name, its description, its cells. ``terms``: when it holds; ``row``:
    the anchor of the row that it is about, if that is elsewhere."""

    name: str
    cells: tuple[PageCell, ...]
    anchor: str = ""
    detail: str = ""
    terms: str = ""
    source: SourceNote | None = None
    row: str = ""


@dataclass(frozen=True)
class PageTable:
    """A table. ``rolled``: its lines are named by what dice show."""

    corner: str
    columns: tuple[ColumnHead, ...]
    lines: tuple[PageLine, ...]
    caption: str = ""
    rolled: bool = False

    @property
    def sourced(self) -> bool:
        """Whether any line says where it comes from."""
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
        """The columns whose names are short for something, explained below the table, each once."""
        return list({column.name: column for column in self.columns if column.title}.values())

    @property
    def rows(self) -> list[tuple[PageLine, list[tuple[ColumnHead, PageCell]]]]:
        """Its lines, each with its cells and the columns that these stand in."""
        return [(line, list(zip(self.columns, line.cells, strict=True))) for line in self.lines]

    @property
    def stacks(self) -> bool:
        """Whether a phone is too narrow for it, so that each line becomes a block there: its name,
        and its values below, each with its label."""
        if self.rolled:
            return False
        widths = [_word(self.corner, *(line.name for line in self.lines))]
        texts = int(any(len(line.name) > LONG_CELL or line.detail for line in self.lines))
        for number, column in enumerate(self.columns):
            cells = [line.cells[number] for line in self.lines]
            widths.append(_word(column.name, column.under, *(cell.text for cell in cells)))
            texts += any(cell.long for cell in cells)
        room = sum(width * PER_LETTER + PER_COLUMN for width in widths)
        crowded = self.sourced or texts > 1 or bool(texts and len(self.columns) > 1)
        return room > PHONE or (crowded and len(self.columns) > 1)


def _word(*texts: str) -> int:
    """The letters of the longest word, which a column cannot be narrower than."""
    return max((len(word) for text in texts for word in text.replace("-", " ").split()), default=0)


@dataclass(frozen=True)
class Fact:
    """Something short about a row: what, and its value."""

    label: str
    values: tuple[Link, ...]


def fact(label: str, *values: str | int | Link | None) -> Iterator[Fact]:
    """A fact, if there is anything to say."""
    links = (value if isinstance(value, Link) else Link(str(value or "")) for value in values)
    if filled := tuple(link for link in links if link.text):
        yield Fact(label, filled)


@dataclass(frozen=True)
class Shape:
    """One zone of a diagram, in its coordinates. ``letter`` is what tells sides apart; ``measure``:
    how large it is on the table, in words."""

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
        """Where its letter may stand, the best first: its middle, then towards its edges."""
        if self.kind == "box":
            x, y = self.x + self.width / 2, self.y + self.height / 2
            reach_x, reach_y = self.width * 0.35, self.height * 0.35
        elif self.kind == "triangle":
            x, y = self.x + self.inwards_x / 3, self.y + self.inwards_y / 3
            reach_x, reach_y = self.width / 4, self.height / 4
        else:
            x, y = self.x, self.y
            # Beside a circle that is too small for two letters.
            inside, outside = self.width * 0.33, self.width / 2 + LETTER
            reach_x = reach_y = inside if inside > 2 * LETTER else outside
        ways = [(0, 0), (0, -1), (0, 1), (-1, 0), (1, 0)]
        return [(round(x + reach_x * a, 1), round(y + reach_y * b, 1)) for a, b in ways]

    @property
    def inwards_x(self) -> float:
        """Of a triangle: its side along the upper or lower edge, from its corner of the table."""
        return -self.width if self.x else self.width

    @property
    def inwards_y(self) -> float:
        """Of a triangle: its side along the left or right edge, from its corner of the table."""
        return -self.height if self.y else self.height

    @property
    def points(self) -> str:
        """Of a triangle: its three corners, as SVG wants them."""
        along, down = round(self.x + self.inwards_x, 1), round(self.y + self.inwards_y, 1)
        return f"{self.x:g},{self.y:g} {along:g},{self.y:g} {self.x:g},{down:g}"

    @property
    def radius(self) -> float:
        """Of a circle."""
        return round(self.width / 2, 2)


@dataclass(frozen=True)
class Diagram:
    """A deployment, drawn. ``description``: the same in words, for those who cannot see it;
    ``table``: how large the table is, "" if that is not said."""

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
    """One row of the rulebook, or what belongs to it. ``terms``: when it holds."""

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
    """A part of a chapter. ``brief``: its pieces are short and may stand side by side."""

    anchor: str
    title: str
    text: str = ""
    pieces: tuple[Piece, ...] = ()
    grid: PageTable | None = None
    brief: bool = False

    @property
    def marks_house(self) -> bool:
        """Whether anything in it is a house value."""
        grids = [self.grid, *(piece.grid for piece in self.pieces)]
        return any(piece.source and piece.source.any_house for piece in self.pieces) or any(
            grid.marks_house for grid in grids if grid
        )


def section(
    anchor: str, title: str, pieces: Iterable[Piece], text: str = "", *, brief: bool = False
) -> Iterator[Section]:
    """A section, if there is anything in it."""
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
        """Whether anything in it is a house value, so that the mark must be explained."""
        return any(section.marks_house for section in self.sections)


@dataclass(frozen=True)
class RulebookPages:
    """A whole rulebook, as its pages show it."""

    book: Book
    facts: tuple[Fact, ...]
    settings: tuple[Piece, ...]
    chapters: tuple[Chapter, ...]

    def chapter(self, key: str) -> Chapter | None:
        """The chapter with this key."""
        return next((chapter for chapter in self.chapters if chapter.key == key), None)
