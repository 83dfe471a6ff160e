"""Drawings on a gang's prints: experience, QR codes, and those that blank forms have, too."""

from __future__ import annotations

from functools import cache

import segno
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from gangs.cards.values import Card, Stat
from gangs.prints.ladder import Ladder
from rules.book.model import Book
from rules.prints.drawings import (
    BOX,
    BOXES_A_ROW,
    MOST_BOXES,
    NO_TRACK,
    DrawnTrack,
    boxes,
    life_track,
)

__all__ = [
    "BOX",
    "BOXES_A_ROW",
    "NO_TRACK",
    "DrawnTrack",
    "boxes",
    "experience",
    "life_track",
    "qr_code",
    "untracked",
]

STEP, GROUP, TRACK_ROW = 2.3, 0.9, 3.0


def untracked(book: Book, card: Card) -> tuple[Stat, ...]:
    """The characteristics to be set as values: not the one that ``life_track`` draws."""
    tracked = 0 < len(card.life) <= MOST_BOXES
    return tuple(
        stat for stat in card.stats if not (tracked and stat.boxes and stat.key == book.life)
    )


def experience(ladder: Ladder, room: float, label: str) -> DrawnTrack:
    """The boxes of a ladder as one drawing no wider than ``room`` millimetres: those earned are
    full, one with an advance has a heavy rim, one with a promotion is a triangle."""
    heavy = {rung.at: rung.rises for rung in ladder.rungs}
    group = ladder.step * STEP + GROUP
    a_row = max(1, int((room + GROUP) / group)) * ladder.step
    paths = {"thin": "", "thick": "", "full": ""}
    count = ladder.end - ladder.start
    for place in range(count):
        at = ladder.start + place + 1
        row, column = divmod(place, a_row)
        x = column * STEP + column // ladder.step * GROUP + 0.25
        y = row * TRACK_ROW + 0.25
        shape = f"M{x:.2f} {y:.2f}h1.8v1.8h-1.8z"
        if heavy.get(at):
            shape = f"M{x - 0.1:.2f} {y + 1.85:.2f}h2l-1-2.05z"
        paths["thick" if at in heavy else "thin"] += shape
        if at <= ladder.earned:
            paths["full"] += shape
    across = min(count, a_row)
    wide = across * STEP + (across - 1) // ladder.step * GROUP + 0.2
    high = -(-count // a_row) * TRACK_ROW - 0.6
    full = format_html('<path d="{}"/>', paths["full"]) if paths["full"] else ""
    thick = (
        format_html('<path d="{}" fill="none" stroke="#000" stroke-width=".5"/>', paths["thick"])
        if paths["thick"]
        else ""
    )
    drawing = format_html(
        '<svg viewBox="0 0 {0} {1}" width="{0}mm" height="{1}mm"><title>{2}</title>'
        '{5}<path d="{3}" fill="none" stroke="#000" stroke-width=".2"/>{4}</svg>',
        f"{wide:.1f}",
        f"{high:.1f}",
        label,
        paths["thin"],
        thick,
        full,
    )
    return DrawnTrack(drawing, wide, high)


@cache
def qr_code(link: str, title: str) -> SafeString:
    """The link as a QR code: a drawing, with nothing of the link's own letters in it."""
    code = segno.make(link, error="m", micro=False)
    return mark_safe(code.svg_inline(border=0, omitsize=True, title=title))
