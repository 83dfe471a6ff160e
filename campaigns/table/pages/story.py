"""The story of a game: every act in words, with a button to undo or restore it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any
from uuid import UUID

from django.core.paginator import Page, Paginator
from django.utils.translation import gettext as _

from campaigns.models import Table, TableSide
from campaigns.table import asking
from campaigns.table import taps as kinds
from campaigns.table.board import Board, Button, actors
from campaigns.table.folded import fold_table
from campaigns.table.order import UNDOING, find_act
from campaigns.table.people import NAMED, name_everybody, people_of
from campaigns.table.taps import Logged, TapKey
from campaigns.table.text import describe, describe_about
from common.units import add_unit
from gangs.text.formats import localize

# The table's page shows this many of the newest acts without the faces of their dice, the first few
# without unfolding; the story shows all of them, in parts.
NEWEST = 12
UNFOLDED = 3
ON_A_PAGE = 200
# A phone can undo this many of its person's acts, one after the other, without an answer.
MOST_OWN = 8
# One press undoes this many acts that followed from one.
MOST_FOLLOWING = 100
# The result of a roll or an action does not list these again.
PLAIN = (kinds.Did, kinds.Acted, kinds.Dealt, kinds.Followed)
# The rank of a tap that does not name its act.
PLAIN_TAP = 9
Act = tuple[UUID, Sequence[Logged]]
# The figure or side, the item and the key of a state.
State = tuple[str | None, int | None, str | None, str]


@dataclass(frozen=True)
class StoryLine:
    """One act in words. ``text``: its dice, its action or its first tap; ``is_text_struck``: that
    does not count; ``results``: its other taps, each with whether it is struck; ``is_struck``:
    nothing of it counts; ``has_request``: somebody asks to undo it; ``is_unknown``: a part of it is
    about nothing at this table; ``change``: undoes or restores it, None if nobody may."""

    anchor: str
    act: UUID
    turn: int
    text: str
    is_text_struck: bool
    results: tuple[tuple[str, bool], ...]
    actor: str
    is_struck: bool
    has_request: bool
    is_unknown: bool
    change: Button | None


def newest(board: Board) -> list[StoryLine]:
    """Return the end of the story, the newest act first."""
    return _lines(board, list(islice(_worth_telling(board), NEWEST)), ActWords(board, faces=False))


def _lines(board: Board, told: Sequence[Act], words: ActWords) -> list[StoryLine]:
    changes = Changes(board)
    people = actors(taps[0].actor for _act, taps in told)
    return [_story_line(board, act, taps, words, changes, people) for act, taps in told]


def _worth_telling(board: Board) -> Iterator[Act]:
    """Yield the acts of the story, the newest first: without strikes, which show at their
    targets."""
    for act, taps in reversed(board.folded.acts.items()):
        told = [one for one in taps if not isinstance(one.tap, UNDOING)]
        if told:
            yield act, told


def _story_line(
    board: Board,
    act: UUID,
    taps: Sequence[Logged],
    words: ActWords,
    changes: Changes,
    people: Mapping[int, str],
) -> StoryLine:
    gone = board.folded.gone
    (text, text_struck), *results = words.describe(taps)
    return StoryLine(
        anchor=f"tap-{min(one.seq for one in taps)}",
        act=act,
        turn=taps[0].turn,
        text=text,
        is_text_struck=text_struck,
        results=tuple(results),
        actor=people.get(taps[0].actor or 0, ""),
        is_struck=all(one.key in gone for one in taps),
        has_request=act in changes.asked,
        is_unknown=any(one.key in board.now.unknown for one in taps),
        change=changes.button(act, taps),
    )


def told_alarms(board: Board) -> dict[int, list[str]]:
    """Return by turn the sentences of alarms that are only told: players have nothing to do."""
    found: dict[int, list[str]] = {}
    for due in board.now.due:
        row = board.book.alarm[due.alarm]
        if row.told:
            values = {"who": board.names.who(due.who), "what": localize(row.name)}
            found.setdefault(due.turn, []).append(_("%(who)s: %(what)s") % values)
    return found


class ActWords:
    """The words for acts. ``faces``: with the faces of their dice, and with the points that their
    actions cost."""

    def __init__(self, board: Board, *, faces: bool = True) -> None:
        self.board, self.faces = board, faces

    @cached_property
    def begun(self) -> set[State]:
        """Every state that a tap began: rules also end states that nobody is in, which is no
        news."""
        log = self.board.log
        return {_of_state(one.tap) for one in log if isinstance(one.tap, kinds.Began)}

    def describe(self, taps: Sequence[Logged]) -> list[tuple[str, bool]]:
        """Return the sentence of an act, then its results, each with whether it is struck."""
        names, gone = self.board.names, self.board.folded.gone
        shown = [*_without_open_dice(taps)]
        head = min(shown, key=lambda one: _importance(one.tap))
        tap, rest = head.tap, [one for one in shown if one is not head]
        about = _subject(tap)
        if _importance(tap) < PLAIN_TAP:
            rest = [one for one in rest if not isinstance(one.tap, PLAIN) and self._is_news(one)]
        numbers = self._numbers(tap)
        if isinstance(tap, kinds.Rolled) and not self.faces:
            tap = tap.model_copy(update={"faces": ()})
        told = [(head.key, text) for text in (describe(tap, names), *numbers, *self._drops(head))]
        for one in rest:
            texts = (describe_about(one.tap, names, about), *self._drops(one))
            told += [(one.key, text) for text in texts]
        return [(text, key in gone) for key, text in told]

    def in_short(self, taps: Sequence[Logged]) -> str:
        """Return the sentence of an act."""
        return self.describe(taps)[0][0]

    def _is_news(self, one: Logged) -> bool:
        match one.tap:
            case kinds.Ended():
                return _of_state(one.tap) in self.begun
            case kinds.Counted(track=track, by=by) if by < 0 and not self.faces:
                activation = self.board.book.activation
                return activation is None or track != activation.track
        return True

    def _drops(self, one: Logged) -> Iterator[str]:
        """Yield what a figure lost of its tracks when a tap put it out."""
        for track, number in self.board.now.dropped.get(one.key, {}).items():
            values = {"what": self.board.names.track(track), "number": number}
            yield _("drops %(what)s: %(number)s") % values

    def _numbers(self, tap: kinds.Tap) -> Iterator[str]:
        if not isinstance(tap, kinds.Rolled) or tap.open:
            return
        row = self.board.book.roll.get(tap.roll)
        for number in row.numbers if row is not None else ():
            value = tap.numbers.get(number.of)
            if value:
                amount = add_unit(str(value), localize(number.unit or ""))
                yield f"{localize(number.name)} {amount}"


def _of_state(tap: kinds.Began | kinds.Ended) -> State:
    return tap.figure, tap.side, tap.item, tap.state


def _without_open_dice(taps: Sequence[Logged]) -> Iterator[Logged]:
    """Yield the taps of an act, of its dice only those that count, or the last ones."""
    rolls = [one for one in taps if isinstance(one.tap, kinds.Rolled)]
    settled = [one for one in rolls if isinstance(one.tap, kinds.Rolled) and not one.tap.open]
    shown = {one.key for one in (settled or rolls[-1:])}
    for one in taps:
        if not isinstance(one.tap, kinds.Rolled) or one.key in shown:
            yield one


def _importance(tap: kinds.Tap) -> int:
    """Return the rank of a tap in its act: dice name the act, or else its action."""
    match tap:
        case kinds.Rolled():
            return 0
        case kinds.Did():
            return 1
        case kinds.Acted() if tap.action is not None:
            return 1
    return PLAIN_TAP


def _subject(tap: kinds.Tap) -> str | int | None:
    """Return the figure or side that the results of a tap are about."""
    if isinstance(tap, kinds.Rolled):
        return tap.by if tap.at is None else tap.at
    figure = getattr(tap, "figure", None)
    return figure if figure is not None else getattr(tap, "side", None)


class Changes:
    """The buttons that undo or restore acts. ``asked``: acts that somebody asks to undo or
    restore."""

    def __init__(self, board: Board) -> None:
        self.board, self.folded = board, board.folded
        by_key = board.folded.by_key
        logged = (by_key.get(key) for one in board.now.asked for key in one.taps)
        self.asked = {find_act(one, by_key) for one in logged if one is not None}
        self.stand = asking.dice_stand(board.seat)

    def may_change(self, act: UUID) -> bool:
        """Whether people may undo or restore an act, and nobody is asked about it yet."""
        return act not in self.folded.thrown or not (self.stand or act in self.asked)

    def button(self, act: UUID, taps: Iterable[Logged]) -> Button | None:
        """The button that undoes or restores an act; None if nobody may, or somebody is asked."""
        if not self.may_change(act):
            return None
        of_site = act in self.folded.thrown
        strikes = self.folded.strikes.get(act, ())
        if strikes and all(one.key in self.folded.gone for one in taps):
            words = _("Restore this roll") if of_site else _("Restore it")
            return Button.of(words, *map(self.board.strike, self.find_strikes(act, strikes)))
        undone = [act, *self.find_following(act)]
        words = _("Undo this roll") if of_site else _("Undo this")
        if len(undone) > 1:
            words = _("Undo this and what followed")
        return Button.of(words, *(kinds.Undone(act=one) for one in undone))

    def find_following(self, act: UUID) -> list[UUID]:
        """Return the acts to which an act led, that count, and that people may undo with it."""
        found = dict.fromkeys(
            one.act for one in self.folded.following.of(act) if one.key not in self.folded.gone
        )
        return [one for one in found if self.may_change(one)][:MOST_FOLLOWING]

    def find_strikes(self, act: UUID, strikes: Sequence[TapKey]) -> list[TapKey]:
        """Return strikes of an act, with those by which the same press undid what followed."""
        presses = {self.folded.by_key[key].act for key in strikes}
        acts = dict.fromkeys(one.act for one in self.folded.following.of(act))
        more = (key for one in acts for key in self.folded.strikes.get(one, ()))
        return [*strikes, *(key for key in more if self.folded.by_key[key].act in presses)]


def list_own(board: Board) -> list[dict[str, Any]]:
    """Return the newest acts of the reader that count, the last one first, for the button that
    undoes the last act; ``led``: the acts to undo with each. Forms write acts under another device
    than the phone's, and a person may have two phones."""
    if not board.seat.taps:
        return []
    gone, words, changes = board.folded.gone, ActWords(board, faces=False), Changes(board)
    own = (
        {
            "act": str(act),
            "at": taps[0].at,
            "told": words.in_short(taps),
            "led": [*map(str, changes.find_following(act))],
        }
        for act, taps in _worth_telling(board)
        if asking.is_own(board.seat, taps[0])
        and changes.may_change(act)
        and any(one.key not in gone for one in taps)
    )
    return [*islice(own, MOST_OWN)]


@dataclass(frozen=True)
class Part:
    """A part of the story, turn by turn, each with its alarms that are only told. ``page``: its
    place among the parts."""

    page: Page[Act]
    turns: list[tuple[int, list[StoryLine], list[str]]]


def part(board: Board, number: str | None) -> Part:
    """Return one part of the story, the last one by default."""
    told = list(_worth_telling(board))[::-1]
    parts = Paginator(told, ON_A_PAGE, orphans=ON_A_PAGE // 4)
    page = parts.get_page(number or parts.num_pages)
    lines: dict[int, list[StoryLine]] = {}
    for line in _lines(board, list(page), ActWords(board)):
        lines.setdefault(line.turn, []).append(line)
    told_in = told_alarms(board)
    return Part(page, [(turn, lines[turn], told_in.get(turn, [])) for turn in sorted(lines)])


def brief(table: Table) -> list[tuple[int, list[str]]]:
    """Return the turns of a game, each with the figures that went out in it, the first one first.
    At most two queries, more for the first time in a process."""
    found = fold_table(table)
    now = found.now
    rows = TableSide.objects.filter(table=table.pk).select_related("gang__owner").only(*NAMED)
    names = name_everybody(found.start.book, people_of(table), rows)
    told: dict[int, list[str]] = {turn: [] for turn in range(1, now.turn + 1)}
    for key in found.fallen:
        if (left := now.figures[key].out) is not None:
            out = kinds.Out(figure=key, by=left.by, mark=left.mark, unhurt=left.unhurt)
            told[left.turn].append(describe(out, names))
    return sorted(told.items())
