"""Tables and logs for tests: two sides of a small game, and phones that tap."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid5

from campaigns.table.fold import Folded
from campaigns.table.fold import begin as begin_fold
from campaigns.table.state import Start, TableFighter, TableNow, begin
from campaigns.table.taps import TAPS, AnyTap, Logged, TurnEnded, Undone
from rules.book.model import Book
from rules.engine.figure import Figure
from tests.rules.small import SMALL, measured, row, small, told

NAMESPACE = UUID(int=1)


def game(**more: Any) -> Book:
    """Return a small game with life, states, a purse for each side and alarms."""
    declared: dict[str, Any] = {
        "characteristics": [*SMALL["characteristics"], measured("number", "wounds", start=3)],
        "life": "wounds",
        "states": [
            row("down"),
            row("shaken", lasts="turn"),
            row("fleeing", stops=True, mark="fled"),
            row("aiming", lasts="activation"),
            row("burning", lasts="next_upkeep"),
            row("jammed", of="item"),
        ],
        "tracks": [
            row("purse", start="gang.start", each_turn="anew"),
            row("points", maximum=20),
        ],
        "phases": [row("upkeep", upkeep=True), row("actions", acts=True), row("end")],
        "alarms": [
            row("half", given="gang.standing * 2 <= gang.start", once="game"),
            row("lost", given="gang.lost_this_turn > 0", phase="end"),
            row("hurt", given="by.life <= 1", asks="member", once="time"),
        ],
        "activation": {"order": "alternating"},
        "campaign__marks": [told("casualty"), told("fled")],
        "campaign__tallies": [told("gold", per="gang"), told("shots", per="member")],
    }
    return small(**{**declared, **more})


def start(book: Book, *sizes: int, scenario: str = "") -> Start:
    """Return a table with sides of these sizes; the first figure of each is its leader."""
    fighters = []
    for number, size in enumerate(sizes or (3, 3), start=1):
        for member in range(1, size + 1):
            rank = "chief" if member == 1 else "scout"
            figure = Figure(rank, rank)
            fighters.append(
                TableFighter(book, number, str(member), f"gang-{number}", member, figure)
            )
    rules = book.under(book.default_settings())
    return begin(rules, range(1, len(sizes or (3, 3)) + 1), fighters, scenario)


def person(phone: str) -> UUID:
    """Return the person with a phone, as the server signs them."""
    return uuid5(NAMESPACE, f"person {phone}")


@dataclass
class Evening:
    """A server's log, and the phones that write to it."""

    start: Start
    log: list[Logged] = field(default_factory=list)
    turn: int = 1
    clock: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)

    def tap(self, kind: str, phone: str = "a", act: str = "", **data: Any) -> Logged:
        """Tap for a person who has seen everything unless their phone has been ``asleep``."""
        return self.put(TAPS.validate_python({"kind": kind, **data}), phone, act)

    def put(self, tap: AnyTap, phone: str = "a", act: str = "") -> Logged:
        """Put a tap into the log."""
        self.clock += 1
        self.counts[phone] = number = self.counts.get(phone, 0) + 1
        device = uuid5(NAMESPACE, phone)
        logged = Logged(
            seq=len(self.log) + 1,
            device=device,
            device_seq=number,
            after=self.seen.get(phone, len(self.log)),
            at=self.clock,
            turn=self.turn,
            act=uuid5(NAMESPACE, act or f"{phone} {number}"),
            tap=tap,
        )
        self.log.append(logged)
        if isinstance(tap, TurnEnded):
            self.turn += 1
        return logged

    def asleep(self, phone: str) -> None:
        """Stop showing this phone the taps of others."""
        self.seen[phone] = len(self.log)

    def awake(self, phone: str) -> None:
        """Show the phone everything again."""
        self.seen.pop(phone, None)

    def strike(self, logged: Logged, phone: str = "a", *, asks: bool = False) -> Logged:
        """Strike a tap; ``asks``: signed as a strike that another player has to allow."""
        signed = {"asked_by": person(phone)} if asks else {}
        target = {"device": logged.device, "device_seq": logged.device_seq}
        return self.tap("struck", phone, **target, **signed)

    def undo(self, logged: Logged, phone: str = "a", *, asks: bool = False) -> Logged:
        """Undo the act of a tap; ``asks``: signed as an undo that another player has to allow."""
        return self.put(Undone(act=logged.act, asked_by=person(phone) if asks else None), phone)

    def answer(self, strike: Logged, phone: str, *, agreed: bool) -> Logged:
        """Answer a strike that asks."""
        return self.tap("undo_answered", phone, asked=strike.act, agreed=agreed, by=person(phone))

    @property
    def now(self) -> TableNow:
        """Return the current state of the table."""
        return self.folded.now

    @property
    def folded(self) -> Folded:
        """Fold the log."""
        return begin_fold(self.start).go_on(self.log)
