"""The story of a game: every tap in words, with buttons to undo or restore it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from uuid import UUID

from django.core.paginator import Page, Paginator
from django.utils.translation import gettext as _

from campaigns.models import Table, TableSide
from campaigns.table import asking
from campaigns.table import taps as kinds
from campaigns.table.board import Board, Button, actors
from campaigns.table.folded import fold_table
from campaigns.table.people import name_everybody, people_of
from campaigns.table.taps import Logged, TapKey
from campaigns.table.text import describe

# The table's page shows this many of the newest taps; the story shows all of them, in parts.
NEWEST = 12
ON_A_PAGE = 200


@dataclass(frozen=True)
class StoryLine:
    """One tap in words. ``struck``: it does not count; ``asked``: somebody asks to undo it;
    ``unknown``: it is about nothing at this table; ``change``: undoes or restores it, None if
    nobody may."""

    anchor: str
    turn: int
    text: str
    actor: str
    struck: bool
    asked: bool
    unknown: bool
    change: Button | None


def newest(board: Board) -> list[StoryLine]:
    """Return the end of the story, the newest tap first."""
    return _lines(board, list(islice(_worth_telling(board.folded.taps), NEWEST)))


def _lines(board: Board, told: Sequence[Logged]) -> list[StoryLine]:
    changes = _Changes(board, told)
    people = actors(one.actor for one in told)
    return [_story_line(board, one, changes, people) for one in told]


def _worth_telling(taps: Sequence[Logged]) -> Iterator[Logged]:
    """Yield the taps of the story, the newest first: without strikes and answers, which show at
    their targets, and without open dice that have a result."""
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
        if not isinstance(one.tap, kinds.Struck | kinds.UndoAnswered):
            yield one


def _story_line(
    board: Board, logged: Logged, changes: _Changes, people: Mapping[int, str]
) -> StoryLine:
    return StoryLine(
        anchor=f"tap-{logged.seq}",
        turn=logged.turn,
        text=describe(logged.tap, board.names),
        actor=people.get(logged.actor or 0, ""),
        struck=logged.key in changes.gone,
        asked=logged.key in changes.asked,
        unknown=logged.key in board.now.unknown,
        change=changes.button(logged),
    )


class _Changes:
    """The buttons that undo or restore the taps ``told``. Dice of the application are undone with
    all taps of their act. ``asked``: taps that somebody asks to undo."""

    def __init__(self, board: Board, told: Iterable[Logged]) -> None:
        self.board, self.gone = board, board.folded.gone
        self.asked = {key for one in board.now.asked for key in one.strikes.values()}
        self.stand = asking.dice_stand(board.seat)
        self.acts: dict[UUID, list[TapKey]] = {
            one.act: [] for one in told if one.act in board.folded.thrown
        }
        for one in board.folded.taps if self.acts else ():
            if one.act in self.acts and not isinstance(one.tap, kinds.Struck):
                self.acts[one.act].append(one.key)

    def button(self, logged: Logged) -> Button | None:
        """The button that undoes or restores a tap; None if nobody may, or somebody is asked."""
        strike = self.gone.get(logged.key)
        if logged.act not in self.acts:
            words = _("Restore it") if strike else _("Undo this")
            return Button.of(words, self.board.strike(strike or logged.key))
        if self.stand or logged.key in self.asked:
            return None
        if strike:
            strikes = {self.gone[key] for key in self.acts[logged.act] if key in self.gone}
            return Button.of(_("Restore this roll"), *map(self.board.strike, sorted(strikes)))
        counting = [key for key in self.acts[logged.act] if key not in self.gone]
        return Button.of(_("Undo this roll"), *map(self.board.strike, counting))


@dataclass(frozen=True)
class Part:
    """A part of the story, turn by turn. ``page``: its place among the parts."""

    page: Page[Logged]
    turns: list[tuple[int, list[StoryLine]]]


def part(board: Board, number: str | None) -> Part:
    """Return one part of the story, the last one by default."""
    told = list(_worth_telling(board.folded.taps))[::-1]
    parts = Paginator(told, ON_A_PAGE, orphans=ON_A_PAGE // 4)
    page = parts.get_page(number or parts.num_pages)
    lines: dict[int, list[StoryLine]] = {}
    for line in _lines(board, list(page)):
        lines.setdefault(line.turn, []).append(line)
    return Part(page, sorted(lines.items()))


def brief(table: Table) -> list[tuple[int, list[str]]]:
    """Return the turns of a game, each with the figures that went out in it. At most two queries,
    more for the first time in a process."""
    found = fold_table(table)
    now = found.now
    sides = dict(TableSide.objects.filter(table=table.pk).values_list("number", "name"))
    names = name_everybody(found.start.book, people_of(table), sides)
    told: dict[int, list[str]] = {turn: [] for turn in range(1, now.turn + 1)}
    for key, figure in now.figures.items():
        if figure.out is not None:
            left = figure.out
            out = kinds.Out(figure=key, by=left.by, mark=left.mark, unhurt=left.unhurt)
            told[left.turn].append(describe(out, names))
    return sorted(told.items())
