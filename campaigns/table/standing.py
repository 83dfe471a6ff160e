"""The changing state of the table during a fold, and the changes at the start of a turn."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from uuid import UUID

from campaigns.table.alarms import Watch
from campaigns.table.state import (
    NOT_HERE,
    Departure,
    Due,
    FigureNow,
    FigureStart,
    FollowUp,
    SideMember,
    SideNow,
    Start,
    TableNow,
    counts_by,
    figure_names,
    find_sorts,
    holds,
    is_stopped,
    side_as_it_stands,
    side_names,
    track_names,
)
from campaigns.table.taps import TapKey
from rules.book.evening import Track
from rules.book.roll_effects import Lasting
from rules.engine.expressions import Value, parse


@dataclass(frozen=True, slots=True)
class Reading:
    """A figure as expressions and its side read it: its values, and ``counts`` as for
    ``SideMember``."""

    names: dict[str, Value]
    counts: frozenset[str]


@dataclass(slots=True)
class WorkingFigure:
    """A figure during a fold."""

    start: FigureStart
    tracks: dict[str, int]
    states: dict[str, Lasting] = field(default_factory=dict)
    item_states: dict[str, dict[str, Lasting]] = field(default_factory=dict)
    lost: dict[str, int] = field(default_factory=dict)
    lost_for_good: dict[str, int] = field(default_factory=dict)
    acts: set[UUID] = field(default_factory=set)
    out: Departure | None = None
    did: list[str] = field(default_factory=list)
    did_before: list[str] = field(default_factory=list)
    rolled: list[str] = field(default_factory=list)
    # ``standing()`` when the values were last read, and what was read.
    read: tuple[object, Reading | None] = ((), None)

    def copy(self) -> WorkingFigure:
        """Return a copy that may change."""
        return WorkingFigure(
            start=self.start,
            tracks=dict(self.tracks),
            states=dict(self.states),
            item_states={item: dict(states) for item, states in self.item_states.items()},
            lost=dict(self.lost),
            lost_for_good=dict(self.lost_for_good),
            acts=set(self.acts),
            out=self.out,
            did=list(self.did),
            did_before=list(self.did_before),
            rolled=list(self.rolled),
            read=self.read,
        )

    def standing(self) -> object:
        """Return everything that ``Folding.read`` depends on."""
        did = (tuple(self.did), tuple(self.did_before))
        return (*self.tracks.values(), *self.states, len(self.acts), self.out, did)

    def does(self, action: str) -> None:
        """Note one more action in this turn."""
        self.did.append(action)
        self.rolled.clear()

    def rest(self) -> None:
        """End the figure's turn: its actions become its last turn's actions."""
        if self.did:
            self.did_before, self.did = self.did, []
        self.rolled.clear()


class Unknown(LookupError):
    """Raised for a tap that names something that this table does not have."""


class Folding:
    """The table during a fold."""

    def __init__(self, start: Start) -> None:
        self.start = start
        self.book = start.book
        self.turn = 1
        self.phase: str | None = None
        self.over: str | None = None
        self.winner: int | None = None
        self.declined: frozenset[int] = frozenset()
        self.runner: int | None = None
        self.figures = {
            figure.key: WorkingFigure(
                figure,
                dict(figure.tracks),
                dict(figure.states),
                out=NOT_HERE if figure.waits else None,
            )
            for figure in start.figures
        }
        self.side_tracks = {number: dict(tracks) for number, tracks in start.sides.items()}
        self.side_states: dict[int, dict[str, Lasting]] = {number: {} for number in start.sides}
        self.tallies: dict[str, dict[str | int, int]] = {}
        self.unknown: set[TapKey] = set()
        self.dropped: dict[TapKey, dict[str, int]] = {}
        self.sorts = find_sorts(start.book)
        self.tracks = {row.key: row for row in start.rules.tracks}
        self.by_themselves = [row for row in start.book.states if row.given is not None]
        self.follow_ups: list[FollowUp] = []
        self.watch = Watch(start, self.members, self.sides_now)
        self.watch.look(self.turn, 0)

    def copy(self) -> Folding:
        """Return a copy to continue from; this one does not change any more."""
        other = copy(self)
        other.figures = {key: figure.copy() for key, figure in self.figures.items()}
        other.side_tracks = {number: dict(of) for number, of in self.side_tracks.items()}
        other.side_states = {number: dict(of) for number, of in self.side_states.items()}
        other.tallies = {tally: dict(counted) for tally, counted in self.tallies.items()}
        other.unknown = set(self.unknown)
        other.dropped = dict(self.dropped)
        other.follow_ups = list(self.follow_ups)
        other.watch = self.watch.copy(other.members, other.sides_now)
        return other

    @property
    def place(self) -> int:
        """The index of the phase; the phase of acting if nobody has begun one."""
        acting = self.book.acting_phase
        phase = self.phase or (acting.key if acting else None)
        return 0 if phase is None else [row.key for row in self.book.phases].index(phase)

    def reach(self, turn: int) -> None:
        """Begin turns up to this one: a tap in a turn means that it has begun."""
        while self.turn < turn:
            self._end_turn()

    def _end_turn(self) -> None:
        for figure in self.figures.values():
            figure.acts.clear()
            figure.rest()
        self._end_states({"turn", "activation"})
        self.turn += 1
        self.phase = None
        self.declined = frozenset()
        self._refill()
        if not any(phase.upkeep for phase in self.book.phases):
            self.upkeep()
        self.watch.look(self.turn, 0)

    def _refill(self) -> None:
        """Reset or refill the tracks that change with a new turn."""
        rows = [row for row in self.tracks.values() if row.each_turn != "kept"]
        if not rows:
            return
        sides = self.sides_now()
        for row in rows:
            if row.per == "side":
                for number, tracks in self.side_tracks.items():
                    if row.key in tracks:
                        _refill_track(row, tracks, self.names_of_side(sides, number))
            else:
                for figure in self.figures.values():
                    if row.key in figure.tracks:
                        _refill_track(row, figure.tracks, self.names_of_figure(figure, sides))

    def names_of_figure(
        self, figure: WorkingFigure, sides: Mapping[int, SideNow]
    ) -> Mapping[str, Value]:
        """Return all values of a figure that expressions may read."""
        return {**self.names_of_side(sides, figure.start.side), **self.read(figure).names}

    def names_of_side(self, sides: Mapping[int, SideNow], number: int) -> Mapping[str, Value]:
        """Return all values of a side that expressions may read."""
        return side_names(self.start.rules, sides, number, self.turn)

    def upkeep(self) -> None:
        """End the states that last until the next upkeep."""
        self._end_states({"next_upkeep"})

    def _end_states(self, lasting: set[str]) -> None:
        """End all states of these durations."""
        for figure in self.figures.values():
            end_states(figure.states, lasting)
            for states in figure.item_states.values():
                end_states(states, lasting)
        for states in self.side_states.values():
            end_states(states, lasting)

    def check(self, who: str | int) -> None:
        """Raise Unknown if this table does not have the figure or side."""
        if isinstance(who, str):
            self.figure(who)
        else:
            self.side(who, self.side_tracks)

    def check_roll(self, roll: str, who: str | int, at: str | int | None) -> None:
        """Raise Unknown if this table does not have the roll or the people."""
        self.check(who)
        if at is not None:
            self.check(at)
        if roll not in self.book.roll:
            raise Unknown(roll)

    def figure(self, key: str) -> WorkingFigure:
        """Return the figure with this key. Raises Unknown."""
        if key not in self.figures:
            raise Unknown(key)
        return self.figures[key]

    def side[T](self, number: int | None, of: Mapping[int, T]) -> T:
        """Return the value of a side in ``of``. Raises Unknown."""
        if number is None or number not in of:
            raise Unknown(str(number))
        return of[number]

    def now(self) -> TableNow:
        """Return the table as a value, without the questions."""
        return TableNow(
            turn=self.turn,
            phase=self.phase,
            figures={key: self.figure_now(figure) for key, figure in self.figures.items()},
            sides=self.sides_now(),
            tallies=self.tallies,
            due=self.due(),
            follow_ups=tuple(one for one in self.follow_ups if self._is_due(one)),
            unknown=frozenset(self.unknown),
            dropped=dict(self.dropped),
            over=self.over,
            winner=self.winner,
            declined=self.declined,
            runner=self.runner,
        )

    def due(self) -> tuple[Due, ...]:
        """Return the due alarms, except for figures that are out."""
        return tuple(due for due in self.watch.due if self.in_play(due.who))

    def _is_due(self, follow_up: FollowUp) -> bool:
        """Whether a roll that follows from another can be made now; its figure may be out."""
        return self.in_play(follow_up.who) or self.book.roll[follow_up.roll].when_out == "kept"

    def drop_tracks(self, figure: WorkingFigure, tap: TapKey) -> None:
        """Take the tracks from a figure that it loses when this tap puts it out of action."""
        lost = {}
        for row in self.tracks.values():
            left = figure.tracks.get(row.key, row.minimum) - row.minimum
            if row.when_out == "lost" and left > 0:
                figure.tracks[row.key] = row.minimum
                lost[row.key] = left
        if lost:
            self.dropped[tap] = lost

    def drop_rolls(self, figure: str) -> None:
        """Drop the rolls that a figure no longer makes once it is out."""
        self.follow_ups = [
            one
            for one in self.follow_ups
            if one.who != figure or self.book.roll[one.roll].when_out != "dropped"
        ]

    def in_play(self, who: str | int) -> bool:
        """Whether a figure is not out; sides are always in play."""
        return isinstance(who, int) or self.figures[who].out is None

    def sides_now(self) -> dict[int, SideNow]:
        """Return all sides as values."""
        return {number: self.side_now(number) for number in self.start.sides}

    def figure_now(self, figure: WorkingFigure) -> FigureNow:
        """Return a figure as a value."""
        states = {**self._by_themselves(figure), **figure.states}
        stopped = is_stopped(self.book, states)
        acted = len(figure.acts)
        return FigureNow(
            key=figure.start.key,
            side=figure.start.side,
            tracks=dict(figure.tracks),
            states=states,
            item_states={item: dict(of) for item, of in figure.item_states.items() if of},
            lost=dict(figure.lost),
            acted=acted,
            may_act=figure.out is None and not stopped and acted < figure.start.times,
            out=figure.out,
            lost_for_good=dict(figure.lost_for_good),
            did=tuple(figure.did),
            did_before=tuple(figure.did_before),
            rolled=tuple(figure.rolled),
        )

    def read(self, figure: WorkingFigure) -> Reading:
        """Return a figure's values. Computed again only after a change."""
        standing = figure.standing()
        before, found = figure.read
        if found is None or standing != before:
            now = self.figure_now(figure)
            names = figure_names(self.book, figure.start, now)
            found = Reading(names, counts_by(self.sorts, names))
            figure.read = standing, found
        return found

    def members(self) -> dict[str, tuple[int, dict[str, Value]]]:
        """Return the side and the values of each figure in play."""
        return {
            key: (figure.start.side, self.read(figure).names)
            for key, figure in self.figures.items()
            if figure.out is None
        }

    def _by_themselves(self, figure: WorkingFigure) -> dict[str, Lasting]:
        """Return the states that follow from a figure's tracks."""
        if not self.by_themselves:
            return {}
        names = track_names(self.book, figure.start, figure.tracks)
        return {
            row.key: row.lasts
            for row in self.by_themselves
            if row.given is not None and holds(row.given, names)
        }

    def _member(self, figure: WorkingFigure) -> SideMember:
        read = self.read(figure)
        return SideMember(figure.start, figure.out, read.counts)

    def side_now(self, number: int) -> SideNow:
        """Return a side as a value."""
        return side_as_it_stands(
            number,
            [self._member(one) for one in self.figures.values() if one.start.side == number],
            self.turn,
            self.sorts,
            dict(self.side_tracks[number]),
            dict(self.side_states[number]),
        )


def _refill_track(row: Track, tracks: dict[str, int], names: Mapping[str, Value]) -> None:
    """Reset or refill one track."""
    start = max(row.minimum, parse(row.start).number(names))
    tracks[row.key] = start if row.each_turn == "anew" else max(start, tracks[row.key])


def end_states(states: dict[str, Lasting], lasting: set[str]) -> None:
    """Remove the states of these durations."""
    for key in [key for key, until in states.items() if until in lasting]:
        del states[key]
