"""Tables of the shipped games: figures that fight, and their attempts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from uuid import uuid5

from campaigns.table.attempts.actions import begin_attempt
from campaigns.table.attempts.attempt import Attempt, Who
from campaigns.table.attempts.effects import bring_dice, sort_taps
from campaigns.table.attempts.entering import say_outcome
from campaigns.table.attempts.roll import Faces, keep_dice, play_faces
from campaigns.table.state import Start, TableFighter, begin
from campaigns.table.taps import AnyTap
from rules.book.model import Book
from rules.book.vocabulary import Settings
from rules.engine.figure import Figure
from rules.engine.playing import Played
from tests.world.tables import NAMESPACE, Evening


def figure(rank: str, *items: str, **more: Any) -> Figure:
    """Return a figure of this rank with these items."""
    return Figure(rank, rank, items=items, **more)


def table(book: Book, *sides: list[Figure], scenario: str = "", **options: str | int) -> Start:
    """Return a table with these figures: side 1 has 1.1, 1.2 and so on."""
    settings: Settings = {**book.default_settings(), **options}
    fighters = [
        TableFighter(book, number, str(place), f"gang-{number}", place, one)
        for number, side in enumerate(sides, start=1)
        for place, one in enumerate(side, start=1)
    ]
    return begin(book.under(settings), range(1, len(sides) + 1), fighters, scenario)


@dataclass
class Bout(Evening):
    """An evening at which figures attempt things; every result is tapped."""

    names: list[str] = field(default_factory=list)

    def attempt(
        self,
        roll: str,
        by: Who,
        at: Who | None = None,
        item: str | None = None,
        *,
        at_item: str | None = None,
        action: str | None = None,
        free: bool = False,
        **said: Any,
    ) -> Attempt:
        """Return an attempt of a figure."""
        used, _dot, mode = (item or "").partition(".")
        weapons = (used or None, mode or None, at_item, None)
        return Attempt(by, roll, at, *weapons, said=said, action=action, free=free)

    def told(self, made: Attempt, faces: Faces) -> list[dict[str, Any]]:
        """Tap the results of dice from the table; return the taps without the dice."""
        return self.came(made, play_faces(made.question(self.start, self.now), faces))

    def came(self, made: Attempt, played: Played) -> list[dict[str, Any]]:
        """Return the taps that result from a roll."""
        start, now = self.start, self.now
        rolled = keep_dice(made, played, thrown=False, is_open=False)
        brought = bring_dice(start, now, made, played)
        return self.tell(sort_taps([*begin_attempt(start, now, made), rolled, *brought]))

    def said(
        self, made: Attempt, outcome: str | None, happened: tuple[int, ...] = (), **numbers: int
    ) -> list[dict[str, Any]]:
        """Return the taps of an act whose outcome was entered without dice."""
        start, now = self.start, self.now
        said = say_outcome(start, now, made, outcome, numbers, happened)
        return self.tell(sort_taps([*begin_attempt(start, now, made), *said]))

    def tell(self, taps: list[AnyTap]) -> list[dict[str, Any]]:
        """Tap all these as one act; return them without the dice."""
        act = f"act {len(self.log)}"
        shown = []
        for tap in taps:
            data = tap.model_dump(exclude_defaults=True, exclude={"kind", "act"})
            self.put(tap, act=act)
            if tap.kind != "rolled":
                shown.append({"kind": tap.kind, **data})
        assert self.now.unknown == frozenset()
        assert {one.act for one in self.log if one.act == uuid5(NAMESPACE, act)} != set()
        return shown
