"""The story of a game: every tap in words, each to be taken back or put back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from uuid import UUID

from django.core.paginator import Page, Paginator
from django.utils.translation import gettext as _

from campaigns.models import Table, TableSide
from campaigns.table import storage
from campaigns.table import taps as kinds
from campaigns.table.board import Board, Button, actors
from campaigns.table.folded import folded
from campaigns.table.names import names_of
from campaigns.table.taps import Logged
from campaigns.table.text import describe

# The table's page shows this many of the newest taps; the story shows all of them, in parts.
NEWEST = 12
ON_A_PAGE = 200


@dataclass(frozen=True)
class StoryLine:
    """One tap in words. ``struck``: it does not count; ``unknown``: it speaks of what is not at
    this table; ``change``: takes it back, or puts it back."""

    anchor: str
    turn: int
    text: str
    actor: str
    struck: bool
    unknown: bool
    change: Button


def newest(board: Board) -> list[StoryLine]:
    """The end of the story, the newest first."""
    return _lines(board, list(islice(_worth_telling(board.taps), NEWEST)))


def _lines(board: Board, told: Sequence[Logged]) -> list[StoryLine]:
    people = actors(one.actor for one in told)
    return [_story_line(board, one, people) for one in told]


def _worth_telling(taps: Sequence[Logged]) -> Iterator[Logged]:
    """The taps, the newest first, without strikes, which show at their targets, and without dice
    that lay until something was spent on them: their results follow in a later tap."""
    settled: set[UUID] | None = None
    for one in reversed(taps):
        if isinstance(one.tap, kinds.Rolled) and one.tap.open:
            if settled is None:
                rolled = ((each.act, each.tap) for each in taps)
                settled = {
                    act for act, tap in rolled if isinstance(tap, kinds.Rolled) and not tap.open
                }
            if one.act in settled:
                continue
        if not isinstance(one.tap, kinds.Struck):
            yield one


def _story_line(board: Board, logged: Logged, people: Mapping[int, str]) -> StoryLine:
    strike = board.gone.get(logged.key)
    words = _("Restore it") if strike else _("Undo this")
    return StoryLine(
        anchor=f"tap-{logged.seq}",
        turn=logged.turn,
        text=describe(logged.tap, board.names),
        actor=people.get(logged.actor or 0, ""),
        struck=strike is not None,
        unknown=logged.key in board.now.unknown,
        change=Button.of(words, board.strike(strike or logged.key)),
    )


@dataclass(frozen=True)
class Part:
    """A part of the story, turn by turn. ``page``: which of how many."""

    page: Page[Logged]
    turns: list[tuple[int, list[StoryLine]]]


def part(board: Board, number: str | None) -> Part:
    """One part of the story, the last one unless another is asked for."""
    told = list(_worth_telling(board.taps))[::-1]
    parts = Paginator(told, ON_A_PAGE, orphans=ON_A_PAGE // 4)
    page = parts.get_page(number or parts.num_pages)
    lines: dict[int, list[StoryLine]] = {}
    for line in _lines(board, list(page)):
        lines.setdefault(line.turn, []).append(line)
    return Part(page, sorted(lines.items()))


def brief(table: Table) -> list[tuple[int, list[str]]]:
    """The turns of a game, each with who went out in it. Two queries at most, more the first time
    in a process."""
    found = folded(table)
    now = found.now
    sides = dict(TableSide.objects.filter(table=table.pk).values_list("number", "name"))
    names = names_of(found.start.book, storage.people_of(table), sides)
    told: dict[int, list[str]] = {turn: [] for turn in range(1, now.turn + 1)}
    for key, figure in now.figures.items():
        if figure.out is not None:
            out = kinds.Out(figure=key, by=figure.out.by, mark=figure.out.mark)
            told[figure.out.turn].append(describe(out, names))
    return sorted(told.items())
