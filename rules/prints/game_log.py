"""The blank log of a gang's games: a strip for each of ten, with the steps that follow a game."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from printing.orders import Order
from rules.book.vocabulary import Settings
from rules.prints import drawings
from rules.prints.written import ACROSS, Field, mm, sheet_of
from rules.reference_pages.words import BookWording

GAMES = 10
# Millimetres: around what is in a strip, between two of them, and around the boxes of the steps.
INSIDE, BETWEEN, AROUND = 1.6, 1.4, 2.5
A_GROUP = 5


@dataclass(frozen=True)
class GameLog:
    """A log to fill in. ``pages``: the numbers of the games on each; ``games``: the lines of one,
    all ``line`` high; ``boxes``: one for each of the ``steps``, at the end of the last line."""

    head: tuple[Field, ...]
    steps: tuple[str, ...]
    pages: tuple[range, ...]
    lines: tuple[tuple[Field, ...], ...]
    boxes: SafeString | str
    line: str
    high: str
    number: str


def game_log(words: BookWording, settings: Settings, order: Order) -> GameLog:
    """The log of a game, by its options."""
    book, sheet = words.book, sheet_of(order)
    steps = tuple(
        words.translated(row.name) for row in book.in_force(book.campaign.steps, settings)
    )
    number = sheet.across("10") + 2
    room = ACROSS - 2 * INSIDE - 0.6 - number
    boxes = drawings.way_up([""] * len(steps), A_GROUP, room, _("Steps after the game"))
    last = room - boxes.across - AROUND - sheet.across(_("Steps")) if steps else room
    lines = [sheet.line(parts, room) for parts in _lines(words, settings)]
    lines.append(sheet.line(list(_sums(words, settings)), last))
    a_page = GAMES // 2 if sheet.large else GAMES
    heading = (16.0 if sheet.large else 14.0) + (8.5 if sheet.large else 7.0)
    if steps:
        listed = " · ".join(f"10 {step}" for step in steps)
        heading += sheet.text_high(_("Steps after a game:") + listed) + 1
    high = (sheet.high - heading) / a_page - BETWEEN
    return GameLog(
        head=sheet.line([(_("Gang"), 3), (_("Player"), 2), (_("Campaign"), 2)], ACROSS),
        steps=steps,
        pages=tuple(range(first, first + a_page) for first in range(1, GAMES + 1, a_page)),
        lines=tuple(lines),
        boxes=boxes.drawing if steps else "",
        line=mm((high - 1.2) / len(lines)),
        high=mm(high),
        number=mm(number),
    )


def _lines(words: BookWording, settings: Settings) -> Iterator[list[tuple[str, float]]]:
    """What is noted of a game: its labels with their shares of each line."""
    book = words.book
    yield [(_("Date"), 1), (_("Opponent"), 3), (_("Scenario"), 3), (_("Result"), 2)]
    ended = ", ".join(words.translated(row.name) for row in book.campaign.marks)
    line: list[tuple[str, float]] = [(ended or _("Out of action"), 4)]
    if book.teaches(settings):
        line.append((words.translated(book.experience_name), 3))
    else:
        line.append((_("Notes"), 3))
    yield line


def _sums(words: BookWording, settings: Settings) -> Iterator[tuple[str, float]]:
    """What is counted after a game."""
    book = words.book
    if book.pays(settings):
        yield _("Treasury"), 1
        yield _("+ income"), 1
        yield _("− spent"), 1
        yield "=", 1
    if book.rating is not None:
        yield words.translated(book.rating.name), 1
    if book.campaign.points_name is not None:
        yield words.translated(book.campaign.points_name), 1
    if not book.pays(settings):
        yield _("Notes"), 6
