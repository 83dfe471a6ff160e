"""Estimate how many pages a reference sheet takes in letters of a size.

The sizes match ``static/print/reference.css``: heights in ems of the page's letters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from printing.paper.orders import HEIGHTS, WIDTHS, Paper
from printing.reference.parts import Group, Part, PrintedTable
from typesetting.columns import Block, pages_taken, row_lines, text_lines
from typesetting.measuring import MILLIMETRES

# Millimetres: the margins and the gap between the columns, the margins above and below, and the
# title on the first page.
SIDES, ABOVE, TITLE = 19.0, 14.5, 10.0
# Ems: a line of text, a line of a table, the titles of a group and of a part with their margins;
# the indent of a line, the gap between the columns of a table.
LINE, ROW, GROUP_TITLE, PART_TITLE, PART_MARGIN = 1.14, 1.1, 1.755, 1.23, 0.35
INDENT, GAP = 0.9, 0.45
# Millimetres: the rules below a group's title, a table's head and a row.
GROUP_RULE, HEAD_RULE, ROW_RULE = 0.2, 0.14, 0.09


def about_pages(groups: Sequence[Group], paper: Paper, size: float) -> float:
    """Estimate how many pages the groups take: 1.5 if the second page is half full. Within 0.08 of
    the press's result for the shipped rulebooks wherever a page overflows.
    """
    room = (WIDTHS[paper] - SIDES) / 2
    return pages_taken(_blocks(groups, size, room), HEIGHTS[paper] - ABOVE, TITLE, columns=2)


def _blocks(groups: Sequence[Group], size: float, room: float) -> Iterator[Block]:
    em = size * MILLIMETRES
    for group in groups:
        for place, part in enumerate(group.parts):
            height = _part_height(part, size, room)
            if not place:
                height += GROUP_TITLE * em + GROUP_RULE
            yield Block(height, not place or not part.is_long)


def _part_height(part: Part, size: float, room: float) -> float:
    em, indented = size * MILLIMETRES, room - INDENT * size * MILLIMETRES
    height = PART_MARGIN * em
    if part.piece.name:
        height += PART_TITLE * em
    lines = text_lines(part.piece.text, size, room)
    lines += sum(text_lines(f". {step}", size, indented) for step in part.piece.steps)
    table = part.table
    if table is None:
        return height + lines * LINE * em
    if not table.as_text:
        return height + lines * LINE * em + _table_height(table, min(size, table.largest), room)
    lines += text_lines(" · ".join(table.text_heads), size, room)
    for line, cells in table.text_lines:
        said = " · ".join(f"{cell.strong} {cell.text}" for cell in cells)
        lines += text_lines(f"{line.name} {said}", size, indented)
    return height + lines * LINE * em


def _table_height(table: PrintedTable, size: float, room: float) -> float:
    em = size * MILLIMETRES
    heads = [table.grid.corner, *(column.name for column in table.grid.columns)]
    rows = [
        [line.name, *(f"{cell.strong} {cell.text}" for cell in line.cells)]
        for line in table.grid.lines
    ]
    lines = sum(row_lines([heads, *rows], size, room, GAP * em))
    lines += sum(text_lines(note, size, room - INDENT * em) for note in table.notes)
    return lines * ROW * em + HEAD_RULE + len(rows) * ROW_RULE
