"""Drawings on a gang's prints: experience, and QR codes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from django.utils.safestring import SafeString, mark_safe

from gangs.cards.values import Card, Stat
from printing.members.ladder import Ladder
from printing.paper.drawings import (
    MOST_BOXES,
    MOST_GROUPS,
    NARROW,
    NO_TRACK,
    DrawnTrack,
    Mark,
    life_track,
)
from rules.book.model import Book

# Full lines of boxes of experience; a ladder with more is a number to write.
MOST_LINES = 3
# Millimetres that this number takes.
NUMBER, NUMBER_HIGH = 16, 4


def find_untracked(book: Book, card: Card) -> tuple[Stat, ...]:
    """Return the characteristics to be set as values: all but the one that ``life_track`` draws."""
    tracked = 0 < len(card.life) <= MOST_BOXES
    return tuple(
        stat for stat in card.stats if not (tracked and stat.boxes and stat.key == book.life)
    )


def draw_life(
    book: Book, life: Sequence[bool], label: str, across: float = 16, high: float = 4
) -> DrawnTrack:
    """Return the life to tick, drawn as the rulebook says: NO_TRACK if there is none, and room
    ``across`` and ``high`` millimetres for a number if a drawing would be too large.
    """
    if not life:
        return NO_TRACK
    return life_track(book, life, label) or DrawnTrack(f"____ / {len(life)}", across, high)


def experience(ladder: Ladder, room: float, label: str) -> DrawnTrack:
    """Return the boxes of a ladder as one drawing no wider than ``room`` millimetres; room for a
    number if they are too many groups to count."""
    if ladder.end - ladder.start > MOST_LINES * MOST_GROUPS * ladder.step:
        return DrawnTrack(f"____ / {ladder.end}", NUMBER, NUMBER_HIGH)
    rises = {rung.at: rung.rises for rung in ladder.rungs}
    steps = range(ladder.start + 1, ladder.end + 1)
    marks: list[Mark] = [
        ("rank" if rises[at] else "advance") if at in rises else "" for at in steps
    ]
    return NARROW.way_up(marks, ladder.step, room, label, max(0, ladder.earned - ladder.start))


# A code takes 6 ms and 2 KB; addresses are as many as shared gangs, so only the last are kept.
@lru_cache(maxsize=64)
def qr_code(link: str, title: str) -> SafeString:
    """Return the link as a QR code: a drawing that does not contain the link as text."""
    import segno

    code = segno.make(link, error="m", micro=False)
    return mark_safe(code.svg_inline(border=0, omitsize=True, title=title))
