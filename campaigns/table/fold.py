"""A log of taps folded into the table as it stands.

Pure, and blind to the order of arrival: taps are taken in the order of ``Logged.place``. Nothing is
refused: what speaks of nobody at this table changes nothing and is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from functools import singledispatchmethod
from uuid import UUID

from campaigns.engine.report import MOST_TURNS
from campaigns.table import taps as kinds
from campaigns.table.alarms import Watch
from campaigns.table.expression_names import (
    counted_names,
    counts_by,
    figure_names,
    holds,
    side_as_it_stands,
    side_names,
    sorts_asked,
)
from campaigns.table.order import in_order, is_open, requests, struck
from campaigns.table.questions import contested, late, questions
from campaigns.table.state import (
    Asked,
    Departure,
    Due,
    FigureNow,
    FigureStart,
    FollowUp,
    SideNow,
    Start,
    TableNow,
)
from campaigns.table.taps import Logged, Tap, TapKey
from rules.book.evening import Track
from rules.book.rolls import Lasting
from rules.bounds.limits import TABLE_WORK, TAP_WORK
from rules.bounds.work import Exhausted, limited, uncounted
from rules.engine.expressions import Value, read


def fold(start: Start, log: Iterable[Logged]) -> TableNow:
    """The table after all taps of ``log``, whatever the order they are given in."""
    taps = in_order(log)
    with table_work(len(taps)):
        asked = requests(taps)
        gone = struck(taps, asked)
        folding = Folding(start)
        for logged in taps:
            if logged.key not in gone:
                folding.take(logged)
        return table_now(folding, taps, {logged.key: logged for logged in taps}, gone, asked)


@contextmanager
def table_work(taps: int) -> Iterator[None]:
    """Bound the work of folding so many taps: of a long evening more may be worked out than of a
    page. Raises Exhausted inside."""
    with uncounted(), limited(TABLE_WORK + TAP_WORK * taps, Exhausted):
        yield


def table_now(
    folding: Folding,
    taps: Sequence[Logged],
    by_key: Mapping[TapKey, Logged],
    gone: Mapping[TapKey, TapKey],
    asked: Sequence[Asked],
) -> TableNow:
    """The table as a value. ``taps``: all of them in order, of which ``folding`` has taken those
    that are not ``gone``; ``by_key``: the same by key; ``asked``: the requests among them."""
    counting = [logged for logged in taps if logged.key not in gone] if gone else taps
    return TableNow(
        turn=folding.turn,
        phase=folding.phase,
        figures=folding.figures_now(),
        sides=folding.sides_now(),
        tallies=folding.tallies,
        due=folding.due(),
        follow_ups=tuple(one for one in folding.follow_ups if folding.in_play(one.who)),
        questions=questions(counting),
        contested=contested(counting, by_key, gone, asked),
        late=late(counting),
        struck=frozenset(gone),
        asked=tuple(one for one in asked if is_open(one, gone)),
        unknown=frozenset(folding.unknown),
        over=folding.over,
        winner=folding.winner,
    )


@dataclass
class _Figure:
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
    # What was read of it when it stood so, and by which questions it counted.
    read: tuple[object, dict[str, Value], frozenset[str]] = ((), {}, frozenset())

    def copy(self) -> _Figure:
        """The same, to be changed."""
        return _Figure(
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
        """Everything that what is read of it hangs on."""
        did = (tuple(self.did), tuple(self.did_before))
        return (*self.tracks.values(), *self.states, len(self.acts), self.out, did)

    def does(self, action: str) -> None:
        """One more action in this turn."""
        self.did.append(action)
        self.rolled.clear()

    def rest(self) -> None:
        """The turn is over: what it has done is what it did last."""
        if self.did:
            self.did_before, self.did = self.did, []
        self.rolled.clear()


class Unknown(LookupError):
    """A tap speaks of what this table does not have."""


class Folding:
    """The table while it is folded."""

    def __init__(self, start: Start) -> None:
        self.start = start
        self.book = start.book
        self.turn = 1
        self.phase: str | None = None
        self.over: str | None = None
        self.winner: int | None = None
        self.figures = {
            figure.key: _Figure(figure, dict(figure.tracks)) for figure in start.figures
        }
        self.side_tracks = {number: dict(tracks) for number, tracks in start.sides.items()}
        self.side_states: dict[int, dict[str, Lasting]] = {number: {} for number in start.sides}
        self.tallies: dict[str, dict[str | int, int]] = {}
        self.unknown: set[TapKey] = set()
        self.sorts = sorts_asked(start.book)
        self.tracks = {row.key: row for row in start.rules.tracks}
        self.by_themselves = [row for row in start.book.states if row.given is not None]
        self.follow_ups: list[FollowUp] = []
        self.watch = Watch(start, self.members, self.sides_now)
        self.watch.look(self.turn, 0)

    def copy(self) -> Folding:
        """The same, to go on from; this one stays as it is."""
        other = copy(self)
        other.figures = {key: figure.copy() for key, figure in self.figures.items()}
        other.side_tracks = {number: dict(of) for number, of in self.side_tracks.items()}
        other.side_states = {number: dict(of) for number, of in self.side_states.items()}
        other.tallies = {tally: dict(counted) for tally, counted in self.tallies.items()}
        other.unknown = set(self.unknown)
        other.follow_ups = list(self.follow_ups)
        other.watch = self.watch.copy(other.members, other.sides_now)
        return other

    def take(self, logged: Logged) -> None:
        """One more tap."""
        self.reach(logged.turn)
        try:
            touched = self.apply(logged.tap, logged)
        except Unknown:
            self.unknown.add(logged.key)
            return
        if touched:
            self.watch.look(self.turn, self.place)

    @property
    def place(self) -> int:
        """Which phase it is; that of acting as long as nobody says."""
        acting = self.book.acting_phase
        phase = self.phase or (acting.key if acting else None)
        return 0 if phase is None else [row.key for row in self.book.phases].index(phase)

    def reach(self, turn: int) -> None:
        """Turns begin, up to this one: whoever taps in a turn says that it has begun."""
        while self.turn < turn:
            self._end_turn()

    def _end_turn(self) -> None:
        for figure in self.figures.values():
            figure.acts.clear()
            figure.rest()
            _over(figure.states, {"turn", "activation"})
            for states in figure.item_states.values():
                _over(states, {"turn", "activation"})
        for states in self.side_states.values():
            _over(states, {"turn", "activation"})
        self.turn += 1
        self.phase = None
        self._refill()
        if not any(phase.upkeep for phase in self.book.phases):
            self._upkeep()
        self.watch.look(self.turn, 0)

    def _refill(self) -> None:
        """What a new turn makes of what is counted."""
        rows = [row for row in self.tracks.values() if row.each_turn != "kept"]
        if not rows:
            return
        sides = self.sides_now()
        for row in rows:
            if row.per == "side":
                for number, tracks in self.side_tracks.items():
                    if row.key in tracks:
                        _begin(row, tracks, self._shared(sides, number))
            else:
                for figure in self.figures.values():
                    if row.key in figure.tracks:
                        _begin(row, figure.tracks, self._names(figure, sides))

    def _names(self, figure: _Figure, sides: Mapping[int, SideNow]) -> Mapping[str, Value]:
        """Everything that expressions may read of a figure."""
        return {**self._shared(sides, figure.start.side), **self.read(figure)[0]}

    def _shared(self, sides: Mapping[int, SideNow], number: int) -> Mapping[str, Value]:
        """Everything that expressions may read of a side."""
        return side_names(sides, number, self.turn, self.start.settings)

    def _upkeep(self) -> None:
        """States that last until the next upkeep end."""
        for figure in self.figures.values():
            _over(figure.states, {"next_upkeep"})
            for states in figure.item_states.values():
                _over(states, {"next_upkeep"})
        for states in self.side_states.values():
            _over(states, {"next_upkeep"})

    # How each kind of tap changes the table; whether something may have fallen due.

    @singledispatchmethod
    def apply(self, tap: Tap, logged: Logged) -> bool:
        """Change the table as the tap says. Raises Unknown."""
        raise TypeError(type(tap))

    @apply.register
    def _(self, tap: kinds.Counted, logged: Logged) -> bool:
        self._change(tap, lambda before: before + tap.by)
        return True

    @apply.register
    def _(self, tap: kinds.SetTo, logged: Logged) -> bool:
        self._change(tap, lambda before: tap.to)
        return True

    def _change(self, tap: kinds.Counted | kinds.SetTo, change: Callable[[int], int]) -> None:
        key = tap.counter
        if tap.figure is not None:
            tracks = self._figure(tap.figure).tracks
        else:
            tracks = self._side(tap.side, self.side_tracks)
        if key not in tracks:
            raise Unknown(key)
        now = change(tracks[key])
        row = self.tracks.get(tap.track)
        if row is not None:
            now = self._within(row, tap, now)
        elif key != self.book.life:
            # Life may fall below nothing; what else is counted may not.
            now = max(0, now)
        tracks[key] = now

    def _within(self, row: Track, tap: kinds.Counted | kinds.SetTo, number: int) -> int:
        """A number between the least and the most that the rulebook says."""
        if row.maximum is not None:
            sides = self.sides_now()
            if tap.figure is not None:
                names = self._names(self._figure(tap.figure), sides)
            else:
                assert tap.side is not None
                names = self._shared(sides, tap.side)
            number = min(number, read(row.maximum).number(names))
        return max(row.minimum, number)

    @apply.register
    def _(self, tap: kinds.Began, logged: Logged) -> bool:
        row = self.book.state.get(tap.state)
        if row is None:
            raise Unknown(tap.state)
        self._states(tap)[tap.state] = tap.until or row.lasts
        return True

    @apply.register
    def _(self, tap: kinds.Ended, logged: Logged) -> bool:
        self._states(tap).pop(tap.state, None)
        return True

    def _states(self, tap: kinds.Began | kinds.Ended) -> dict[str, Lasting]:
        if tap.figure is None:
            return self._side(tap.side, self.side_states)
        figure = self._figure(tap.figure)
        if tap.item is None:
            return figure.states
        return figure.item_states.setdefault(tap.item, {})

    @apply.register
    def _(self, tap: kinds.Out, logged: Logged) -> bool:
        figure = self._figure(tap.figure)
        by = tap.by if tap.by in self.figures else None
        if figure.out is None:
            figure.out = Departure(self.turn, by, tap.mark, tap.unhurt)
        else:
            # Said twice, it is once: whoever knows more says by whom and how. Who is hit again
            # while they lie there may end worse, but went out by the first hand.
            before = figure.out
            mark = tap.mark or before.mark
            unhurt = before.unhurt and tap.unhurt
            figure.out = Departure(before.turn, before.by or by, mark, unhurt)
        return True

    @apply.register
    def _(self, tap: kinds.Back, logged: Logged) -> bool:
        self._figure(tap.figure).out = None
        return True

    @apply.register
    def _(self, tap: kinds.Acted, logged: Logged) -> bool:
        if tap.action is not None:
            self._does(tap.figure, tap.action)
        for figure in self._acting_with(self._figure(tap.figure)):
            if len(figure.acts) < figure.start.times:
                figure.acts.add(logged.act)
            _over(figure.states, {"activation"})
        return False

    def _acting_with(self, figure: _Figure) -> list[_Figure]:
        """A figure, and those of its squad where squads act together."""
        activation, squad = self.book.activation, figure.start.squad
        if activation is None or not activation.squads or not squad:
            return [figure]
        of_squad = (figure.start.side, squad)
        return [
            one
            for one in self.figures.values()
            if (one.start.side, one.start.squad) == of_squad and (one is figure or one.out is None)
        ]

    @apply.register
    def _(self, tap: kinds.Did, logged: Logged) -> bool:
        self._does(tap.figure, tap.action)
        return False

    def _does(self, figure: str, action: str) -> None:
        doing = self._figure(figure)
        if action not in self.book.action:
            raise Unknown(action)
        doing.does(action)

    @apply.register
    def _(self, tap: kinds.LostWeapon, logged: Logged) -> bool:
        figure = self._figure(tap.figure)
        for lost in (figure.lost, figure.lost_for_good) if tap.lasting else (figure.lost,):
            lost[tap.item] = lost.get(tap.item, 0) + 1
        return False

    @apply.register
    def _(self, tap: kinds.PhaseBegan, logged: Logged) -> bool:
        places = [row.key for row in self.book.phases]
        if tap.phase not in places:
            raise Unknown(tap.phase)
        now = places.index(tap.phase)
        before = -1 if self.phase is None else places.index(self.phase)
        if now <= before:
            # Two phones say the same, or one is behind.
            return False
        self.phase = tap.phase
        if any(row.upkeep for row in self.book.phases[max(before, 0) : now]):
            self._upkeep()
        return True

    @apply.register
    def _(self, tap: kinds.TurnEnded, logged: Logged) -> bool:
        if logged.turn < MOST_TURNS:
            self.reach(logged.turn + 1)
        return False

    @apply.register
    def _(self, tap: kinds.Tallied, logged: Logged) -> bool:
        who: str | int = tap.figure if tap.figure is not None else tap.side or 0
        self._known(who)
        if tap.tally not in self.book.campaign.tally:
            raise Unknown(tap.tally)
        counted = self.tallies.setdefault(tap.tally, {})
        counted[who] = max(0, counted.get(who, 0) + tap.by)
        return False

    @apply.register
    def _(self, tap: kinds.Dealt, logged: Logged) -> bool:
        self._known(tap.who)
        if tap.alarm is not None:
            self.watch.deal(tap.alarm, tap.who)
        for one in self.follow_ups:
            if (one.roll, one.who) == (tap.roll, tap.who):
                self.follow_ups.remove(one)
                break
        return False

    @apply.register
    def _(self, tap: kinds.Followed, logged: Logged) -> bool:
        self._known_roll(tap.roll, tap.who, tap.at)
        if not self._asked_by_alarm(tap):
            more = tap.model_dump(exclude={"kind"})
            self.follow_ups.append(FollowUp(turn=self.turn, act=logged.act, **more))
        return False

    def _asked_by_alarm(self, tap: kinds.Followed) -> bool:
        """Whether an alarm of this turn asks for the same roll: of whoever is to throw it, or of
        those of the side. What dice brought may be what the alarm waited for, and falls due once.
        """
        return any(
            due.turn == self.turn
            and self.book.alarm[due.alarm].roll == tap.roll
            and tap.who in (due.who, self._side_of(due.who))
            for due in self.due()
        )

    def _side_of(self, who: str | int) -> int:
        return who if isinstance(who, int) else self.figures[who].start.side

    @apply.register
    def _(self, tap: kinds.Rolled, logged: Logged) -> bool:
        # What dice brought is said by the taps of the same act.
        self._known_roll(tap.roll, tap.by, tap.at)
        if isinstance(tap.by, str):
            self._figure(tap.by).rolled.append(tap.roll)
        return False

    @apply.register
    def _(self, tap: kinds.GameEnded, logged: Logged) -> bool:
        if tap.winner is not None and tap.winner not in self.start.sides:
            raise Unknown(str(tap.winner))
        if tap.result is not None and tap.result not in self.book.campaign.result:
            raise Unknown(tap.result)
        if tap.result is not None:
            # Who corrects the result says all of it anew.
            self.over, self.winner = tap.result, tap.winner
        self.over = self.over or ""
        return False

    @apply.register(kinds.Said)
    @apply.register(kinds.Struck)
    @apply.register(kinds.UndoAnswered)
    @apply.register(kinds.Settled)
    def _(self, tap: Tap, logged: Logged) -> bool:
        # These are looked at elsewhere.
        return False

    def _known(self, who: str | int) -> None:
        if isinstance(who, str):
            self._figure(who)
        else:
            self._side(who, self.side_tracks)

    def _known_roll(self, roll: str, who: str | int, at: str | int | None) -> None:
        self._known(who)
        if at is not None:
            self._known(at)
        if roll not in self.book.roll:
            raise Unknown(roll)

    def _figure(self, key: str) -> _Figure:
        if key not in self.figures:
            raise Unknown(key)
        return self.figures[key]

    def _side[T](self, number: int | None, of: Mapping[int, T]) -> T:
        if number is None or number not in of:
            raise Unknown(str(number))
        return of[number]

    def due(self) -> tuple[Due, ...]:
        """What is still to be dealt with: nothing of figures that are out."""
        return tuple(due for due in self.watch.due if self.in_play(due.who))

    def in_play(self, who: str | int) -> bool:
        """Whether a figure is not out; a side always is in play."""
        return isinstance(who, int) or self.figures[who].out is None

    def figures_now(self) -> dict[str, FigureNow]:
        """All figures as values."""
        return {key: self.figure_now(figure) for key, figure in self.figures.items()}

    def sides_now(self) -> dict[int, SideNow]:
        """All sides as values."""
        return {number: self.side_now(number) for number in self.start.sides}

    def figure_now(self, figure: _Figure) -> FigureNow:
        """A figure as a value."""
        states = {**self._by_themselves(figure), **figure.states}
        stopped = any(self.book.state[key].stops for key in states)
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

    def read(self, figure: _Figure) -> tuple[dict[str, Value], frozenset[str]]:
        """What is read of a figure, and by which questions it counts: worked out when it was
        touched."""
        standing = figure.standing()
        before, names, counts = figure.read
        if standing != before:
            names = figure_names(self.book, figure.start, self.figure_now(figure))
            counts = counts_by(self.sorts, names)
            figure.read = standing, names, counts
        return names, counts

    def members(self) -> dict[str, tuple[int, dict[str, Value]]]:
        """The side of each figure in play, and what is read of it."""
        return {
            key: (figure.start.side, self.read(figure)[0])
            for key, figure in self.figures.items()
            if figure.out is None
        }

    def _by_themselves(self, figure: _Figure) -> dict[str, Lasting]:
        """The states that a figure is in because of what is counted of it."""
        if not self.by_themselves:
            return {}
        names = counted_names(self.book, figure.start, figure.tracks)
        return {
            row.key: row.lasts
            for row in self.by_themselves
            if row.given is not None and holds(row.given, names)
        }

    def side_now(self, number: int) -> SideNow:
        """A side as a value."""
        return side_as_it_stands(
            number,
            [
                (one.start, one.out, self.read(one)[1])
                for one in self.figures.values()
                if one.start.side == number
            ],
            self.turn,
            self.sorts,
            dict(self.side_tracks[number]),
            dict(self.side_states[number]),
        )


def _begin(row: Track, tracks: dict[str, int], names: Mapping[str, Value]) -> None:
    """What a new turn makes of one number."""
    start = max(row.minimum, read(row.start).number(names))
    tracks[row.key] = start if row.each_turn == "anew" else max(start, tracks[row.key])


def _over(states: dict[str, Lasting], lasting: set[str]) -> None:
    for key in [key for key, until in states.items() if until in lasting]:
        del states[key]
