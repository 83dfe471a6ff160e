"""What falls due: the rulebook's conditions, looked at after every tap that may have met one."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping
from copy import copy

from campaigns.table.state import Due, SideNow, Start, side_names
from rules.book.evening import Alarm
from rules.engine.expressions import BadExpression, Names, Unknown, Value, parse

Who = str | int


class Watch:
    """The alarms of a table. ``members``: the side of each in play, and what is read of them;
    ``due``: what is to be dealt with, in the order in which it fell due."""

    def __init__(
        self,
        start: Start,
        members: Callable[[], Mapping[str, tuple[int, dict[str, Value]]]],
        sides: Callable[[], Mapping[int, SideNow]],
    ) -> None:
        self.alarms = start.rules.alarms
        self.places = {phase.key: place for place, phase in enumerate(start.book.phases)}
        self.members, self.sides, self.settings = members, sides, start.settings
        self.due: list[Due] = []
        # What holds now, with its number; what has fallen due, and in which turn last.
        self.holding: dict[tuple[str, Who], int] = {}
        self.raised: dict[tuple[str, Who], int] = {}

    def copy(
        self,
        members: Callable[[], Mapping[str, tuple[int, dict[str, Value]]]],
        sides: Callable[[], Mapping[int, SideNow]],
    ) -> Watch:
        """The same for a copy of the table."""
        other = copy(self)
        other.members, other.sides = members, sides
        other.due = list(self.due)
        other.holding, other.raised = dict(self.holding), dict(self.raised)
        return other

    def look(self, turn: int, place: int) -> None:
        """See what holds now that did not. ``place``: where in the turn, counted in phases; what
        is looked at earlier in a turn is not looked at any more."""
        if not self.alarms:
            return
        sides = self.sides()
        shared = {number: side_names(sides, number, turn, self.settings) for number in sides}
        members = {
            key: ChainMap(names, shared[side]) for key, (side, names) in self.members().items()
        }
        for alarm in self.alarms:
            ahead = self.places.get(alarm.phase or "", place)
            if ahead < place:
                continue
            asked: Iterable[tuple[Who, Names]]
            asked = shared.items() if alarm.asks == "side" else members.items()
            for who, names in asked:
                self._see(alarm, who, _number(alarm, names), turn, waits=ahead > place)

    def _see(self, alarm: Alarm, who: Who, number: int, turn: int, *, waits: bool) -> None:
        key = (alarm.key, who)
        before = self.holding.pop(key, 0)
        if not number:
            if waits and self._take(alarm.key, who):
                # Its phase had not come yet: it was never dealt with.
                del self.raised[key]
            return
        self.holding[key] = number
        last = self.raised.get(key)
        again = {
            "game": last is None,
            "turn": last is None or last < turn,
            "time": number > before,
        }
        if again[alarm.once]:
            if alarm.once == "turn":
                # What nobody dealt with in an earlier turn is not thrown for twice.
                self._take(alarm.key, who)
            self.raised[key] = turn
            self.due.append(Due(alarm.key, who, turn))

    def deal(self, alarm: str, who: Who) -> None:
        """One is dealt with: the oldest of several."""
        self._take(alarm, who)

    def _take(self, alarm: str, who: Who) -> bool:
        """The oldest of what is due of an alarm goes; whether there was any."""
        for due in self.due:
            if (due.alarm, due.who) == (alarm, who):
                self.due.remove(due)
                return True
        return False


def _number(alarm: Alarm, names: Names) -> int:
    """What an alarm's expression comes to; 0 where it does not hold."""
    try:
        return max(0, parse(alarm.given).number(names))
    except (BadExpression, Unknown):
        # A figure that lacks what is asked about.
        return 0
