"""What a post-game looks like while it is played: its steps, what they ask, what they bring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from campaigns.engine.report import Hire, PromotionAnswer
from campaigns.engine.rolls import DiceRequest
from common.errors import Refusal
from gangs.engine.entries import Entry
from gangs.engine.offers import Offer
from gangs.engine.roster import Member, OwnedItem, Roster
from rules.book.fates import DiceTable, Option, TableRow
from rules.book.schema import Rank, Trait
from rules.book.season import AnyStep, Promotion, Succession
from rules.engine.dice import Roll

Status = Literal["done", "open", "later"]
RolledFor = Literal["table", "item", "experience", "games", "fine", "times", "rivals"]


@dataclass(frozen=True)
class Asked(DiceRequest):
    """A roll for a member, and what it is for: a row of a ``table``, one of their ``items``, or how
    much ``experience``, how many ``games``, how high a ``fine``, how many ``times``, or who of two
    leaves (``rivals``).

    ``roll``: as answered, or None; ``row``: the row of the table that it hit; ``again``: it does
    not count and is made once more.
    """

    key: str
    member: Member
    dice: str
    what: RolledFor
    table: DiceTable | None = None
    items: tuple[OwnedItem, ...] = ()
    roll: Roll | None = None
    row: TableRow | None = None
    again: bool = False


@dataclass(frozen=True)
class Choice:
    """One of several things to choose. ``value``: what an answer calls it; ``about``: what it is,
    if the value does not say; ``refusal``: why it cannot be had."""

    value: str
    about: Option | Trait | Member | None = None
    refusal: Refusal | None = None


@dataclass(frozen=True)
class Captivity:
    """A member is held, ``against`` whom if that is known. ``fresh``: they were taken in this very
    game, so they stay unless they are given up."""

    against: str
    fresh: bool


@dataclass(frozen=True)
class Question:
    """Something to choose: one of several outcomes or the trait that an advance is, for a member;
    what becomes of a captive; who takes over a post that nobody holds."""

    key: str
    kind: Literal["outcome", "advance", "captive", "succession"]
    member: Member | None
    choices: tuple[Choice, ...]
    chosen: Choice | None = None
    about: Captivity | Succession | None = None

    @property
    def available(self) -> list[Choice]:
        """What can be had."""
        return [choice for choice in self.choices if choice.refusal is None]

    @property
    def unavailable(self) -> list[Choice]:
        """What cannot be had, or not yet; what the member has already would only lengthen it."""
        refused = [(choice, choice.refusal) for choice in self.choices]
        return [choice for choice, why in refused if why is not None and why.code != "has_it"]


@dataclass(frozen=True)
class PromotionOffer:
    """A promotion: who can have it, who gets it, and why nobody else can.

    ``chosen``: each with the place of the answer that says so; ``rivals``: those who hold the place
    now, if one of them may make room.
    """

    promotion: Promotion
    candidates: tuple[Member, ...]
    chosen: tuple[tuple[int, Member], ...]
    refusal: Refusal | None
    rivals: tuple[Member, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether somebody can still have it."""
        return bool(self.candidates) and self.refusal is None

    @property
    def must(self) -> bool:
        """Whether it is no choice."""
        return self.promotion.required


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
    answers, or a fine."""

    refusal: Refusal
    place: int = 0
    answer: PromotionAnswer | Hire | None = None


@dataclass(frozen=True)
class PlayedEntry:
    """An entry that the script brings, the number that it gets, and the gang before it."""

    entry: Entry
    number: int
    before: Roster


@dataclass(frozen=True)
class StepState:
    """One step of the script as it stands.

    ``open``: it waits for the player; ``later``: another step comes first. ``refused``: answers
    that cannot be carried out; ``kept``: members who have earned an advance and find none to take.
    """

    step: AnyStep
    status: Status
    played: tuple[PlayedEntry, ...] = ()
    rolls: tuple[Asked, ...] = ()
    questions: tuple[Question, ...] = ()
    kept: tuple[Member, ...] = ()
    promotions: tuple[PromotionOffer, ...] = ()
    hiring: Hiring | None = None
    refused: tuple[Unmet, ...] = ()

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What the step brings."""
        return tuple(played.entry for played in self.played)

    @property
    def waiting(self) -> tuple[Asked, ...]:
        """The rolls that are still to be made."""
        return tuple(asked for asked in self.rolls if asked.roll is None)

    @property
    def must_promote(self) -> bool:
        """Whether somebody is still to be promoted without there being a choice about it."""
        return any(offer.must and offer.is_open for offer in self.promotions)

    @property
    def may_finish(self) -> bool:
        """Whether the player may declare it finished."""
        return self.status == "open" and not self.must_promote and not self.waiting

    @property
    def next_question(self) -> Question | None:
        """The first question that is still to be answered."""
        return next((question for question in self.questions if question.chosen is None), None)


@dataclass(frozen=True)
class Playthrough:
    """The script as far as it has been played: ``roster`` is the gang after it."""

    steps: tuple[StepState, ...]
    played: tuple[PlayedEntry, ...]
    before: Roster
    roster: Roster

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What the script brings."""
        return tuple(played.entry for played in self.played)

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

    @property
    def questions(self) -> dict[str, Question]:
        """Every question asked so far, by key."""
        return {question.key: question for state in self.steps for question in state.questions}

    def step(self, key: str) -> StepState:
        """The state of one step. Raises Refusal if it is not in the script."""
        for state in self.steps:
            if state.step.key == key:
                return state
        raise Refusal("gone")
