"""What a post-game looks like while it is played: its steps, what they ask, what they bring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from campaigns.situation import Ascent, Captivity, Hire
from gangs.entries import Entry
from gangs.offers import Offer
from gangs.refusal import Refusal
from gangs.roster import Member, OwnedItem, Roster
from rules.dice import Roll
from rules.fates import DiceTable, TableRow
from rules.schema import Rank
from rules.season import AnyStep, Promotion

Status = Literal["done", "open", "later"]


@dataclass(frozen=True)
class Asked:
    """A roll for a member: on a table, for one of his items, or for an amount of experience.

    ``roll``: as answered, or None; ``row``: the row of the table that it hit.
    """

    key: str
    member: Member
    dice: str
    table: DiceTable | None = None
    items: tuple[OwnedItem, ...] = ()
    roll: Roll | None = None
    row: TableRow | None = None

    @property
    def is_final(self) -> bool:
        """Whether the roll stands: what the application threw is not thrown again."""
        return self.roll is not None and self.roll.thrown_by == "app"


@dataclass(frozen=True)
class Captive:
    """A member held by somebody, what he costs to free, and what was decided."""

    member: Member
    price: int
    refusal: Refusal | None
    decided: Captivity | None


@dataclass(frozen=True)
class Rise:
    """A promotion: who can have it, who gets it, and why nobody else can.

    ``chosen``: each with the place of the answer that says so.
    """

    promotion: Promotion
    candidates: tuple[Member, ...]
    chosen: tuple[tuple[int, Member], ...]
    refusal: Refusal | None


@dataclass(frozen=True)
class Hiring:
    """Recruits: who is on offer after those chosen, and how many more there is room for.

    ``chosen``: each with the place of the answer that says so.
    """

    offers: tuple[Offer[Rank], ...]
    chosen: tuple[tuple[int, Hire], ...]
    room: int | None


@dataclass(frozen=True)
class Unmet:
    """An answer that cannot be carried out, and why: the promotion or recruit at this place of the
    answers, or a ransom."""

    refusal: Refusal
    place: int = 0
    answer: Ascent | Hire | None = None


@dataclass(frozen=True)
class StepState:
    """One step of the script as it stands.

    ``open``: it waits for the player; ``later``: another step comes first. ``refused``: answers
    that cannot be carried out.
    """

    step: AnyStep
    status: Status
    entries: tuple[Entry, ...] = ()
    rolls: tuple[Asked, ...] = ()
    captives: tuple[Captive, ...] = ()
    rises: tuple[Rise, ...] = ()
    hiring: Hiring | None = None
    refused: tuple[Unmet, ...] = ()

    @property
    def waiting(self) -> tuple[Asked, ...]:
        """The rolls that are still to be made."""
        return tuple(asked for asked in self.rolls if asked.roll is None)


@dataclass(frozen=True)
class Playthrough:
    """The script as far as it has been played.

    ``roster``: the gang after ``entries``, the first of which gets the number ``first_id``.
    """

    steps: tuple[StepState, ...]
    entries: tuple[Entry, ...]
    first_id: int
    before: Roster
    roster: Roster

    @property
    def complete(self) -> bool:
        """Whether nothing is left to answer."""
        return all(state.status == "done" for state in self.steps)

    @property
    def current(self) -> StepState | None:
        """The step that waits for the player; None if there is none."""
        return next((state for state in self.steps if state.status == "open"), None)

    @property
    def asked(self) -> dict[str, Asked]:
        """Every roll asked for so far, by key."""
        return {asked.key: asked for state in self.steps for asked in state.rolls}

    def step(self, key: str) -> StepState:
        """The state of one step. Raises KeyError if it is not in the script."""
        for state in self.steps:
            if state.step.key == key:
                return state
        raise KeyError(key)
