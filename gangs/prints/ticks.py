"""What is ticked off at the table besides life: luck, being shaken, a weapon that jams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from gangs.cards.values import mark_house
from gangs.engine.computed import ComputedGang
from printing.typesetting.measuring import width
from rules.book.model import Book
from rules.engine.evening import boxes
from rules.engine.figure import EVERYBODY
from rules.prints import drawings

# More boxes than these are not drawn: nobody shoots that many weapons in a game.
MOST = drawings.BOXES_A_ROW
# Compared with the boxes of life.
SMALLER = 0.63
# Millimetres: a box with what is beside it, a line of boxes, and what parts two of them.
BOX, HIGH, BETWEEN = drawings.BOX * SMALLER, 3.6, 3.0
# What is longer than a line breaks at words: so many times as many lines, rounded up, are enough.
SURELY = 1.25


@dataclass(frozen=True)
class Ticked:
    """Something to tick: its ``label``, and how many ``boxes`` there are for it."""

    label: str
    boxes: int

    @property
    def drawing(self) -> SafeString | str:
        """Its boxes, in a row."""
        return drawings.boxes((False,) * self.boxes, self.label, SMALLER).drawing

    def across(self, size: float) -> float:
        """How wide it is with its label ``size`` points high, in millimetres."""
        return width(f"{self.label} ", size) + self.boxes * BOX


def find_ticks(computed: ComputedGang, member: int, language: str) -> tuple[Ticked, ...]:
    """What this member ticks off, in the rulebook's order."""
    figure = computed.figures[member]
    return tuple(
        Ticked(mark_house(row.name.translated(language), row.is_house), min(number, MOST))
        for row, number in boxes(computed.rules, figure)
    )


def of_everybody(book: Book, language: str) -> tuple[Ticked, ...]:
    """What whoever joins at the table will tick off."""
    rows = book.usual.ticks
    return tuple(
        Ticked(mark_house(row.name.translated(language), row.is_house), row.boxes)
        for row in rows
        if row.of == EVERYBODY and not row.items and not row.groups
    )


def lines(ticks: Sequence[Ticked], size: float, room: float) -> int:
    """How many lines they take, none of them broken in two that is not longer than a line."""
    taken, left = 0, 0.0
    for tick in ticks:
        needed = tick.across(size) + BETWEEN
        if needed > left:
            taken += ceil(needed / (room + BETWEEN) * SURELY) if needed > room + BETWEEN else 1
            left = room + BETWEEN
        left -= needed
    return taken


def markup(ticks: Sequence[Ticked]) -> SafeString:
    """All of them beside each other, for the press."""
    return format_html_join(
        " ", '<span class="tick">{} {}</span>', ((tick.label, tick.drawing) for tick in ticks)
    )
