"""Alarms: the rulebook's conditions, checked after every tap that may meet one."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from uuid import UUID

from campaigns.table.state import Due, SideNow, Start, side_names
from campaigns.table.taps import NONPLAYERS
from rules.book.evening import Alarm
from rules.engine.evening import played_in
from rules.engine.expressions import BadExpression, Names, Unknown, Value, parse

Who = str | int


class Watch:
    """The alarms of a table. ``members``: returns the side of each figure in play and its values;
    ``due``: the alarms to deal with, in the order in which they fell due."""

    def __init__(
        self,
        start: Start,
        members: Callable[[], Mapping[str, tuple[int, dict[str, Value]]]],
        sides: Callable[[], Mapping[int, SideNow]],
    ) -> None:
        self.alarms = played_in(start.scenario, start.rules.alarms)
        self.places = {phase.key: place for place, phase in enumerate(start.book.phases)}
        self.members, self.sides, self.rules = members, sides, start.rules
        self.due: list[Due] = []
        # The conditions that are true now, with their numbers; the last turn in which each fell
        # due.
        self.holding: dict[tuple[str, Who], int] = {}
        self.raised: dict[tuple[str, Who], int] = {}

    def copy(
        self,
        members: Callable[[], Mapping[str, tuple[int, dict[str, Value]]]],
        sides: Callable[[], Mapping[int, SideNow]],
    ) -> Watch:
        """Return a copy for a copy of the table."""
        other = copy(self)
        other.members, other.sides = members, sides
        other.due = list(self.due)
        other.holding, other.raised = dict(self.holding), dict(self.raised)
        return other

    def look(self, turn: int, place: int, act: UUID | None = None) -> None:
        """Raise the alarms that have become true. ``place``: the index of the phase; alarms of
        earlier phases are no longer checked in this turn; ``act``: that has changed the table, None
        for a new turn. Non-players have none."""
        if not self.alarms:
            return
        sides = self.sides()
        shared = {
            number: side_names(self.rules, sides, number, turn)
            for number in sides
            if number != NONPLAYERS
        }
        members = {
            key: ChainMap(names, shared[side])
            for key, (side, names) in self.members().items()
            if side != NONPLAYERS
        }
        for alarm in self.alarms:
            ahead = self.places.get(alarm.phase or "", place)
            if ahead < place:
                continue
            asked: Iterable[tuple[Who, Names]]
            match alarm.asks:
                case "member":
                    asked = members.items()
                case "side":
                    asked = shared.items()
                case "table":
                    asked = [*shared.items()][:1]
            for who, names in asked:
                due = Due(alarm.key, who, turn, act)
                self._see(alarm, due, _number(alarm, names), waits=ahead > place)

    def _see(self, alarm: Alarm, due: Due, number: int, *, waits: bool) -> None:
        who, turn = due.who, due.turn
        key = (alarm.key, who)
        before = self.holding.pop(key, 0)
        if not number:
            while waits and self._take(alarm.key, who):
                # Its phase had not begun, so nobody dealt with it. It may have been raised twice.
                self.raised.pop(key, None)
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
                # Nobody rolls twice for an alarm that was left over from an earlier turn.
                self._take(alarm.key, who)
            self.raised[key] = turn
            self.due.append(due)

    def deal(self, alarm: str, who: Who) -> None:
        """Remove a due alarm, the oldest of several."""
        self._take(alarm, who)

    def _take(self, alarm: str, who: Who) -> bool:
        """Remove the oldest due entry of an alarm. Returns whether there was one."""
        for due in self.due:
            if (due.alarm, due.who) == (alarm, who):
                self.due.remove(due)
                return True
        return False


def _number(alarm: Alarm, names: Names) -> int:
    """Return the value of an alarm's expression, 0 if it is not true."""
    try:
        return max(0, parse(alarm.given).number(names))
    except (BadExpression, Unknown):
        # The expression reads something that this figure does not have.
        return 0
