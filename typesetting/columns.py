"""Estimate the length of text in columns, so that letters can be chosen before it is laid out.

The estimate breaks no lines and follows only the browser rules that matter: the columns of tables
share the width as in CSS, and a block that must stay whole begins the next column if it does not
fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil
from typing import NamedTuple

from typesetting.measuring import Face, narrowest, width

# Lines end before their column does: a text takes this many times its width.
RAGGED, RAGGED_CELL = 1.02, 1.03
# The error that rounding may add to a width.
ROUNDING = 1e-6


class Block(NamedTuple):
    """A block in a column: its height in millimetres, and whether it must stay whole."""

    height: float
    is_whole: bool


def pages_taken(blocks: Iterable[Block], room: float, head: float, columns: int) -> float:
    """Estimate how many pages of ``columns`` the blocks take, one after the other: 1.5 if the
    second page is half full. ``room``: the height of a page; ``head``: the height that its first
    page loses.
    """
    full = 0

    def height() -> float:
        return room - head if full < columns else room

    left = height()
    for block in blocks:
        needed = block.height
        if block.is_whole and left < min(needed, height()):
            full += 1
            left = height()
        while needed > left:
            needed -= left
            full += 1
            left = height()
        left -= needed
    return (full + 1 - left / height()) / columns


def text_lines(text: str, size: float, room: float) -> int:
    """Estimate how many lines a text takes, none if it is empty."""
    return ceil(width(text, size) / room * RAGGED)


def row_lines(rows: Sequence[Sequence[str]], size: float, room: float, gap: float) -> list[int]:
    """Estimate how many lines each row of a table takes. The first row is its head; the first cell
    of every other row is bold. ``room``: the width of the table; ``gap``: between two columns.
    """
    widest, least = [], []
    for place, cells in enumerate(zip(*rows, strict=True)):
        faces = [_face(line, place) for line in range(len(rows))]
        pairs = list(zip(cells, faces, strict=True))
        widest.append(max(width(cell, size, face) for cell, face in pairs))
        least.append(max(narrowest(cell, size, face) for cell, face in pairs))
    # The width left beside the longest words is shared out by the widths that the columns want.
    wanted = sum(widest) - sum(least)
    free = room - gap * len(least) - sum(least)
    share = min(1.0, max(0.0, free / wanted)) if wanted else 1.0
    given = [low + (high - low) * share for low, high in zip(least, widest, strict=True)]

    def lines(line: int, place: int) -> int:
        needed = width(rows[line][place], size, _face(line, place))
        fits = needed <= given[place] + ROUNDING
        return 1 if fits else ceil(needed / given[place] * RAGGED_CELL)

    return [max(lines(line, place) for place in range(len(given))) for line in range(len(rows))]


def _face(line: int, place: int) -> Face:
    return "bold" if line and not place else "plain"
