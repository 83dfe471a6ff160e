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
from rules.fates import DiceTable, Option, TableRow
from rules.schema import Rank, Trait
from rules.season import AnyStep, Promotion, Succession

Status = Literal["done", "open", "later"]


@dataclass(frozen=True)
class Asked:
    """A roll for a member, and what it is for: a row of a ``table``, one of his ``items``, or how
    much ``experience``, how many ``games``, how high a ``fine``, how many ``times``, or who of two
    leaves (``rivals``).

    ``roll``: as answered, or None; ``row``: the row of the table that it hit; ``again``: it does
    not count and is made once more.
    """

    key: str
    member: Member
    dice: str
    what: Literal["table", "item", "experience", "games", "fine", "times", "rivals"]
    table: DiceTable | None = None
    items: tuple[OwnedItem, ...] = ()
    roll: Roll | None = None
    row: TableRow | None = None
    again: bool = False

    @property
    def is_final(self) -> bool:
        """Whether the roll stands: what the application threw is not thrown again."""
        return self.roll is not None and self.roll.thrown_by == "app"


@dataclass(frozen=True)
class Question:
    """One of several things to choose for a member; ``refusals``: why an option cannot be taken."""

    key: str
    member: Member
    options: tuple[Option, ...]
    refusals: tuple[Refusal | None, ...]
    chosen: int | None


@dataclass(frozen=True)
class Advance:
    """An advance that a member has earned, and what he may take: a trait, by its key."""

    key: str
    member: Member
    offers: tuple[Offer[Trait], ...]
    chosen: Trait | None


@dataclass(frozen=True)
class Vacancy:
    """A post that nobody holds: who may take it over, if that is for the player to say."""

    succession: Succession
    candidates: tuple[Member, ...]
    chosen: Member | None


@dataclass(frozen=True)
class Captive:
    """A member held by somebody (``against``: by whom, if that is known), and what was decided.

    ``fresh``: he was taken in this very game, so he stays unless he is given up.
    """

    member: Member
    against: str
    decided: Captivity | None
    fresh: bool = False


@dataclass(frozen=True)
class Rise:
    """A promotion: who can have it, who gets it, and why nobody else can.

    ``chosen``: each with the place of the answer that says so; ``rivals``: those who hold the place
    now, if one of them may make room; ``must``: it is no choice.
    """

    promotion: Promotion
    candidates: tuple[Member, ...]
    chosen: tuple[tuple[int, Member], ...]
    refusal: Refusal | None
    rivals: tuple[Member, ...] = ()
    must: bool = False


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
    answer: Ascent | Hire | None = None


@dataclass(frozen=True)
class StepState:
    """One step of the script as it stands.

    ``open``: it waits for the player; ``later``: another step comes first. ``refused``: answers
    that cannot be carried out; ``kept``: members who have earned an advance and find none to take.
    """

    step: AnyStep
    status: Status
    entries: tuple[Entry, ...] = ()
    rolls: tuple[Asked, ...] = ()
    questions: tuple[Question, ...] = ()
    advances: tuple[Advance, ...] = ()
    kept: tuple[Member, ...] = ()
    vacancies: tuple[Vacancy, ...] = ()
    captives: tuple[Captive, ...] = ()
    rises: tuple[Rise, ...] = ()
    hiring: Hiring | None = None
    refused: tuple[Unmet, ...] = ()

    @property
    def waiting(self) -> tuple[Asked, ...]:
        """The rolls that are still to be made."""
        return tuple(asked for asked in self.rolls if asked.roll is None)

    @property
    def must_rise(self) -> bool:
        """Whether somebody is still to be promoted without there being a choice about it."""
        return any(rise.must and rise.candidates and not rise.refusal for rise in self.rises)


@dataclass(frozen=True)
class Playthrough:
    """The script as far as it has been played.

    ``numbers``: those that ``entries`` get; ``roster``: the gang after them.
    """

    steps: tuple[StepState, ...]
    entries: tuple[Entry, ...]
    numbers: tuple[int, ...]
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

    @property
    def questions(self) -> dict[str, Question]:
        """Every question asked so far, by key."""
        return {question.key: question for state in self.steps for question in state.questions}

    @property
    def advances(self) -> dict[str, Advance]:
        """Every advance earned so far, by key."""
        return {advance.key: advance for state in self.steps for advance in state.advances}

    @property
    def vacancies(self) -> dict[str, Vacancy]:
        """Every vacancy so far, by its succession."""
        return {
            vacancy.succession.key: vacancy for state in self.steps for vacancy in state.vacancies
        }

    def step(self, key: str) -> StepState:
        """The state of one step. Raises KeyError if it is not in the script."""
        for state in self.steps:
            if state.step.key == key:
                return state
        raise KeyError(key)
