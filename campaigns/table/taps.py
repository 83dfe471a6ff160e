"""Taps: the events of a game at the table.

A tap contains a change and never a total, so that simultaneous taps of two phones add up. The key
of a figure is its side with its name in the crew ("1.14"), the key of a tap is its phone with the
phone's number for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Annotated, Literal
from uuid import UUID, uuid5

from pydantic import Field, TypeAdapter

from gangs.engine.entries import LINES, ONE_LINE
from rules.book.vocabulary import Frozen, Key

MOST_CHANGE = 999
MOST_SEQ = 1_000_000
MOST_FACES = 500
MOST_DICE = 60
# The most characters of a tap's data, taps at one table, and taps of one person: an evening has a
# few hundred, and no one person can fill a table.
LONGEST_DATA = 4_000
MOST_TAPS = 5_000
MOST_OF_ONE = 2_500

FigureKey = Annotated[str, Field(pattern=r"^[0-9]{1,3}\.[0-9A-Za-z-]{1,80}$")]
SideNumber = Annotated[int, Field(ge=1, le=100)]
# The side of a scenario's figures that belong to no gang.
NONPLAYERS = 100
Change = Annotated[int, Field(ge=-MOST_CHANGE, le=MOST_CHANGE)]
DeviceSeq = Annotated[int, Field(ge=1, le=MOST_SEQ)]
# The time of day in milliseconds, since 1970.
Clock = Annotated[int, Field(ge=0, le=2**53)]
FactName = Annotated[str, Field(max_length=60), ONE_LINE]
Fact = int | Annotated[str, Field(max_length=80), ONE_LINE]
Faces = Annotated[
    tuple[Annotated[int, Field(ge=1, le=100)], ...], Field(min_length=0, max_length=MOST_DICE)
]
# A round of each loop around a step, from the outside in.
RoundNumbers = Annotated[tuple[Annotated[int, Field(ge=1, le=500)], ...], Field(max_length=12)]


class Tap(Frozen):
    """The base of all taps."""


class Counted(Tap):
    """A number of a figure or a side goes up or down: life, boxes, a purse."""

    kind: Literal["counted"] = "counted"
    figure: FigureKey | None = None
    side: SideNumber | None = None
    item: Key | None = None
    track: Key
    by: Change

    @property
    def counter(self) -> str:
        """The key of the count, which is separate for each weapon."""
        return self.track if self.item is None else f"{self.track}:{self.item}"


class SetTo(Tap):
    """A rule sets a number."""

    kind: Literal["set"] = "set"
    figure: FigureKey | None = None
    side: SideNumber | None = None
    track: Key
    to: Change

    @property
    def counter(self) -> str:
        """The key of the count."""
        return self.track


class Began(Tap):
    """A figure, one of its weapons, or a side is in a state. ``until``: its duration, if not the
    state's usual one."""

    kind: Literal["began"] = "began"
    figure: FigureKey | None = None
    side: SideNumber | None = None
    item: Key | None = None
    state: Key
    until: Literal["activation", "turn", "next_upkeep", "game", "ended"] | None = None


class Ended(Tap):
    """A state is over."""

    kind: Literal["ended"] = "ended"
    figure: FigureKey | None = None
    side: SideNumber | None = None
    item: Key | None = None
    state: Key


class Out(Tap):
    """A figure is out of the game. ``by``: the figure that did it; ``mark``: how, if that is known;
    ``unhurt``: it has left the table without harm."""

    kind: Literal["out"] = "out"
    figure: FigureKey
    by: FigureKey | None = None
    mark: Key | None = None
    unhurt: bool = False


class Back(Tap):
    """A figure that was out is in the game again."""

    kind: Literal["back"] = "back"
    figure: FigureKey


class Acted(Tap):
    """A figure has acted. ``action``: its action, if that is known."""

    kind: Literal["acted"] = "acted"
    figure: FigureKey
    action: Key | None = None


class Did(Tap):
    """A figure has acted, and its activation continues."""

    kind: Literal["did"] = "did"
    figure: FigureKey
    action: Key


class LostWeapon(Tap):
    """A figure cannot use a weapon again in this game, or never (``lasting``)."""

    kind: Literal["lost_weapon"] = "lost_weapon"
    figure: FigureKey
    item: Key
    lasting: bool = False


class Ordered(Tap):
    """A rule orders a figure or a whole side to move. ``roll`` and ``outcome``, or ``action``: the
    rule; ``place``: of the order among its effects, where its words are; ``distance``: in the
    rulebook's unit of length."""

    kind: Literal["ordered"] = "ordered"
    figure: FigureKey | None = None
    side: SideNumber | None = None
    roll: Key | None = None
    outcome: Key | None = None
    action: Key | None = None
    place: Annotated[int, Field(ge=0, le=99)]
    distance: Change | None = None


class PhaseBegan(Tap):
    """A phase of the turn begins."""

    kind: Literal["phase"] = "phase"
    phase: Key


class TurnEnded(Tap):
    """The current turn is over. ``last``: it comes after all other taps of its turn, also those
    that arrive later; in older logs, a later tap belongs to its turn in the story only."""

    kind: Literal["turn"] = "turn"
    last: bool = False


class Tallied(Tap):
    """A tally of a figure or side, for the report, changes."""

    kind: Literal["tallied"] = "tallied"
    figure: FigureKey | None = None
    side: SideNumber | None = None
    tally: Key
    by: Change


class Rolled(Tap):
    """Dice fell for one of the rulebook's rolls.

    ``faces``: of each throw, in order, if they are known; ``thrown``: the application threw them;
    ``facts``: the circumstances that the player entered; ``spent``: the things spent on it, each
    as often as it was; ``spent_in``: for each of them, the round of each loop in which it counts,
    () for a step in no loop (without any, as in older logs, all count in every round). ``kept``:
    the faces that a player kept at each choice, if they are others than the application would keep.
    ``open``: something may still be spent on the dice, and a later ``Rolled`` of the same act has
    the outcome. ``passed``: the sides that spend nothing more on open dice; ``answered_by``: the
    side whose player answered for the target's side. ``by_phone``: a phone without a network threw
    them, which nobody can check. ``alarm``: the alarm that asked for the roll; taps of older logs
    have none.
    """

    kind: Literal["rolled"] = "rolled"
    roll: Key
    by: FigureKey | SideNumber
    at: FigureKey | SideNumber | None = None
    item: Key | None = None
    mode: Key | None = None
    at_item: Key | None = None
    at_mode: Key | None = None
    facts: Annotated[dict[FactName, Fact], Field(max_length=60)] = {}
    faces: Annotated[tuple[Faces, ...], Field(max_length=MOST_FACES)] = ()
    thrown: bool = False
    outcome: Key | None = None
    numbers: Annotated[dict[Key, int], Field(max_length=20)] = {}
    spent: Annotated[tuple[Key, ...], Field(max_length=20)] = ()
    spent_in: Annotated[tuple[RoundNumbers, ...], Field(max_length=20)] = ()
    kept: Annotated[tuple[Faces, ...], Field(max_length=MOST_FACES)] = ()
    open: bool = False
    passed: Annotated[tuple[SideNumber, ...], Field(max_length=100)] = ()
    answered_by: SideNumber | None = None
    by_phone: bool = False
    alarm: Key | None = None


class Declined(Tap):
    """A side spends nothing on dice for the rest of the turn, so nobody asks it. Not ``holds``: it
    takes that back."""

    kind: Literal["declined"] = "declined"
    side: SideNumber
    holds: bool = True


class Runs(Tap):
    """A side's player runs the non-players from now on. Not ``holds``: they no longer do."""

    kind: Literal["runs"] = "runs"
    side: SideNumber
    holds: bool = True


class Followed(Tap):
    """Another roll follows from one. ``who``: the figure that makes it, or the side of one that
    does.

    ``at`` and the weapons: as far as the first roll determines them; ``but``: the figure that is
    not its target; ``many``: it is made for several targets, until somebody says that nobody else
    is concerned.
    """

    kind: Literal["follows"] = "follows"
    roll: Key
    who: FigureKey | SideNumber
    many: bool = False
    at: FigureKey | SideNumber | None = None
    but: FigureKey | None = None
    item: Key | None = None
    mode: Key | None = None
    at_item: Key | None = None
    at_mode: Key | None = None


class Dealt(Tap):
    """A due alarm, or a ``roll`` that followed, has been dealt with or skipped. ``act``: the act
    that the roll followed from, or that raised the alarm; taps of older logs have none.
    ``stays``: the roll stays due, for other targets."""

    kind: Literal["dealt"] = "dealt"
    alarm: Key | None = None
    roll: Key | None = None
    who: FigureKey | SideNumber
    act: UUID | None = None
    stays: bool = False


class Note(Tap):
    """A note."""

    kind: Literal["said"] = "said"
    text: Annotated[str, Field(min_length=1, max_length=300), LINES]


class GameEnded(Tap):
    """Play is over. ``result``, ``winner``: if they are known."""

    kind: Literal["over"] = "over"
    result: Key | None = None
    winner: SideNumber | None = None


class Struck(Tap):
    """Another tap was wrong. Striking a strike restores its tap.

    ``asked_by``: the person who sent it, where somebody else has to agree before dice of the
    application are undone (``campaigns.table.order.find_requests``). The server adds it to the taps
    that need it; taps of older logs have none and count immediately.
    """

    kind: Literal["struck"] = "struck"
    device: UUID
    device_seq: DeviceSeq
    asked_by: UUID | None = None


class Undone(Tap):
    """An act was wrong: none of its taps count, not even those that arrive later. Striking this tap
    restores them. ``asked_by``: as in ``Struck``."""

    kind: Literal["undone"] = "undone"
    act: UUID
    asked_by: UUID | None = None


class UndoAnswered(Tap):
    """Answer to the strikes of an act, ``asked``, that wait for somebody to agree. ``by``: the
    person who answers, which the server adds."""

    kind: Literal["undo_answered"] = "undo_answered"
    asked: UUID
    agreed: bool
    by: UUID | None = None


class Settled(Tap):
    """Answer to a question about two acts: both count, as two attacks that might have been one, or
    as a strike and its tap.
    """

    kind: Literal["settled"] = "settled"
    acts: Annotated[tuple[UUID, UUID], Field()]


AnyTap = Annotated[
    Counted
    | SetTo
    | Began
    | Ended
    | Out
    | Back
    | Acted
    | Did
    | LostWeapon
    | Ordered
    | PhaseBegan
    | TurnEnded
    | Tallied
    | Rolled
    | Declined
    | Runs
    | Followed
    | Dealt
    | Note
    | GameEnded
    | Struck
    | Undone
    | UndoAnswered
    | Settled,
    Field(discriminator="kind"),
]
TAPS: TypeAdapter[AnyTap] = TypeAdapter(AnyTap)
TAPS_LIST: TypeAdapter[tuple[AnyTap, ...]] = TypeAdapter(tuple[AnyTap, ...])
# The phone of a tap and the phone's number for it.
TapKey = tuple[UUID, int]


@dataclass(frozen=True, slots=True)
class Logged:
    """A tap in the log.

    ``seq``: the server's number, in the order of arrival; ``after``: the last ``seq`` that the
    phone had seen; ``at``: the phone's corrected clock, in milliseconds; ``act``: the same for all
    taps of one attack; ``actor``: the account that made it, if there was one.
    """

    seq: int
    device: UUID
    device_seq: int
    after: int
    at: int
    turn: int
    act: UUID
    tap: AnyTap
    actor: int | None = None

    @property
    def key(self) -> TapKey:
        """The phone and its number for the tap."""
        return self.device, self.device_seq

    @property
    def place(self) -> tuple[int, float, int, str, int]:
        """The place in the fold, independent of the order of arrival."""
        ends = isinstance(self.tap, TurnEnded) and self.tap.last
        after = inf if ends else self.after
        return self.turn, after, self.at, self.device.hex, self.device_seq


# Anybody with the id of a phone can send taps as that phone. Pages and answers therefore show an
# alias, by which taps can be struck but not sent.


def alias(table: UUID, device: UUID) -> UUID:
    """Return the name of a phone for everybody else: a digest that does not reveal its id.

    Uses no secret of the site, so that a strike that waits in a phone survives a new secret.
    """
    return uuid5(table, f"phone {device}")


def strike_tap(table: UUID, key: TapKey) -> Struck:
    """Return the tap that strikes another one, as pages show it."""
    return Struck(device=alias(table, key[0]), device_seq=key[1])


def resolve_aliases(table: UUID, taps: Sequence[AnyTap], devices: Iterable[UUID]) -> list[AnyTap]:
    """Return the taps with phone ids in place of aliases in strikes. ``devices``: all phones that
    the log knows; strikes of others do not change."""
    known = {alias(table, device): device for device in devices}
    return [
        tap.model_copy(update={"device": known.get(tap.device, tap.device)})
        if isinstance(tap, Struck)
        else tap
        for tap in taps
    ]
