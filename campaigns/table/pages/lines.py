"""Sides and figures as the table's page shows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from campaigns.engine.credits import find_counted_sorts
from campaigns.engine.report import tallies
from campaigns.table import taps as kinds
from campaigns.table.board import Board, Button
from campaigns.table.report import mark_of
from campaigns.table.state import NOT_HERE, FigureNow, are_friends, holds
from gangs.pictures.faces import letters
from gangs.text.formats import localize
from rules.book.roll_effects import Lasting
from rules.book.rolls import State
from rules.book.season import Mark, Tally
from rules.engine.evening import played_in
from rules.engine.figure import picks

# A track of at most this size is also drawn as boxes.
MOST_BOXES = 12


@dataclass(frozen=True)
class TrackLine:
    """A track or a tally. ``by``: the step of its buttons; ``left``, ``gone``: the numbers of empty
    and ticked boxes."""

    key: str
    name: str
    sign: str
    now: int
    start: int
    less: Button
    more: Button
    by: int = 1

    @property
    def step(self) -> str:
        """The number on its buttons; "" for steps of one."""
        return str(self.by) if self.by > 1 else ""

    @property
    def left(self) -> int:
        """The number of boxes that are not ticked off, 0 if there are too many to draw."""
        return max(0, min(self.now, self.start)) if self.start <= MOST_BOXES else 0

    @property
    def gone(self) -> int:
        """The number of boxes that are ticked off, 0 if there are too many to draw."""
        return self.start - self.left if self.start <= MOST_BOXES else 0


@dataclass(frozen=True)
class StateLine:
    """A state that a figure or side is in (``is_on``), or can be. ``begin`` and ``end``: None if
    the state follows from tracks."""

    key: str
    name: str
    is_on: bool
    begin: Button | None
    end: Button | None


@dataclass(frozen=True)
class Opponent:
    """A figure that may have put another out. ``late``: its key if it is hidden until it arrives,
    else ""."""

    out: Button
    late: str = ""
    is_away: bool = False


@dataclass(frozen=True)
class FigureLine:
    """A figure. ``tracks``: life first; ``states``: current and possible ones; ``out``: its
    departure in words; ``out_by``: the figures that may have put it out; ``left``:
    leaving the table unhurt, None if a mark says it; ``marks``: buttons for other ways to end the
    game; ``behaves``: the roll that says what a non-player does, "" for none; ``may_stay_away``: it
    is hidden until it arrives.

    The line contains everything that taps may show or hide, visible or not.
    """

    key: str
    name: str
    rank: str
    leads: bool
    portrait: str
    now: FigureNow
    times: int
    out: str
    tracks: tuple[TrackLine, ...]
    states: tuple[StateLine, ...]
    tallies: tuple[TrackLine, ...]
    acted: Button
    back: Button
    out_plain: Button
    out_by: tuple[Opponent, ...]
    left: Button | None
    marks: tuple[Button, ...]
    behaves: str = ""
    may_stay_away: bool = False

    @property
    def anchor(self) -> str:
        """The element's id on the page."""
        return anchor(self.key)

    @property
    def is_away(self) -> bool:
        """Whether it has not arrived yet."""
        return self.now.out == NOT_HERE

    @property
    def initials(self) -> str:
        """The first letters of the name."""
        return letters(self.name)


@dataclass(frozen=True)
class SideLine:
    """A side with its figures. ``mine``: the reader plays it; ``is_run``: its
    players decide who runs it, as ``Running``; ``decline``: it spends nothing on
    dice in this turn, ``ask_again`` takes that back, None for sides that the reader does not play
    or that have nothing to spend; ``has_declined``: it spends nothing now."""

    number: int
    name: str
    mine: bool
    standing: int
    start: int
    tracks: tuple[TrackLine, ...]
    states: tuple[StateLine, ...]
    tallies: tuple[TrackLine, ...]
    figures: tuple[FigureLine, ...]
    is_run: bool = False
    has_declined: bool = False
    decline: Button | None = None
    ask_again: Button | None = None


def anchor(figure: str) -> str:
    """Return the id of a figure's element on the page."""
    return f"figure-{figure.replace('.', '-')}"


def sides(board: Board) -> list[SideLine]:
    """Return every side, the reader's own first."""
    return [_side(board, number) for number in board.numbers]


def _side(board: Board, number: int) -> SideLine:
    now, start = board.now.sides[number], board.start.sides[number]
    decline, ask_again = None, None
    payers = [one for one in board.mine or board.start.sides if _may_spend(board, one)]
    if number in payers:
        words = _("Spend nothing this turn")
        if len(payers) > 1:
            words = f"{words} \u00b7 {board.names.sides[number]}"
        decline = Button.of(words, kinds.Declined(side=number))
        ask_again = Button.of(_("Ask me again"), kinds.Declined(side=number, holds=False))
    return SideLine(
        number=number,
        name=board.names.sides[number],
        mine=number in board.mine and (number != kinds.NONPLAYERS or bool(board.runners)),
        standing=now.standing,
        start=now.start,
        tracks=tuple(
            _track(board, key, now.tracks[key], begun, side=number) for key, begun in start.items()
        ),
        states=_states(board, "side", number, now.states),
        tallies=_tallies(board, number),
        figures=tuple(figure(board, one.key) for one in board.start.figures if one.side == number),
        is_run=number == kinds.NONPLAYERS,
        has_declined=number in board.now.declined,
        decline=decline,
        ask_again=ask_again,
    )


def _may_spend(board: Board, number: int) -> bool:
    """Whether the rules let a figure of this side spend something on dice."""
    tracks = {key for one in board.start.figures if one.side == number for key in one.tracks}
    return any(row.track is None or row.track in tracks for row in board.rules.spends)


@dataclass(frozen=True)
class Running:
    """The players who run the non-players. ``by``: the names of their sides, "" if anybody may;
    ``change``: the reader takes them over, or no longer runs them; None for readers who play no
    side, or are the only player."""

    by: str
    change: Button | None = None


def running(board: Board) -> Running | None:
    """Return the players who run the non-players; None if there is nothing to say: there are none,
    or only one player."""
    if kinds.NONPLAYERS not in board.now.sides:
        return None
    by = ", ".join(board.names.sides[number] for number in sorted(board.runners))
    if len(board.gangs) == 1 and not by:
        return None
    own = [number for number in board.gangs if number in board.mine]
    if not own or len(board.gangs) == len(own) or not board.seat.taps:
        return Running(by)
    if board.now.runner in own:
        words = _("I no longer run them")
        return Running(by, Button.of(words, kinds.Runs(side=board.now.runner, holds=False)))
    return Running(by, Button.of(_("I run them"), kinds.Runs(side=own[0])))


def figure(board: Board, key: str) -> FigureLine:
    """Return one figure."""
    now, begun, names = board.now.figures[key], board.figures[key], board.names
    return FigureLine(
        key=key,
        name=names.below_side(key),
        rank=names.rank(key),
        leads=begun.leads,
        portrait=board.portraits.get(key, ""),
        now=now,
        times=begun.times,
        out=_out(board, now),
        tracks=tuple(
            _track(board, track, now.tracks[track], start, figure=key)
            for track, start in begun.tracks.items()
        ),
        states=_states(board, "figure", key, now.states),
        tallies=_tallies(board, key),
        acted=Button.of(_("Acted"), kinds.Acted(figure=key)),
        back=Button.of(
            _("Bring into play") if begun.waits else _("Back in the game"), kinds.Back(figure=key)
        ),
        behaves=(row.behaves or "") if (row := names.people[key].row) else "",
        may_stay_away=begun.may_stay_away,
        out_plain=Button.of(_("Nobody, or not known"), kinds.Out(figure=key)),
        out_by=tuple(
            Opponent(
                Button.of(names.figures[other.key], kinds.Out(figure=key, by=other.key)),
                late=other.key if other.may_stay_away else "",
                is_away=board.now.figures[other.key].out == NOT_HERE,
            )
            for other in board.start.figures
            if not are_friends(board.book, other.side, begun.side)
        ),
        left=_left(board, key),
        marks=_marks(board, key),
    )


def _out(board: Board, now: FigureNow) -> str:
    """Return a figure's departure in words, "" if it is in play."""
    if now.out is None:
        return ""
    if now.out == NOT_HERE:
        return _("Not here yet")
    mark = mark_of(board.start, now)
    plain = _("Left the table unhurt") if now.out.unhurt else _("Out")
    values = {
        "turn": now.out.turn,
        "how": board.names.mark(mark) if mark else plain,
        "by": board.names.who(now.out.by) if now.out.by else "",
    }
    if now.out.by:
        return _("%(how)s, turn %(turn)s, by %(by)s") % values
    return _("%(how)s, turn %(turn)s") % values


def _left(board: Board, key: str) -> Button | None:
    """Return the button by which a figure leaves the table unhurt, None if a mark says so."""
    if any(row.stands for row in _possible_marks(board, key)):
        return None
    return Button.of(_("Left the table unhurt"), kinds.Out(figure=key, unhurt=True))


def _marks(board: Board, key: str) -> tuple[Button, ...]:
    """Return buttons for a figure's ways to end the game, if there are several."""
    rows = _possible_marks(board, key)
    if len(rows) < 2:
        return ()
    return tuple(
        Button.of(localize(row.name), kinds.Out(figure=key, mark=row.key, unhurt=row.stands))
        for row in rows
    )


def _possible_marks(board: Board, key: str) -> list[Mark]:
    fighter = board.names.people[key].fighter
    return [row for row in board.rules.marks if picks(fighter.book, row.of, fighter.figure)]


def _track(
    board: Board,
    key: str,
    now: int,
    start: int,
    *,
    figure: str | None = None,
    side: int | None = None,
) -> TrackLine:
    def change(by: int) -> Button:
        return Button.of("", kinds.Counted(figure=figure, side=side, track=key, by=by))

    names = board.names
    return TrackLine(
        key, names.track(key), names.track_sign(key), now, start, change(-1), change(1)
    )


def _states(
    board: Board, of: str, who: str | int, now: Mapping[str, Lasting]
) -> tuple[StateLine, ...]:
    """Return the possible states, in the rulebook's order, and other current ones."""
    rows = played_in(board.start.scenario, board.rules.states)
    keys = [row.key for row in rows if row.of == of and _is_possible(board, row, who)]
    keys += [key for key in now if key not in keys]
    return tuple(_state(board, key, who, on=key in now) for key in keys)


def _is_possible(board: Board, row: State, who: str | int) -> bool:
    """Whether a figure can be in a state, as it entered the game."""
    if row.usable is None or not isinstance(who, str):
        return True
    return holds(row.usable, board.figures[who].names)


def _state(board: Board, key: str, who: str | int, *, on: bool) -> StateLine:
    figure, side = (who, None) if isinstance(who, str) else (None, who)
    name = board.names.state(key)
    if board.book.state[key].given is not None:
        return StateLine(key, name, on, None, None)
    begin = Button.of(name, kinds.Began(figure=figure, side=side, state=key))
    return StateLine(
        key, name, on, begin, Button.of(name, kinds.Ended(figure=figure, side=side, state=key))
    )


def _tallies(board: Board, who: str | int) -> tuple[TrackLine, ...]:
    """Return the tallies for the report that do not follow from departures."""
    rules, scenario = board.rules, board.table.scenario
    number = board.figures[who].side if isinstance(who, str) else who
    if number == kinds.NONPLAYERS:
        # No report counts anything for them.
        return ()
    if isinstance(who, str):
        person, sorts = board.names.people[who], find_counted_sorts(rules)
        fighter = person.fighter
        rows = [
            row
            for row in tallies(rules, "member", scenario)
            if row.key not in sorts and picks(fighter.book, row.whose, fighter.figure)
        ]
    else:
        rows = [row for row in tallies(rules, "gang", scenario) if not row.marks]
    figure, side = (who, None) if isinstance(who, str) else (None, who)
    lines = []
    for row in rows:
        now = board.now.tallies.get(row.key, {}).get(who, 0)
        lines.append(tally_line(row, now, figure, side))
    return tuple(lines)


def tally_line(row: Tally, now: int, figure: str | None, side: int | None) -> TrackLine:
    """Return a tally of a figure or a side, with buttons that move it by its step."""
    less, more = (
        Button.of("", kinds.Tallied(figure=figure, side=side, tally=row.key, by=by))
        for by in (-row.by, row.by)
    )
    name = localize(row.name)
    return TrackLine(row.key, name, name, now, now, less, more, row.by)
