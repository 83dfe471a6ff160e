"""Boxes to tick at the table other than life: luck, being shaken, a weapon that jams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from gangs.cards.groups import GroupCard
from gangs.cards.values import mark_house
from gangs.engine.computed import ComputedGang
from printing.paper import drawings
from rules.book.model import Book
from rules.engine.evening import boxes
from rules.engine.figure import EVERYBODY
from typesetting.measuring import width

# The most boxes drawn: nobody shoots more weapons in a game.
MOST = drawings.BOXES_A_ROW
# Compared with the boxes of life.
SMALLER = 0.63
# Millimetres: a box with the space beside it, a line of boxes, and the space between two things to
# tick.
BOX, HIGH, BETWEEN = drawings.BOX * SMALLER, 3.6, 3.0
# A text longer than a line breaks at words: this many times its exact lines, rounded up, are
# enough.
SURELY = 1.25


@dataclass(frozen=True)
class Ticked:
    """Something to tick: its ``label``, and its number of ``boxes``."""

    label: str
    boxes: int

    @property
    def drawing(self) -> SafeString | str:
        """The boxes, in a row."""
        return drawings.boxes((False,) * self.boxes, self.label, SMALLER).drawing

    def across(self, size: float) -> float:
        """Return the width in millimetres, with its label ``size`` points high."""
        return width(f"{self.label} ", size) + self.boxes * BOX


def find_ticks(computed: ComputedGang, member: int, language: str) -> tuple[Ticked, ...]:
    """Return the things that this member ticks off, in the rulebook's order."""
    figure = computed.figures[member]
    return tuple(
        Ticked(mark_house(row.name.translated(language), row.is_house), min(number, MOST))
        for row, number in boxes(computed.rules, figure)
    )


def find_group_ticks(computed: ComputedGang, group: GroupCard, language: str) -> tuple[Ticked, ...]:
    """Return the things to tick on one card: for a group, the life of each member by name, and the
    other boxes of all of them together."""
    own = find_ticks(computed, group.member.id, language)
    if not group.names:
        return own
    life = min(max(1, len(group.card.life)), MOST)
    lives = (Ticked(name, life) for name in group.names)
    count = len(group.names)
    return (*lives, *(replace(tick, boxes=min(tick.boxes * count, MOST)) for tick in own))


def of_everybody(book: Book, language: str) -> tuple[Ticked, ...]:
    """Return the things to tick for a member who joins at the table."""
    rows = book.usual.ticks
    return tuple(
        Ticked(mark_house(row.name.translated(language), row.is_house), row.boxes)
        for row in rows
        if row.of == EVERYBODY and not row.items and not row.groups
    )


def lines(ticks: Sequence[Ticked], size: float, room: float) -> int:
    """Return the number of lines that the boxes take. Only a row longer than a line is broken."""
    taken, left = 0, 0.0
    for tick in ticks:
        needed = tick.across(size) + BETWEEN
        if needed > left:
            taken += ceil(needed / (room + BETWEEN) * SURELY) if needed > room + BETWEEN else 1
            left = room + BETWEEN
        left -= needed
    return taken


def markup(ticks: Sequence[Ticked]) -> SafeString:
    """Return all of them beside each other, for the press."""
    return format_html_join(
        " ", '<span class="tick">{} {}</span>', ((tick.label, tick.drawing) for tick in ticks)
    )
