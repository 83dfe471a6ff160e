"""Drawings to tick off with a pencil: boxes in a row, the chambers of a barrel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Literal

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from rules.book.model import Book

MOST_BOXES = 60
BOXES_A_ROW = 10
# Millimetres: a box with the space beside it.
BOX = 4.6
# More chambers make a barrel too large for its corner: they are drawn as boxes.
MOST_CHAMBERS = 8
CHAMBER = 1.6
# Groups of boxes that an eye still counts in one line.
MOST_GROUPS = 10
# The gain at a box of experience: nothing, an advance, a higher rank.
Mark = Literal["", "advance", "rank"]


@dataclass(frozen=True)
class DrawnTrack:
    """Something to tick off: the drawing, its width and its height in millimetres."""

    drawing: SafeString | str
    across: float
    high: float


NO_TRACK = DrawnTrack("", 0, 0)


def life_track(book: Book, life: Sequence[bool], label: str) -> DrawnTrack | None:
    """Draw a member's life to tick as the rulebook says; None where there is nothing to tick, or
    too much to draw.

    ``life``: whether each box is marked.
    """
    if book.life is None or not 0 < len(life) <= MOST_BOXES:
        return None
    row = book.characteristic[book.life]
    if row.kind == "track" and row.drawn == "barrel" and 1 < len(life) <= MOST_CHAMBERS:
        return barrel(life, label)
    return boxes(life, label)


def boxes(life: Sequence[bool], label: str, scale: float = 1) -> DrawnTrack:
    """Draw squares to tick off.

    ``life``: whether each square is marked; a marked one has a smaller one inside. ``scale``: their
    size, compared with the squares of life.
    """
    rows = -(-len(life) // BOXES_A_ROW)
    across, high = min(len(life), BOXES_A_ROW) * BOX - 0.4, rows * BOX - 0.4
    squares = ""
    for place, marked in enumerate(life):
        x, y = 1 + place % BOXES_A_ROW * 46, 1 + place // BOXES_A_ROW * 46
        squares += f"M{x} {y}h40v40h-40z"
        if marked:
            squares += f"M{x + 9} {y + 9}h22v22h-22z"
    drawing = format_html(
        '<svg viewBox="0 0 {0} {1}" width="{2}mm" height="{3}mm"><title>{5} {6}</title>'
        '<path d="{4}" fill="none" stroke="#000" stroke-width="3"/></svg>',
        round(across * 10),
        round(high * 10),
        round(across * scale, 1),
        round(high * scale, 1),
        squares,
        label,
        len(life),
    )
    return DrawnTrack(drawing, across * scale, high * scale)


def barrel(life: Sequence[bool], label: str, scale: float = 1) -> DrawnTrack:
    """Draw the chambers of a revolver to tick off, clockwise from the notch at the top.

    ``life``: whether each chamber is marked; a marked one has a ring inside. ``scale``: their size,
    compared with a gang's prints.
    """
    ring = _ring(len(life))
    across = 2 * (ring + CHAMBER + 0.7)
    middle = across / 2
    path = f"M{middle:.2f} .15v.9" + _circle(middle, middle, middle - 0.15)
    for place, marked in enumerate(life):
        angle = 2 * pi * (place + 0.5) / len(life)
        x, y = middle + ring * sin(angle), middle - ring * cos(angle)
        path += _circle(x, y, CHAMBER)
        if marked:
            path += _circle(x, y, CHAMBER * 0.6)
    drawing = format_html(
        '<svg viewBox="0 0 {0} {0}" width="{4}mm" height="{4}mm"><title>{2} {3}</title>'
        '<path d="{1}" fill="none" stroke="#000" stroke-width=".3"/></svg>',
        f"{across:.2f}",
        path,
        label,
        len(life),
        f"{across * scale:.2f}",
    )
    return DrawnTrack(drawing, across * scale, across * scale)


@dataclass(frozen=True)
class BoxRow:
    """Measures of boxes of experience, in millimetres: the size of a box, the distance from one to
    the next, the gap between two groups, and the distance between lines.
    """

    box: float
    step: float
    group: float
    row: float

    def a_line(self, each: int, room: float) -> int:
        """Return how many boxes fit one line, in at most ten groups of ``each``; a group that is
        wider than the line is broken."""
        groups = int((room + self.group) / (each * self.step + self.group))
        if groups < 1:
            return max(1, int((room + self.step - self.box) / self.step))
        return min(groups, MOST_GROUPS) * each

    def way_up(
        self, marks: Sequence[Mark], each: int, room: float, label: str, earned: int = 0
    ) -> DrawnTrack:
        """Draw boxes in groups of ``each``, no wider than ``room``. The first ``earned`` are full;
        a box with an advance has a heavy rim, one with a higher rank is a triangle.
        """
        a_row = self.a_line(each, room)
        paths = {"full": "", "thin": "", "thick": ""}
        for place, mark in enumerate(marks):
            row, column = divmod(place, a_row)
            x = column * self.step + column // each * self.group + 0.3
            y = row * self.row + 0.3
            shape = f"M{x:.2f} {y:.2f}h{self.box}v{self.box}h-{self.box}z"
            if mark == "rank":
                side, foot = self.box + 0.2, y + self.box + 0.1
                shape = f"M{x - 0.1:.2f} {foot:.2f}h{side:g}l-{side / 2:g}-{side:g}z"
            paths["thick" if mark else "thin"] += shape
            if place < earned:
                paths["full"] += shape
        across = min(len(marks), a_row)
        wide = across * self.step + (across - 1) // each * self.group + 0.4
        high = -(-len(marks) // a_row) * self.row - self.row + self.box + 0.6
        drawn = format_html_join(
            "", '<path d="{}"{}/>', ((path, PENS[pen]) for pen, path in paths.items() if path)
        )
        drawing = format_html(
            '<svg viewBox="0 0 {0} {1}" width="{0}mm" height="{1}mm"><title>{2}</title>{3}</svg>',
            f"{wide:.1f}",
            f"{high:.1f}",
            label,
            drawn,
        )
        return DrawnTrack(drawing, wide, high)


# Boxes to tick with a pencil, and boxes that are partly filled already.
WIDE, NARROW = BoxRow(4, 4.2, 0.8, 4.9), BoxRow(1.8, 2.3, 0.9, 3.0)
PENS = {
    "full": "",
    "thin": mark_safe(' fill="none" stroke="#000" stroke-width=".2"'),
    "thick": mark_safe(' fill="none" stroke="#000" stroke-width=".5"'),
}


def _ring(count: int) -> float:
    """Return the distance of the chambers from the middle at which they do not touch each other."""
    return max(1.9, (CHAMBER + 0.25) / sin(pi / count))


def _circle(x: float, y: float, r: float) -> str:
    half = f"a{r:.2f} {r:.2f} 0 1 0 "
    return f"M{x - r:.2f} {y:.2f}{half}{2 * r:.2f} 0{half}{-2 * r:.2f} 0z"
