"""Draw a picture to save: a head, then blocks from top to bottom, as many as there is room for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from math import ceil

from django.utils.translation import ngettext

from printing.pictures.canvas import FAINT, INK, STRIPE, Canvas
from printing.pictures.lettering import PLAIN, SANS, SLAB, fit_lines, shorten, width, wrap
from printing.pictures.picture_layouts import LAYOUTS, Layout
from printing.pictures.values import (
    SIZES,
    Block,
    Face,
    Named,
    Notes,
    People,
    Placed,
    Preview,
    Ranking,
    Spotlight,
    Values,
    Versus,
)

# The fields of characteristics, and the lines between rows of a table.
FIELD, RULE = "#332c24", "#4a4137"
# How strong the emblem behind texts is.
SHARE = 0.1
# Between the columns of a table.
GAP = 28


@dataclass
class Page:
    """The free part of a picture: between ``top`` and ``bottom``."""

    canvas: Canvas
    layout: Layout
    left: int
    top: int
    bottom: int

    @property
    def width(self) -> int:
        """The width of its texts."""
        return self.canvas.right - self.left

    @property
    def room(self) -> int:
        """The height that is left."""
        return self.bottom - self.top


def png(preview: Preview) -> bytes:
    """Return the picture. Equal previews give equal bytes."""
    layout = LAYOUTS[preview.shape]
    canvas = Canvas(SIZES[preview.shape], preview.emblem, preview.accent, layout.margin, SHARE)
    foot = canvas.height - STRIPE - layout.foot - 24
    page = Page(canvas, layout, layout.margin, layout.margin, foot - 16)
    _photo(page, preview)
    canvas.write((page.left, foot), preview.foot, SANS, layout.foot, FAINT)
    blocks = [*preview.blocks]
    values = blocks[0] if preview.is_portrait and isinstance(blocks[0], Values) else None
    if values is not None:
        del blocks[0]
    if values is not None and preview.shape == "tall" and preview.badge is not None:
        _portrait(page, preview, preview.badge, values)
    else:
        _head(page, preview, values)
    for block in blocks:
        draw_block(block, page)
    return canvas.png()


def _photo(page: Page, preview: Preview) -> None:
    """Draw the photo across the top of a tall picture, or along the right of a wide one."""
    canvas, size = page.canvas, page.layout.photo
    if preview.photo is None:
        return
    if preview.shape == "tall":
        if canvas.photo(preview.photo, (0, 0, canvas.width, size)):
            page.top = size + 44
    elif canvas.photo(
        preview.photo, (canvas.width - size, 0, canvas.width, canvas.height - STRIPE)
    ):
        canvas.right = canvas.width - size - 40


def _portrait(page: Page, preview: Preview, face: Face, values: Values) -> None:
    """Draw a large portrait with the characteristics beside it, and the head below."""
    size, canvas = page.layout.portrait, page.canvas
    canvas.face(face, (page.left, page.top), size, is_round=False)
    left = page.left + size + 32
    _fields(page, values.cells, (left, page.top), (canvas.right - left, size))
    page.top += size + 36
    _words(page, preview, page.left)
    page.top += 28


def _head(page: Page, preview: Preview, values: Values | None) -> None:
    """Draw the badge and the title beside it; beside a portrait, the characteristics, too."""
    size = page.layout.portrait if preview.is_portrait else page.layout.badge
    left, below = page.left, page.top
    if preview.badge is not None:
        page.canvas.face(preview.badge, (left, page.top), size, is_round=False)
        left, below = left + size + 32, page.top + size
    _words(page, preview, left)
    if values is not None and values.cells:
        room = max(page.layout.field, below - page.top - 16)
        _fields(page, values.cells, (left, page.top + 16), (page.canvas.right - left, room))
        page.top += room + 16
    page.top = max(page.top, below) + 26


def _words(page: Page, preview: Preview, left: int) -> None:
    """Write the title with the lines around it."""
    canvas, layout = page.canvas, page.layout
    top, room = page.top - 6, canvas.right - left
    if preview.above:
        canvas.write((left, top), preview.above, SANS, layout.above, canvas.accent)
        top += layout.above + 14
    size, lines = fit_lines(preview.title, SLAB, layout.titles, room, 2)
    for line in lines:
        canvas.write((left, top), line, SLAB, size)
        top += round(size * 1.12)
    if preview.facts:
        canvas.write((left, top + 8), preview.facts, SANS, layout.facts)
        top += layout.facts + 16
    page.top = top


@singledispatch
def draw_block(block: Block, page: Page) -> None:
    """Draw a block at the top of the free part, and move that down."""
    raise TypeError(type(block))


@draw_block.register
def _values(block: Values, page: Page) -> None:
    if block.cells and page.room >= page.layout.field:
        _fields(page, block.cells, (page.left, page.top), (page.width, page.layout.field))
        page.top += page.layout.field + 28


def _fields(
    page: Page,
    cells: Sequence[tuple[str, str]],
    at: tuple[int, int],
    size: tuple[int, int],
) -> None:
    """Draw characteristics as equal fields that fill an area, in rows as needed."""
    gap, least = 10, round(page.layout.field * 0.8)
    rows = max(1, min(size[1] // page.layout.field, ceil(len(cells) / 2)))
    rows = max(rows, ceil(len(cells) * (least + gap) / (size[0] + gap)))
    across = ceil(len(cells) / rows)
    rows = ceil(len(cells) / across)
    wide, high = (size[0] + gap) / across - gap, (size[1] + gap) / rows - gap
    letters = min(round(high * 0.44), round(page.layout.field * 0.5))
    label = min(round(high * 0.24), page.layout.label)
    for number, (name, value) in enumerate(cells):
        left = at[0] + (number % across) * (wide + gap)
        top = at[1] + (number // across) * (high + gap)
        page.canvas.draw.rounded_rectangle((left, top, left + wide, top + high), 8, FIELD)
        start = top + (high - label - letters - 10) / 2 - 4
        _centre(page, (left, start), name, label, FAINT, wide)
        _centre(page, (left, start + label + 10), value, letters, INK, wide)


def _centre(
    page: Page, at: tuple[float, float], text: str, size: int, colour: str, room: float
) -> None:
    """Write a line in the middle of its room, smaller if it is long."""
    least = max(14, round(size * 0.6))
    while width(text, SANS, size) > room - 8 and size > least:
        size -= 2
    shown = shorten(text, SANS, size, room - 8)
    left = at[0] + (room - width(shown, SANS, size)) / 2
    page.canvas.write((left, at[1]), shown, SANS, size, colour, room)


@draw_block.register
def _notes(block: Notes, page: Page) -> None:
    layout, canvas = page.layout, page.canvas
    high = round(layout.text * 1.34)
    for number, (label, text) in enumerate(block.lines):
        # Each of the others still gets a line.
        others = sum(
            high + (layout.label + 8 if name else 0) + 12
            for name, _text in block.lines[number + 1 :]
        )
        head = layout.label + 8 if label else 0
        most = (page.room - others - head) // high
        if most < 1 and (page.room - head) // high < 1:
            return
        if label:
            canvas.write((page.left, page.top), label, SANS, layout.label, canvas.accent)
            page.top += head
        for line in wrap(text, PLAIN, layout.text, page.width, max(1, most)):
            canvas.write((page.left, page.top), line, PLAIN, layout.text)
            page.top += high
        page.top += 12


@draw_block.register
def _people(block: People, page: Page) -> None:
    least, most = page.layout.row
    fit = page.room // least
    columns = 1 if len(block.rows) <= fit else page.layout.columns
    if not fit or not block.rows:
        return
    shown, more = _as_many(block.rows, fit * columns)
    rows = ceil((len(shown) + bool(more)) / columns)
    high = max(least, min(most, page.room // rows))
    wide = (page.width - (columns - 1) * 40) // columns
    for number, named in enumerate(shown):
        at = (page.left + number // rows * (wide + 40), page.top + number % rows * high)
        _named(page, named, at, (wide, high))
    if more:
        left = page.left + len(shown) // rows * (wide + 40)
        _say_more(page, more, (left, page.top + len(shown) % rows * high))
    page.top += rows * high + 12


def _named(page: Page, named: Named, at: tuple[int, int], size: tuple[int, int]) -> None:
    """Draw a face with a name, a value at its right, and a text of up to two lines below it."""
    canvas, (wide, high) = page.canvas, size
    face = min(high - 16, round(page.layout.face * 1.5))
    name = round(min(face * 0.44, page.layout.face * 0.52))
    text = round(name * 0.76)
    canvas.face(named.face, at, face, is_round=False)
    left, room = at[0] + face + 18, wide - face - 18
    most = 2 if name + 2 * text * 1.3 <= high - 16 else 1
    lines = wrap(named.text, PLAIN, text, room, most)
    top = at[1] + (face - name - len(lines) * text * 1.3) / 2 - 4
    name_room = room
    if named.value:
        value = shorten(named.value, SANS, name, room // 2)
        taken = width(value, SANS, name)
        name_room -= taken + 16
        canvas.write((at[0] + wide - taken, top), value, SANS, name, canvas.accent)
    canvas.write((left, top), named.name, SANS, name, INK, name_room)
    for number, line in enumerate(lines):
        canvas.write((left, top + name + 6 + number * text * 1.3), line, PLAIN, text, FAINT, room)


@draw_block.register
def _versus(block: Versus, page: Page) -> None:
    sides, canvas, layout = block.sides, page.canvas, page.layout
    # More sides are listed, as large as there is room for.
    if len(sides) > (4 if page.width > 900 else 3):
        rows = [replace(side, text=_line(side), value="") for side in sides]
        draw_block(People(rows), page)
        return
    wide, size = page.width // max(1, len(sides)), min(layout.side, round(page.room * 0.36))
    name, text = round(layout.text * 1.16), layout.label + 2
    for number, side in enumerate(sides):
        left = page.left + number * wide
        at = (left + (wide - size) // 2, page.top + 6)
        if side in block.best:
            ring = (at[0] - 7, at[1] - 7, at[0] + size + 6, at[1] + size + 6)
            canvas.draw.rounded_rectangle(ring, 18, canvas.accent)
        canvas.face(side.face, at, size, is_round=False)
        top = at[1] + size + 12
        _centre(page, (left, top), side.name, name, INK, wide)
        colour = canvas.accent if side in block.best else FAINT
        _centre(page, (left, top + name + 8), _line(side), text, colour, wide)
    page.top += 6 + size + 12 + name + 8 + text + 28


def _line(named: Named) -> str:
    """Return a text and a value in one line."""
    return " · ".join(filter(None, (named.text, named.value)))


@draw_block.register
def _spotlight(block: Spotlight, page: Page) -> None:
    layout, canvas, named = page.layout, page.canvas, block.named
    size = min(layout.light, max(72, page.room // 2 - 24))
    high = size + 24
    if page.room < high:
        return
    canvas.draw.rounded_rectangle((page.left, page.top, canvas.right, page.top + high), 12, FIELD)
    label, text = block.note
    is_beside = bool(text) and page.width > 1000
    left = page.left + size + 32
    right = page.left + page.width // 2 if is_beside else canvas.right - 12
    canvas.face(named.face, (page.left + 12, page.top + 12), size, is_round=False)
    name = round(layout.text * 1.16)
    top = page.top + (high - 2 * layout.label - name - 14) / 2 - 4
    canvas.write((left, top), block.label, SANS, layout.label, canvas.accent, right - left)
    if is_beside:
        start, room = right + 24, canvas.right - right - 36
        canvas.write((start, top), label, SANS, layout.label, canvas.accent, room)
        for number, line in enumerate(wrap(text, PLAIN, layout.label, room, 2)):
            at = (start, top + (number + 1) * (layout.label + 8))
            canvas.write(at, line, PLAIN, layout.label, INK, room)
    top += layout.label + 6
    canvas.write((left, top), named.name, SANS, name, INK, right - left)
    top += name + 8
    canvas.write((left, top), _line(named), PLAIN, layout.label, FAINT, right - left)
    page.top += high + 22
    if text and not is_beside:
        draw_block(Notes([block.note]), page)


@draw_block.register
def _ranking(block: Ranking, page: Page) -> None:
    layout, canvas = page.layout, page.canvas
    least, most = layout.line
    heads = layout.label + 14
    fit = (page.room - heads) // least
    if fit < 1 or not block.rows:
        return
    shown, more = _as_many(block.rows, fit)
    rows = len(shown) + bool(more)
    high = max(least, min(most, (page.room - heads) // max(1, rows)))
    face = high - 14
    # As large as the rows are high, and smaller until all names fit.
    largest = round(min(high * 0.48, layout.text * 1.25))
    for letters in range(largest, round(least * 0.46) - 1, -2):
        place = max(width(row.place, SANS, letters) for row in shown) + 18
        name = page.left + place + face + 16
        columns = _columns(block, shown, letters, layout.label, name, canvas.right)
        room = (columns[0][0] if columns else canvas.right) - name - 20
        if all(width(row.name, SANS, letters) <= room for row in shown):
            break
    for head, (_left, right) in zip(block.heads, columns, strict=False):
        at = (right - width(head, SANS, layout.label), page.top)
        canvas.write(at, head, SANS, layout.label, FAINT)
    top = page.top + heads
    for row in shown:
        canvas.draw.line((page.left, top - 2, canvas.right, top - 2), RULE, 2)
        middle = top + (high - letters) // 2 - 5
        canvas.write((page.left, middle), row.place, SANS, letters, canvas.accent)
        canvas.face(row.face, (page.left + place, top + 6), face, is_round=False)
        canvas.write((name, middle), row.name, SANS, letters, INK, room)
        for (_left, right), cell in zip(columns, row.cells, strict=False):
            canvas.write((right - width(cell, SANS, letters), middle), cell, SANS, letters)
        top += high
    if more:
        canvas.draw.line((page.left, top - 2, canvas.right, top - 2), RULE, 2)
        _say_more(page, more, (name, top + (high - layout.label) // 2 - 5))
    page.top = page.top + heads + rows * high


def _columns(
    block: Ranking, rows: Sequence[Placed], letters: int, label: int, left: int, right: int
) -> list[tuple[int, int]]:
    """Return the left and right edge of each column of cells. The last columns are left out where
    names would keep less than two fifths of the room.
    """
    wides: list[int] = []
    for number, head in enumerate(block.heads):
        cells = (width(row.cells[number], SANS, letters) for row in rows)
        wide = max(width(head, SANS, label), *cells)
        if sum(wides) + wide + GAP * (len(wides) + 1) > (right - left) * 0.62:
            break
        wides.append(wide)
    edges = []
    for wide in reversed(wides):
        edges.append((right - wide, right))
        right -= wide + GAP
    return edges[::-1]


def _as_many[Row](rows: Sequence[Row], fit: int) -> tuple[Sequence[Row], str]:
    """Return the rows that fit, and words for the others: they take the place of a row."""
    if len(rows) <= fit:
        return rows, ""
    others = len(rows) - fit + 1
    return rows[: fit - 1], ngettext("and %(count)s more", "and %(count)s more", others) % {
        "count": others
    }


def _say_more(page: Page, more: str, at: tuple[int, int]) -> None:
    page.canvas.write(at, more, PLAIN, page.layout.label, FAINT)
