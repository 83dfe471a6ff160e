"""A plain story of an evening: what happened, in its true order, and what led to what.

The driver of an evening tells it each act when its button is pressed: the turn and the taps that
the player saw, and the alarm or roll that the act was made for. Nothing here reads the turns, the
places, the links or the strikes of the log. The rules themselves are the application's: a
``Folding`` takes the taps one after the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from campaigns.table.fold import take
from campaigns.table.order import UNDOING
from campaigns.table.standing import Folding
from campaigns.table.state import Departure, Start, TableNow
from campaigns.table.taps import (
    AnyTap,
    Back,
    Dealt,
    Logged,
    Note,
    Out,
    Rolled,
    Settled,
    Tallied,
    TurnEnded,
    UndoAnswered,
)

# The key of a due alarm or of a roll that follows: an alarm's with its figure or side, or a roll's
# with its figure or side and the act that it follows from.
Entry = tuple[str, str, str | int, UUID | None]
# Taps that are about other taps: they make no line of the story.
SILENT = (TurnEnded, *UNDOING, Settled, UndoAnswered)
PHONE = UUID(int=7)


@dataclass(frozen=True)
class Waiting:
    """A due entry. ``turn``: in which it fell due; ``origin``: the act that led to it, None if the
    turn did."""

    entry: Entry
    turn: int
    origin: UUID | None


@dataclass(frozen=True)
class Part:
    """Some taps of an act that were written together. ``saw``: the last tap before them that their
    player knew; ``moment``: when they happened; ``arrived``: the number of their first tap in the
    log; ``is_answer``: they answer dice of their act."""

    act: UUID
    turn: int
    saw: int
    moment: int
    arrived: int
    taps: tuple[AnyTap, ...]
    is_answer: bool = False

    @property
    def place(self) -> tuple[int, int, int]:
        """The true place: in its turn, after all that its player knew, in the order of time."""
        return self.turn, self.saw, self.moment


@dataclass
class Act:
    """An act. ``phone``: who made it; ``causes``: the acts that led to it; ``gone``: the press that
    undid it, None if it stands; ``asked``: the press that asks to undo or restore it."""

    key: UUID
    phone: str
    parts: list[Part]
    causes: frozenset[UUID] = frozenset()
    gone: UUID | None = None
    asked: UUID | None = None
    # The number of the tap since which it is undone.
    gone_since: int = 0

    @property
    def first(self) -> Part:
        """Its first taps."""
        return self.parts[0]

    @property
    def last_tap(self) -> int:
        """The number of its last tap in the log."""
        return self.parts[-1].arrived + len(self.parts[-1].taps) - 1

    @property
    def taps(self) -> Iterator[AnyTap]:
        """All its taps."""
        for part in self.parts:
            yield from part.taps

    @property
    def is_by_site(self) -> bool:
        """Whether the application threw its dice, so that nobody undoes it alone."""
        return any(isinstance(tap, Rolled) and tap.thrown for tap in self.taps)

    @property
    def only_skips(self) -> bool:
        """Whether it only says that something is done or skipped."""
        return all(isinstance(tap, Dealt) for tap in self.taps)


@dataclass
class PlainStory:
    """The acts of an evening at a table."""

    start: Start
    acts: dict[UUID, Act] = field(default_factory=dict)

    # New acts

    def add(
        self, part: Part, phone: str, made_for: Sequence[Entry], known: Sequence[Waiting]
    ) -> None:
        """Note a new act. ``made_for``: the due entries that it deals with; ``known``: all that
        were due as its player saw the table."""
        origins = (
            next((one.origin for one in known if one.entry == entry), None) for entry in made_for
        )
        causes = frozenset(origin for origin in origins if origin is not None)
        self.acts[part.act] = Act(part.act, phone, [part], causes)

    def answer(self, act: UUID, moment: int, arrived: int, taps: Sequence[AnyTap]) -> None:
        """Note the answer to the dice of an act: it belongs right after them, in their turn."""
        known = self.acts[act]
        first = known.first
        saw = known.last_tap
        at = first.moment
        known.parts.append(Part(act, first.turn, saw, at, arrived, tuple(taps), is_answer=True))

    def undo(self, acts: Sequence[UUID], press: UUID, since: int) -> None:
        """Note that acts were undone."""
        for act in acts:
            self.acts[act].gone, self.acts[act].gone_since = press, since
            self.acts[act].asked = None

    def restore(self, acts: Sequence[UUID]) -> None:
        """Note that acts were restored."""
        for act in acts:
            self.acts[act].gone = self.acts[act].asked = None

    # Consequences

    @property
    def standing(self) -> list[Act]:
        """The acts that count."""
        return [act for act in self.acts.values() if act.gone is None]

    @property
    def gone(self) -> set[UUID]:
        """The acts that do not count."""
        return {key for key, act in self.acts.items() if act.gone is not None}

    @property
    def turn(self) -> int:
        """The turn that is played."""
        turns = [1]
        for act in self.standing:
            for part in act.parts:
                turns.append(part.turn + any(isinstance(tap, TurnEnded) for tap in part.taps))
        return max(turns)

    @property
    def order(self) -> list[tuple[int, UUID]]:
        """The turn and the key of every act, in the true order."""
        return [(act.first.turn, act.key) for act in sorted(self.acts.values(), key=_first_place)]

    def led_to(self, act: UUID) -> set[UUID]:
        """Return every act to which an act led, directly or through others."""
        found: set[UUID] = set()
        ahead = [act]
        while ahead:
            cause = ahead.pop()
            for one in self.acts.values():
                if cause in one.causes and one.key not in found and not one.only_skips:
                    found.add(one.key)
                    ahead.append(one.key)
        return found - {act}

    def undone_with(self, act: UUID) -> set[UUID]:
        """Return the acts that one press on an act has to undo: all to which it led that stand,
        except those that somebody has been asked about."""
        led = (self.acts[one] for one in self.led_to(act))
        return {act, *(one.key for one in led if one.gone is None and one.asked is None)}

    def restored_with(self, act: UUID) -> set[UUID]:
        """Return the acts that one press on an undone act has to restore: all to which it led that
        the same press had undone."""
        press = self.acts[act].gone
        return {act, *(one for one in self.led_to(act) if self.acts[one].gone == press)}

    # The table

    def play(self) -> tuple[TableNow, list[Waiting]]:
        """Play all acts that stand again, one tap after the other in their true order. Return the
        table, and what is due with the acts that led to it."""
        table = Folding(self.start)
        dues: list[Waiting] = []
        _note_dues(table, dues, None)
        number = 0
        for part, played in self._in_order():
            # The effects of a new turn are nobody's act.
            for tap in (Note(text="a new turn"), played):
                number += 1
                after = number - 1
                told = Logged(number, PHONE, number, after, number, part.turn, part.act, tap)
                take(table, told)
                nobody = isinstance(tap, Note | TurnEnded)
                _note_dues(table, dues, None if nobody else part.act)
        shown = {_of_alarm(one.alarm, one.who) for one in table.due()}
        shown |= {_of_roll(one.roll, one.who, one.act) for one in table.now().follow_ups}
        return table.now(), [one for one in dues if one.entry in shown]

    # Counts for the report

    def departures(self) -> dict[str, Departure]:
        """Return the figures that are out of the game, with the turn and the hand."""
        found: dict[str, Departure] = {}
        for part, tap in self._in_order():
            if isinstance(tap, Back):
                found.pop(tap.figure, None)
            if isinstance(tap, Out):
                there = found.get(tap.figure)
                left = Departure(part.turn, tap.by, tap.mark, tap.unhurt)
                found[tap.figure] = left if there is None else _add_departure(there, left)
        return found

    def tallies(self) -> dict[tuple[str, str | int], int]:
        """Return the counts for the report that are not 0."""
        found: Counter[tuple[str, str | int]] = Counter()
        for _part, tap in self._in_order():
            if isinstance(tap, Tallied):
                key = (tap.tally, tap.figure if tap.figure is not None else tap.side or 0)
                found[key] = max(0, found[key] + tap.by)
        return {key: number for key, number in found.items() if number}

    def late(self) -> dict[int, int]:
        """Return by turn how many taps were written after somebody had ended that turn, by players
        who did not know."""
        ended: dict[int, int] = {}
        for act in self.standing:
            for part in act.parts:
                for place, tap in enumerate(part.taps):
                    if isinstance(tap, TurnEnded):
                        number = part.arrived + place
                        ended[part.turn] = min(ended.get(part.turn, number), number)
        found: Counter[int] = Counter()
        for act in self.standing:
            for part in act.parts:
                end = ended.get(part.turn)
                if end is None or part.is_answer or not part.saw < end < part.arrived:
                    continue
                found[part.turn] += sum(not isinstance(tap, SILENT) for tap in part.taps)
        return {turn: number for turn, number in found.items() if number}

    def _in_order(self) -> Iterator[tuple[Part, AnyTap]]:
        """Yield all taps that stand, the end of a turn after everything else in it."""
        parts = (part for act in self.standing for part in act.parts)
        taps = [
            (part, tap) for part in sorted(parts, key=lambda part: part.place) for tap in part.taps
        ]
        yield from sorted(taps, key=lambda one: (one[0].turn, isinstance(one[1], TurnEnded)))


def _add_departure(first: Departure, later: Departure) -> Departure:
    """Return the departure of a figure that two taps put out: the first turn and hand count, the
    later mark, and harm more than none."""
    mark = later.mark or first.mark
    if first.unhurt != later.unhurt:
        mark = first.mark if later.unhurt else later.mark
    unhurt = first.unhurt and later.unhurt
    return Departure(first.turn, first.by or later.by, mark, unhurt)


def _first_place(act: Act) -> tuple[int, bool, int, int]:
    """Return the place of an act's first tap: the end of a turn comes after all else in it."""
    turn, *rest = act.first.place
    return turn, isinstance(act.first.taps[0], TurnEnded), *rest


def _of_alarm(alarm: str, who: str | int) -> Entry:
    return "alarm", alarm, who, None


def _of_roll(roll: str, who: str | int, act: UUID) -> Entry:
    return "roll", roll, who, act


def entry_of(tap: Dealt) -> Entry:
    """Return the entry that a tap deals with."""
    if tap.alarm is not None:
        return _of_alarm(tap.alarm, tap.who)
    return "roll", tap.roll or "", tap.who, tap.act


def _note_dues(table: Folding, dues: list[Waiting], act: UUID | None) -> None:
    """Bring the due entries up to date after a tap of an act: what has vanished is dealt with, the
    oldest first, and what is new was caused by the act."""
    now = Counter((_of_alarm(one.alarm, one.who), one.turn) for one in table.watch.due)
    now.update((_of_roll(one.roll, one.who, one.act), one.turn) for one in table.follow_ups)
    before = Counter((one.entry, one.turn) for one in dues)
    for key, number in (before - now).items():
        for _time in range(number):
            dues.remove(next(one for one in dues if (one.entry, one.turn) == key))
    for (entry, turn), number in (now - before).items():
        dues += [Waiting(entry, turn, act)] * number
