"""The story of a game: every tap in words, each to be taken back or put back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from campaigns.models import Table, TableSide
from campaigns.table import storage
from campaigns.table import taps as kinds
from campaigns.table.board import Board, Button, actors
from campaigns.table.folded import folded
from campaigns.table.names import names_of
from campaigns.table.order import in_order, struck
from campaigns.table.taps import Logged, TapKey
from campaigns.table.text import describe

# So many of the newest taps stand on the page itself; the story has all of them.
NEWEST = 12


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


def story(board: Board, most: int | None = None) -> list[StoryLine]:
    """What was told, the newest first; at ``most`` so many."""
    taps = in_order(board.log)
    gone = struck(taps)
    told = list(reversed(_worth_telling(taps)))[:most]
    people = actors(one.actor for one in told)
    return [_story_line(board, one, gone, people) for one in told]


def _worth_telling(taps: Sequence[Logged]) -> list[Logged]:
    """The taps without strikes, which show at what they strike, and without dice that lay until
    something was spent on them: what came of these is told."""
    settled = {one.act for one in taps if isinstance(one.tap, kinds.Rolled) and not one.tap.open}
    return [
        one
        for one in taps
        if not isinstance(one.tap, kinds.Struck)
        and not (isinstance(one.tap, kinds.Rolled) and one.tap.open and one.act in settled)
    ]


def _story_line(
    board: Board, logged: Logged, gone: Mapping[TapKey, TapKey], people: Mapping[int, str]
) -> StoryLine:
    strike = gone.get(logged.key)
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


def turns(board: Board) -> list[tuple[int, list[StoryLine]]]:
    """The whole story, turn by turn from the first."""
    lines: dict[int, list[StoryLine]] = {}
    for line in reversed(story(board)):
        lines.setdefault(line.turn, []).append(line)
    return sorted(lines.items())


def newest(board: Board) -> list[StoryLine]:
    """The end of the story."""
    return story(board, NEWEST)


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
