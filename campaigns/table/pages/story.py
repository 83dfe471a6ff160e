"""The story of a game: every tap in words, each to be taken back or put back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils.translation import gettext as _

from campaigns.models import Table, TableSide
from campaigns.table import asking, storage
from campaigns.table import taps as kinds
from campaigns.table.board import Board, Button, actors
from campaigns.table.folded import folded
from campaigns.table.names import names_of
from campaigns.table.order import in_order, struck, thrown_acts
from campaigns.table.taps import Logged, TapKey
from campaigns.table.text import describe

# So many of the newest taps stand on the page itself; the story has all of them.
NEWEST = 12


@dataclass(frozen=True)
class StoryLine:
    """One tap in words. ``struck``: it does not count; ``asked``: somebody asks to undo it;
    ``unknown``: it speaks of what is not at this table; ``change``: takes it back, or puts it back,
    None where nobody may."""

    anchor: str
    turn: int
    text: str
    actor: str
    struck: bool
    asked: bool
    unknown: bool
    change: Button | None


def story(board: Board, most: int | None = None) -> list[StoryLine]:
    """What was told, the newest first; at ``most`` so many."""
    taps = in_order(board.log)
    changes = _Changes(board, taps)
    told = list(reversed(_worth_telling(taps)))[:most]
    people = actors(one.actor for one in told)
    return [_story_line(board, one, changes, people) for one in told]


def _worth_telling(taps: Sequence[Logged]) -> list[Logged]:
    """The taps without strikes and their answers, which show at what they strike, and without dice
    that lay until something was spent on them: the story has what these brought."""
    settled = {one.act for one in taps if isinstance(one.tap, kinds.Rolled) and not one.tap.open}
    return [
        one
        for one in taps
        if not isinstance(one.tap, kinds.Struck | kinds.UndoAnswered)
        and not (isinstance(one.tap, kinds.Rolled) and one.tap.open and one.act in settled)
    ]


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
    """How each tap of a log is taken back or put back. Dice of the application are one act with
    all that they brought: ``asked``: taps of those that somebody asks to undo."""

    def __init__(self, board: Board, taps: Sequence[Logged]) -> None:
        self.board = board
        self.gone: Mapping[TapKey, TapKey] = struck(taps)
        self.asked = {key for one in board.now.asked for key in one.strikes.values()}
        self.stand = asking.dice_stand(board.seat)
        self.thrown = thrown_acts(taps)
        self.acts: dict[UUID, list[TapKey]] = {}
        for one in taps:
            if one.act in self.thrown and not isinstance(one.tap, kinds.Struck):
                self.acts.setdefault(one.act, []).append(one.key)

    def button(self, logged: Logged) -> Button | None:
        """The button that undoes or restores a tap; None if nobody may, or somebody is asked."""
        strike = self.gone.get(logged.key)
        if logged.act not in self.thrown:
            words = _("Restore it") if strike else _("Undo this")
            return Button.of(words, self.board.strike(strike or logged.key))
        if self.stand or logged.key in self.asked:
            return None
        if strike:
            strikes = {self.gone[key] for key in self.acts[logged.act] if key in self.gone}
            return Button.of(_("Restore this roll"), *map(self.board.strike, sorted(strikes)))
        counting = [key for key in self.acts[logged.act] if key not in self.gone]
        return Button.of(_("Undo this roll"), *map(self.board.strike, counting))


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
