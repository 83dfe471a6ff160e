"""The blank log of a gang's games: a strip for each of ten, with the steps that follow a game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from printing.paper import drawings
from printing.paper.orders import Order
from printing.sheets.written import ACROSS, Field, Listed, NamedText, Sheet, add_label, mm, sheet_of
from rules.book.model import Rules
from rules.book.season import Award
from rules.reference_pages.campaign import shares
from rules.reference_pages.words import BookWording
from typesetting.letters import LARGE
from typesetting.measuring import about_lines, lines_height

GAMES = 10
# Millimetres: around the contents of a strip, between two strips, and around the boxes of the
# steps.
INSIDE, BETWEEN, AROUND = 1.6, 1.4, 2.5
A_GROUP = 5
# Millimetres: a line for notes, the space above the first, and the width of a column of text.
# Points: its letters.
NOTE, ABOVE, COLUMN = 7.5, 24.0, 93.5
SIZE = 10.0


@dataclass(frozen=True)
class GameLog:
    """A log to fill in. ``pages``: the numbers of the games on each; ``lines``: the lines of one
    game, all ``line`` high; ``boxes``: one for each of the ``steps``, at the end of the last line;
    ``after``: a description of each step and of the gains of a game, above lines for ``notes``.
    """

    head: tuple[Field, ...]
    after: tuple[Listed, ...]
    notes: range
    note: str
    steps: tuple[str, ...]
    pages: tuple[range, ...]
    lines: tuple[tuple[Field, ...], ...]
    boxes: SafeString | str
    line: str
    high: str
    number: str


def game_log(words: BookWording, rules: Rules, order: Order) -> GameLog:
    """Return the log of a game, under its options."""
    sheet = sheet_of(order)
    steps = tuple(words.translated(row.name) for row in rules.steps)
    after = tuple(_after(words, rules)) if steps else ()
    number = sheet.across("10") + 2
    room = ACROSS - 2 * INSIDE - 0.6 - number
    boxes = drawings.WIDE.way_up([""] * len(steps), A_GROUP, room, f"{_('Steps')} {len(steps)}")
    last = room - boxes.across - AROUND - sheet.across(_("Steps")) if steps else room
    lines = [sheet.line(parts, room) for parts in _lines(words, rules)]
    lines.append(sheet.line(list(_sums(words, rules)), last))
    a_page = GAMES // 2 if sheet.large else GAMES
    heading = (16.0 if sheet.large else 14.0) + (8.5 if sheet.large else 7.0)
    if steps:
        listed = " · ".join(f"10 {step}" for step in steps)
        heading += sheet.text_high(_("Steps after a game:") + listed) + 1
    high = (sheet.high - heading) / a_page - BETWEEN
    return GameLog(
        head=sheet.line([(_("Gang"), 3), (_("Player"), 2), (_("Campaign"), 2)], ACROSS),
        after=after,
        notes=range(_free_lines(sheet, after)),
        note=mm(NOTE),
        steps=steps,
        pages=tuple(range(first, first + a_page) for first in range(1, GAMES + 1, a_page)),
        lines=tuple(lines),
        boxes=boxes.drawing if steps else "",
        line=mm((high - 1.2) / len(lines)),
        high=mm(high),
        number=mm(number),
    )


def _lines(words: BookWording, rules: Rules) -> Iterator[list[tuple[str, float]]]:
    """Yield the lines of a game: labels with their shares of the line."""
    book = words.book
    others = _("Together with") if book.who_plays.is_together else _("Opponent")
    yield [(_("Date"), 1), (others, 3), (_("Scenario"), 3), (_("Result"), 2)]
    ended = ", ".join(words.translated(row.name) for row in book.campaign.marks)
    line: list[tuple[str, float]] = [(ended or _("Out of action"), 4)]
    if rules.teaches:
        line.append((words.translated(book.experience_word), 3))
    else:
        line.append((_("Notes"), 3))
    yield line


def _sums(words: BookWording, rules: Rules) -> Iterator[tuple[str, float]]:
    """Yield the numbers counted after a game."""
    book = words.book
    if rules.pays:
        yield _("Treasury"), 1
        yield _("+ income"), 1
        yield _("− spent"), 1
        yield "=", 1
    if book.rating is not None:
        yield words.translated(book.rating.name), 1
    if book.campaign.points_name is not None:
        yield words.translated(book.campaign.points_name), 1
    if not rules.pays:
        yield _("Notes"), 6


def _after(words: BookWording, rules: Rules) -> Iterator[Listed]:
    """Yield the steps that follow a game, and its gains: money, points, experience."""
    book = words.book
    campaign = book.campaign
    steps = [
        NamedText(
            f"{number}\N{NO-BREAK SPACE}{words.translated(row.name)}.", words.translated(row.text)
        )
        for number, row in enumerate(rules.steps, start=1)
    ]
    yield Listed(_("Step by step"), tuple(steps), worded=True)
    yield Listed(_("Results"), tuple(_results(words, rules)), worded=True)
    points = words.translated(campaign.points_name)
    brought = []
    for row in rules.tallies:
        told = [words.money(row.money, row.currency)] if row.money else []
        told += [f"{row.points:+d}\N{NO-BREAK SPACE}{points}"] if row.points else []
        if told:
            brought.append(NamedText(words.translated(row.name), ", ".join(told)))
    if brought:
        yield Listed(_("Counted for the gang"), tuple(brought))
    awards = rules.awards
    if awards and rules.teaches:
        earned = (NamedText(_whose(words, row), f"{row.amount:+d}") for row in awards)
        yield Listed(words.translated(book.experience_word), tuple(earned))


def _free_lines(sheet: Sheet, lists: Sequence[Listed]) -> int:
    """Return how many lines for notes fit below two columns of ``lists``."""
    size = LARGE if sheet.large else SIZE
    lines = 0
    for one in lists:
        texts = [f"{entry.name} {entry.text} ·" for entry in one.entries]
        lines += 2
        for text in texts if one.worded else [" ".join(texts)]:
            lines += about_lines(text, size, COLUMN, "bold")
    taken = lines_height(ceil(lines / 2 + 1), size)
    return max(0, int((sheet.high - ABOVE - taken) / NOTE))


def _whose(words: BookWording, row: Award) -> str:
    name, whom = words.translated(row.name), words.whom(row.of)
    return f"{name} ({whom})" if whom else name


def _results(words: BookWording, rules: Rules) -> Iterator[NamedText]:
    """Yield the possible results of a game, and each side's gains."""
    book = words.book
    money = words.translated(book.money.unit) if book.money is not None else ""
    points = words.translated(book.campaign.points_name)
    for row in rules.results:
        told = [words.translated(row.text)]
        if row.winner or row.loser or row.each:
            told.append(add_label(money, f"{shares(row, row.winner, row.loser, row.each)}."))
        for reward in row.rewards:
            unit = words.translated(book.currency[reward.currency].unit)
            told.append(
                add_label(unit, f"{shares(row, reward.winner, reward.loser, reward.each)}.")
            )
        if any(row.points):
            told.append(add_label(points, f"{shares(row, *row.points)}."))
        yield NamedText(f"{words.translated(row.name)}.", " ".join(told))
