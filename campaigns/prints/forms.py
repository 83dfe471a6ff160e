"""The report of a game on paper: exactly what the page that takes it will ask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from campaigns.engine.report import marks
from campaigns.games.report_forms import ReportForms
from campaigns.games.side_form import SideForm
from campaigns.models import Game, Side
from campaigns.text import side_names
from gangs.text.formats import shown_name, spoken

# Lines to write on.
BY_HAND = 4


@dataclass(frozen=True)
class FormLine:
    """A member: whether they are expected to play, as the crew was picked."""

    name: str
    expected: bool


@dataclass(frozen=True)
class SideSheet:
    """What is asked of one gang. ``marks``: the ways to end a game; ``counts``: what is counted of
    each member; ``asked``: what is asked of the gang as a whole."""

    name: str
    lines: tuple[FormLine, ...]
    marks: tuple[str, ...]
    counts: tuple[str, ...]
    asked: tuple[str, ...]
    away: tuple[str, ...]


@dataclass(frozen=True)
class FormPage:
    """The report: ``results`` are the ways the game can end; ``winners``: who may have won."""

    results: tuple[str, ...]
    winners: tuple[str, ...]
    sides: tuple[SideSheet, ...]
    lines: range = range(BY_HAND)

    @property
    def is_dense(self) -> bool:
        """Whether it takes smaller lines to be on a page."""
        return sum(ceil(len(side.lines) + len(side.asked) / 2) + 4 for side in self.sides) > 30


def form_page(game: Game, sides: Sequence[Side]) -> FormPage:
    """The report of a game, blank. It is made of the very forms that ask for it."""
    forms = ReportForms(game, sides)
    return FormPage(
        results=tuple(spoken(row.name) for row in forms.result.rows.values()),
        winners=tuple(side_names(sides).values()),
        sides=tuple(_side(form) for form in forms.side_forms),
    )


def _side(form: SideForm) -> SideSheet:
    ways = marks(form.book, form.settings).values()
    return SideSheet(
        name=form.name,
        lines=tuple(
            FormLine(shown_name(form.book, member), member.id in form.expected)
            for member in form.members
        ),
        marks=tuple(spoken(row.name) for row in ways),
        counts=tuple(form.counts.values()),
        asked=tuple(str(field.label) for field in form.gang_fields()),
        away=tuple(shown_name(form.book, member) for member in form.away),
    )
