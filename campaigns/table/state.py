"""A table as its taps say it is: who stands where, what is due, what two phones disagree about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from campaigns.table.taps import TapKey
from rules.book.model import Book, Rules
from rules.book.rolls import Lasting
from rules.book.vocabulary import Settings
from rules.engine.expressions import Value
from rules.engine.figure import Figure


@dataclass(frozen=True)
class FigureStart:
    """A figure before the first tap. ``key``: its side and what it is called among those who may
    play; ``gang`` and ``member``: whose it is there (of a hired hand, the gang that they come
    from); ``squad``: whom it acts with; ``tracks``: what it begins with; ``times``: how often it
    acts in a turn; ``worth``: what it costs as it is; ``names``: what expressions may read of it;
    ``figure``: it as the rules see it, under ``book``, which has its gang's own items."""

    key: str
    side: int
    figure: Figure
    book: Book
    gang: str = ""
    member: int = 0
    leads: bool = False
    squad: str = ""
    tracks: Mapping[str, int] = field(default_factory=dict)
    times: int = 1
    worth: int = 0
    names: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Start:
    """A table before the first tap: the rules, the figures, what each side begins with, and the
    key of the scenario, if it is one of the rulebook's."""

    rules: Rules
    figures: tuple[FigureStart, ...]
    sides: Mapping[int, Mapping[str, int]]
    scenario: str = ""

    @property
    def book(self) -> Book:
        """The rulebook that is played by."""
        return self.rules.book

    @property
    def settings(self) -> Settings:
        """The options that are played with."""
        return self.rules.settings


@dataclass(frozen=True)
class Departure:
    """How a figure went out: in which turn, by whose hand, with which mark; ``unhurt``: it left
    the table, and nothing became of it."""

    turn: int
    by: str | None
    mark: str | None
    unhurt: bool = False


@dataclass(frozen=True)
class FigureNow:
    """A figure as it stands. ``acted``: how often it has acted in this turn; ``states`` with until
    when; ``item_states``: of its weapons, by item; ``lost``: how many of each weapon it cannot use
    again, and ``lost_for_good`` of them also in later games.

    ``did``: its actions in this turn, ``did_before``: those of the last turn in which it did any;
    ``rolled``: what it has thrown since the last of them."""

    key: str
    side: int
    tracks: Mapping[str, int]
    states: Mapping[str, Lasting]
    item_states: Mapping[str, Mapping[str, Lasting]]
    lost: Mapping[str, int]
    acted: int
    may_act: bool
    out: Departure | None
    lost_for_good: Mapping[str, int] = field(default_factory=dict)
    did: tuple[str, ...] = ()
    did_before: tuple[str, ...] = ()
    rolled: tuple[str, ...] = ()


@dataclass(frozen=True)
class SideNow:
    """A side as it stands: what it counts, its states, and how many of it stand. ``worth_lost``:
    what those who are out cost; ``asked``: how many of a sort stand, or are lost, by the name that
    expressions have for it."""

    number: int
    tracks: Mapping[str, int]
    states: Mapping[str, Lasting]
    start: int
    standing: int
    lost: int
    lost_this_turn: int
    leaders_out: int
    leaders_lost_this_turn: int
    worth_lost: int
    asked: Mapping[str, int]


@dataclass(frozen=True)
class Due:
    """Something that is to be dealt with. ``turn``: in which it fell due."""

    alarm: str
    who: str | int
    turn: int


@dataclass(frozen=True)
class FollowUp:
    """A roll that follows from another. ``who``: the figure that throws it, or the side of which
    somebody does; ``at`` and the weapons: as far as what it follows from says them; ``act``: what
    it follows from."""

    roll: str
    who: str | int
    turn: int
    act: UUID
    at: str | int | None = None
    item: str | None = None
    mode: str | None = None
    at_item: str | None = None
    at_mode: str | None = None


@dataclass(frozen=True)
class Question:
    """What only people know: whether two phones told the same attack or two.

    ``acts``: both; ``taps``: those of the second.
    """

    acts: tuple[UUID, UUID]
    by: str | int
    at: str | int | None
    turn: int
    taps: tuple[TapKey, ...]


@dataclass(frozen=True)
class Contested:
    """A tap that somebody has struck, though others' taps rest on it: those, still standing."""

    struck: TapKey
    by: TapKey
    resting: tuple[TapKey, ...]


@dataclass(frozen=True)
class Asked:
    """A request to undo taps of acts whose dice the application threw.

    ``act``: the request's own; ``strikes``: its taps, each with the tap that it strikes;
    ``by``: the person who asks, as the server knows them; ``actor``: their account, if they have
    one; ``agreed``: the answer, None while there is none; ``answered_by``: the account that
    answered.
    """

    act: UUID
    strikes: Mapping[TapKey, TapKey]
    by: UUID
    actor: int | None
    agreed: bool | None
    answered_by: int | None


@dataclass(frozen=True)
class Late:
    """Taps of one phone that came in when their turn was over."""

    device: UUID
    actor: int | None
    turn: int
    number: int


@dataclass(frozen=True)
class TableNow:
    """The whole table. ``phase``: None before one has begun in this turn; ``tallies``: what was
    counted, by tally and figure or side; ``over``: the result's key, "" if play is over and nobody
    said how, None while it goes on; ``winner``: the side that has won, if one has and it was said;
    ``unknown``: taps that speak of nothing at this table; ``asked``: requests to undo dice that
    nobody has answered yet."""

    turn: int
    phase: str | None
    figures: Mapping[str, FigureNow]
    sides: Mapping[int, SideNow]
    tallies: Mapping[str, Mapping[str | int, int]]
    due: tuple[Due, ...]
    follow_ups: tuple[FollowUp, ...]
    questions: tuple[Question, ...]
    contested: tuple[Contested, ...]
    late: tuple[Late, ...]
    struck: frozenset[TapKey]
    asked: tuple[Asked, ...]
    unknown: frozenset[TapKey]
    over: str | None
    winner: int | None
