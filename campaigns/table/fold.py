"""The fold of a log of taps into the state of the table, from its beginning or from a known state.

Pure, and independent of the order of arrival: taps are applied in the order of ``Logged.place``.
The fold refuses nothing: taps about nobody at this table change nothing and are listed.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, singledispatch
from typing import Any
from uuid import UUID

from campaigns.engine.report import MOST_TURNS
from campaigns.table import taps as kinds
from campaigns.table.order import (
    UNDOING,
    Node,
    acts_by_site,
    find_requests,
    find_struck,
    in_order,
    is_open,
    target_of,
)
from campaigns.table.questions import (
    ANSWERS,
    Following,
    find_contested,
    find_doubles,
    find_late,
)
from campaigns.table.standing import Folding, Unknown, WorkingFigure, end_states
from campaigns.table.state import NOT_HERE, Asked, Departure, FollowUp, Start, TableNow
from campaigns.table.taps import Logged, Rolled, Tap, TapKey, UndoAnswered
from rules.book.evening import Track
from rules.book.roll_effects import Lasting
from rules.bounds.limits import TABLE_WORK, TAP_WORK
from rules.bounds.work import Exhausted, ignore_work, limit_work
from rules.engine.expressions import parse

# States are kept at every FAR-th tap, and at every NEAR-th of the last END: a phone that is a
# little behind, or an undo, goes back to one of them.
FAR, NEAR, END = 256, 16, 64
# Up to this number of new taps, each is inserted in its place; more are sorted with the others.
FEW = 32


def fold(start: Start, log: Iterable[Logged]) -> TableNow:
    """Return the table after all taps of ``log``, given in any order."""
    return begin(start).go_on(log).now


@contextmanager
def table_work(taps: int) -> Iterator[None]:
    """Bound the work of folding this number of taps, separately from the bound of a page. Raises
    Exhausted inside."""
    with ignore_work(), limit_work(TABLE_WORK + TAP_WORK * taps, Exhausted):
        yield


@dataclass(frozen=True)
class Folded:
    """A log and its fold. Immutable: ``go_on`` returns another one.

    ``log``: the taps in the order of arrival; ``taps``: in the order in which they are folded;
    ``targets``: the taps and acts that strikes name; ``gone``: the taps that do not count, each
    with its strike; ``asked``: the requests to undo; ``kept``: states of the table, each after this
    number of taps, the last after all.
    """

    start: Start
    log: tuple[Logged, ...]
    taps: tuple[Logged, ...]
    by_key: Mapping[TapKey, Logged]
    targets: frozenset[Node]
    gone: Mapping[TapKey, TapKey]
    asked: tuple[Asked, ...]
    kept: tuple[tuple[int, Folding], ...]

    @cached_property
    def thrown(self) -> frozenset[UUID]:
        """The acts with dice thrown by the application: their taps are only undone together."""
        return acts_by_site(self.taps)

    @cached_property
    def worked_out(self) -> dict[Hashable, Any]:
        """Results of other rooms from this log, by key: worked out once for all readers."""
        return {}

    @cached_property
    def acts(self) -> dict[UUID, list[Logged]]:
        """The taps of each act, in the order in which they are folded; acts in the order of their
        first taps. Answers to requests belong to no act."""
        found: dict[UUID, list[Logged]] = {}
        for one in self.taps:
            if not isinstance(one.tap, UndoAnswered):
                found.setdefault(one.act, []).append(one)
        return found

    @cached_property
    def strikes(self) -> Mapping[UUID, Sequence[TapKey]]:
        """For each act, the taps that strike taps of it now, or undo it."""
        found: dict[UUID, list[TapKey]] = {}
        waiting = {key for one in self.asked if not one.agreed for key in one.keys}
        for one in self.taps if self.targets else ():
            if not isinstance(one.tap, UNDOING) or one.key in self.gone or one.key in waiting:
                continue
            target = target_of(one.tap)
            if isinstance(target, UUID):
                found.setdefault(target, []).append(one.key)
            elif target in self.by_key:
                found.setdefault(self.by_key[target].act, []).append(one.key)
        return found

    @cached_property
    def following(self) -> Following:
        """The acts that others led to, also those that do not count."""
        return Following(self.taps)

    @cached_property
    def now(self) -> TableNow:
        """The state of the table, with the questions to its players."""
        standing, gone, by_key = self.standing, self.gone, self.by_key
        with table_work(len(self.taps)):
            counting = [one for one in self.taps if one.key not in gone] if gone else self.taps
            return replace(
                standing,
                doubles=find_doubles(counting),
                contested=find_contested(counting, by_key, gone, self.asked),
                late=find_late(counting),
                struck=frozenset(gone),
                asked=tuple(one for one in self.asked if is_open(one, gone)),
            )

    @cached_property
    def fallen(self) -> Sequence[str]:
        """The figures that are out, in the order in which they left the table."""
        found: dict[str, None] = {}
        for one in self.taps:
            if one.key in self.gone:
                continue
            match one.tap:
                case kinds.Out(figure=figure):
                    found.setdefault(figure)
                case kinds.Back(figure=figure):
                    found.pop(figure, None)
        figures = self.standing.figures
        return [key for key in found if key in figures and figures[key].out is not None]

    @property
    def standing(self) -> TableNow:
        """The state of the table without the questions, which look at all taps: 5 of 6 ms at a log
        of 1,200."""
        with table_work(len(self.taps)):
            return self.kept[-1][1].now()

    def go_on(self, log: Iterable[Logged]) -> Folded:
        """Return the log with more taps, each at its place. Taps before the first change are not
        folded again.
        """
        fresh: dict[TapKey, Logged] = {}
        for one in log:
            if one.key not in self.by_key:
                fresh.setdefault(one.key, one)
        if not fresh:
            return self
        new = tuple(fresh.values())
        taps = _put_in(self.taps, new)
        targets = self.targets | _targets(new)
        gone, asked = self.gone, self.asked
        if targets and any(_changes_strikes(one, targets) for one in new):
            asked = tuple(find_requests(taps))
            gone = find_struck(taps, asked)
        kept = self._fold(taps, gone)
        by_key = {**self.by_key, **fresh}
        return Folded(
            self.start, (*self.log, *new), tuple(taps), by_key, targets, gone, asked, kept
        )

    def go_back(self, seq: int) -> Folded:
        """Return the log as it was before the tap with this number arrived."""
        log = tuple(one for one in self.log if one.seq < seq)
        taps = tuple(one for one in self.taps if one.seq < seq)
        asked = tuple(find_requests(taps)) if self.targets else ()
        gone = find_struck(taps, asked) if self.targets else {}
        kept = self._fold(taps, gone)
        by_key = {one.key: one for one in taps}
        return Folded(self.start, log, taps, by_key, _targets(taps), gone, asked, kept)

    def _fold(
        self, taps: Sequence[Logged], gone: Mapping[TapKey, TapKey]
    ) -> tuple[tuple[int, Folding], ...]:
        """Return the states to keep after these taps. The fold goes on from the last kept state
        before the first tap that is new, or that begins or ceases to count."""
        same, last = self._same(taps, self.gone.keys() ^ gone.keys()), len(taps)
        good = self.kept[: bisect_right(self.kept, same, key=lambda one: one[0])]
        found = [one for one in good[:-1] if _is_kept(one[0], last)]
        place, folding = good[-1]
        if _is_kept(place, last):
            found.append((place, folding))
        folding = folding.copy()
        with table_work(last):
            for number, logged in enumerate(taps[place:], start=place + 1):
                if logged.key not in gone:
                    take(folding, logged)
                if number < last and _is_kept(number, last):
                    found.append((number, folding))
                    folding = folding.copy()
        return (*found, (last, folding))

    def _same(self, taps: Sequence[Logged], changed: set[TapKey]) -> int:
        """Return how many taps from the first on are unchanged and not in ``changed``."""
        for place, (before, now) in enumerate(zip(self.taps, taps, strict=False)):
            if before is not now or (changed and now.key in changed):
                return place
        return min(len(self.taps), len(taps))


def begin(start: Start) -> Folded:
    """Return the fold of an empty log."""
    with table_work(0):
        nothing = Folding(start)
    return Folded(start, (), (), {}, frozenset(), {}, (), ((0, nothing),))


def _targets(taps: Iterable[Logged]) -> frozenset[Node]:
    """Return the taps and acts that these strike."""
    return frozenset(target_of(one.tap) for one in taps if isinstance(one.tap, UNDOING))


def _changes_strikes(one: Logged, targets: frozenset[Node]) -> bool:
    """Whether a new tap may change which taps are struck: it strikes, answers, is already struck,
    or shows that the application threw the dice of its act."""
    return (
        one.key in targets
        or one.act in targets
        or isinstance(one.tap, (*UNDOING, UndoAnswered))
        or (isinstance(one.tap, Rolled) and one.tap.thrown)
    )


def _put_in(known: Sequence[Logged], fresh: Sequence[Logged]) -> list[Logged]:
    """Return ordered taps with new ones in their places."""
    if len(fresh) > FEW:
        return in_order([*known, *fresh])
    taps = list(known)
    for one in fresh:
        insort(taps, one, key=lambda logged: logged.place)
    return taps


def _is_kept(place: int, last: int) -> bool:
    return place % (NEAR if place > last - END else FAR) == 0


def take(table: Folding, logged: Logged) -> None:
    """Apply one more tap to the table. Undoing an act, restoring it and answering a question begin
    no turn: the end of the turn before may be undone."""
    if isinstance(logged.tap, ANSWERS):
        return
    table.reach(logged.turn)
    try:
        touched = _apply(logged.tap, table, logged)
    except Unknown:
        table.unknown.add(logged.key)
        return
    if touched:
        table.watch.look(table.turn, table.place, logged.act)


# Each kind of tap changes the table, and returns whether an alarm may have fallen due.


@singledispatch
def _apply(tap: Tap, table: Folding, logged: Logged) -> bool:
    """Apply the tap. Raises Unknown if it names something that this table does not have."""
    raise TypeError(type(tap))


@_apply.register
def _counted(tap: kinds.Counted, table: Folding, logged: Logged) -> bool:
    _change(table, tap, lambda before: before + tap.by)
    return True


@_apply.register
def _set_to(tap: kinds.SetTo, table: Folding, logged: Logged) -> bool:
    _change(table, tap, lambda before: tap.to)
    return True


def _change(table: Folding, tap: kinds.Counted | kinds.SetTo, change: Callable[[int], int]) -> None:
    key = tap.counter
    if tap.figure is not None:
        tracks = table.figure(tap.figure).tracks
    else:
        tracks = table.side(tap.side, table.side_tracks)
    if key not in tracks:
        raise Unknown(key)
    now = change(tracks[key])
    row = table.tracks.get(tap.track)
    if row is not None:
        now = _within(table, row, tap, now)
    elif key != table.book.life:
        # Life may fall below 0; other counts may not.
        now = max(0, now)
    tracks[key] = now


def _within(table: Folding, row: Track, tap: kinds.Counted | kinds.SetTo, number: int) -> int:
    """Return a number within the rulebook's minimum and maximum."""
    if row.maximum is not None:
        sides = table.sides_now()
        if tap.figure is not None:
            names = table.names_of_figure(table.figure(tap.figure), sides)
        else:
            assert tap.side is not None
            names = table.names_of_side(sides, tap.side)
        number = min(number, parse(row.maximum).number(names))
    return max(row.minimum, number)


@_apply.register
def _began(tap: kinds.Began, table: Folding, logged: Logged) -> bool:
    row = table.book.state.get(tap.state)
    if row is None:
        raise Unknown(tap.state)
    _states(table, tap)[tap.state] = tap.until or row.lasts
    return True


@_apply.register
def _ended(tap: kinds.Ended, table: Folding, logged: Logged) -> bool:
    _states(table, tap).pop(tap.state, None)
    return True


def _states(table: Folding, tap: kinds.Began | kinds.Ended) -> dict[str, Lasting]:
    if tap.figure is None:
        return table.side(tap.side, table.side_states)
    figure = table.figure(tap.figure)
    if tap.item is None:
        return figure.states
    return figure.item_states.setdefault(tap.item, {})


@_apply.register
def _out(tap: kinds.Out, table: Folding, logged: Logged) -> bool:
    figure = table.figure(tap.figure)
    by = tap.by if tap.by in table.figures else None
    if figure.out is None or figure.out == NOT_HERE:
        figure.out = Departure(table.turn, by, tap.mark, tap.unhurt)
    else:
        # Two taps are one departure, and the later one may add its author and mark. A figure that
        # is hit again while it is down may end worse, but the first hand put it out. Harm outweighs
        # a departure without harm, and its mark counts.
        before = figure.out
        if before.unhurt == tap.unhurt:
            mark = tap.mark or before.mark
        else:
            mark = before.mark if tap.unhurt else tap.mark
        unhurt = before.unhurt and tap.unhurt
        figure.out = Departure(before.turn, before.by or by, mark, unhurt)
    if not tap.unhurt:
        table.drop_tracks(figure, logged.key)
    table.drop_rolls(tap.figure)
    return True


@_apply.register
def _back(tap: kinds.Back, table: Folding, logged: Logged) -> bool:
    table.figure(tap.figure).out = None
    return True


@_apply.register
def _acted(tap: kinds.Acted, table: Folding, logged: Logged) -> bool:
    if tap.action is not None:
        _does(table, tap.figure, tap.action)
    for figure in _acting_with(table, table.figure(tap.figure)):
        if len(figure.acts) < figure.start.times:
            figure.acts.add(logged.act)
        end_states(figure.states, {"activation"})
    return False


def _acting_with(table: Folding, figure: WorkingFigure) -> list[WorkingFigure]:
    """Return a figure, with the rest of its squad where squads act together."""
    activation, squad = table.book.activation, figure.start.squad
    if activation is None or not activation.squads or not squad:
        return [figure]
    of_squad = (figure.start.side, squad)
    return [
        one
        for one in table.figures.values()
        if (one.start.side, one.start.squad) == of_squad and (one is figure or one.out is None)
    ]


@_apply.register
def _did(tap: kinds.Did, table: Folding, logged: Logged) -> bool:
    _does(table, tap.figure, tap.action)
    return False


def _does(table: Folding, figure: str, action: str) -> None:
    doing = table.figure(figure)
    if action not in table.book.action:
        raise Unknown(action)
    doing.does(action)


@_apply.register
def _lost_weapon(tap: kinds.LostWeapon, table: Folding, logged: Logged) -> bool:
    figure = table.figure(tap.figure)
    for lost in (figure.lost, figure.lost_for_good) if tap.lasting else (figure.lost,):
        lost[tap.item] = lost.get(tap.item, 0) + 1
    return False


@_apply.register
def _ordered(tap: kinds.Ordered, table: Folding, logged: Logged) -> bool:
    # Players move the figures; the story says where to.
    table.check(tap.figure if tap.figure is not None else tap.side or 0)
    return False


@_apply.register
def _phase_began(tap: kinds.PhaseBegan, table: Folding, logged: Logged) -> bool:
    places = [row.key for row in table.book.phases]
    if tap.phase not in places:
        raise Unknown(tap.phase)
    now = places.index(tap.phase)
    before = -1 if table.phase is None else places.index(table.phase)
    if now <= before:
        # Two phones sent the same, or one is behind.
        return False
    table.phase = tap.phase
    if any(row.upkeep for row in table.book.phases[max(before, 0) : now]):
        table.upkeep()
    return True


@_apply.register
def _turn_ended(tap: kinds.TurnEnded, table: Folding, logged: Logged) -> bool:
    if logged.turn < MOST_TURNS:
        table.reach(logged.turn + 1)
    return False


@_apply.register
def _tallied(tap: kinds.Tallied, table: Folding, logged: Logged) -> bool:
    who: str | int = tap.figure if tap.figure is not None else tap.side or 0
    table.check(who)
    if tap.tally not in table.book.campaign.tally:
        raise Unknown(tap.tally)
    counted = table.tallies.setdefault(tap.tally, {})
    counted[who] = max(0, counted.get(who, 0) + tap.by)
    return False


@_apply.register
def _dealt(tap: kinds.Dealt, table: Folding, logged: Logged) -> bool:
    table.check(tap.who)
    if tap.alarm is not None:
        table.watch.deal(tap.alarm, tap.who)
    for one in () if tap.stays else table.follow_ups:
        if (one.roll, one.who) == (tap.roll, tap.who) and tap.act in (None, one.act):
            table.follow_ups.remove(one)
            break
    return False


@_apply.register
def _followed(tap: kinds.Followed, table: Folding, logged: Logged) -> bool:
    table.check_roll(tap.roll, tap.who, tap.at)
    is_dropped = table.book.roll[tap.roll].when_out == "dropped" and not table.in_play(tap.who)
    if not is_dropped and not _asked_by_alarm(table, tap):
        more = tap.model_dump(exclude={"kind"})
        table.follow_ups.append(FollowUp(turn=table.turn, act=logged.act, **more))
    return False


def _asked_by_alarm(table: Folding, tap: kinds.Followed) -> bool:
    """Whether an alarm of this turn asks for the same roll, of the same figure or of its side. The
    outcome of dice may be the alarm's condition, and the roll is due only once.
    """
    return any(
        due.turn == table.turn
        and table.book.alarm[due.alarm].roll == tap.roll
        and tap.who in (due.who, _side_of(table, due.who))
        for due in table.due()
    )


def _side_of(table: Folding, who: str | int) -> int:
    return who if isinstance(who, int) else table.figures[who].start.side


@_apply.register
def _rolled(tap: kinds.Rolled, table: Folding, logged: Logged) -> bool:
    # Other taps of the same act contain the effects of the dice.
    table.check_roll(tap.roll, tap.by, tap.at)
    if isinstance(tap.by, str):
        table.figure(tap.by).rolled.append(tap.roll)
    return False


@_apply.register
def _declined(tap: kinds.Declined, table: Folding, logged: Logged) -> bool:
    table.check(tap.side)
    # It is about its own turn, which another phone may have ended without knowing of it.
    if logged.turn == table.turn:
        others = table.declined - {tap.side}
        table.declined = others | {tap.side} if tap.holds else others
    return False


@_apply.register
def _runs(tap: kinds.Runs, table: Folding, logged: Logged) -> bool:
    table.check(tap.side)
    if tap.side == kinds.NONPLAYERS or kinds.NONPLAYERS not in table.start.sides:
        raise Unknown(str(tap.side))
    if tap.holds:
        table.runner = tap.side
    elif table.runner == tap.side:
        table.runner = None
    return False


@_apply.register
def _game_ended(tap: kinds.GameEnded, table: Folding, logged: Logged) -> bool:
    sides = table.start.sides.keys() - {kinds.NONPLAYERS}
    if tap.winner is not None and tap.winner not in sides:
        raise Unknown(str(tap.winner))
    if tap.result is not None and tap.result not in table.book.campaign.result:
        raise Unknown(tap.result)
    if tap.result is not None:
        # A correction of the result states all of it again.
        table.over, table.winner = tap.result, tap.winner
    table.over = table.over or ""
    return False


@_apply.register
def _said(tap: kinds.Note, table: Folding, logged: Logged) -> bool:
    # The story shows it.
    return False
