"""A post-game while it is played: its steps, what they ask and bring, and the gang as it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from campaigns.engine.report import Answers, GameReport, Hire, PromotionAnswer
from campaigns.engine.rolls import DiceRequest
from common.errors import Refusal
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.engine.errors import too_dear
from gangs.engine.fold import apply
from gangs.engine.offers import Offer
from gangs.engine.own_items import extend_book
from gangs.engine.roster import Member, OwnedItem, Roster
from rules.book.fates import DiceTable, Option, TableRow
from rules.book.model import Book
from rules.book.schema import Rank, Trait
from rules.book.season import AnyStep, Promotion, Succession
from rules.book.vocabulary import Selector
from rules.engine.costing import Points, whole
from rules.engine.dice import DiceRoll
from rules.engine.figure import picks

Status = Literal["done", "open", "later"]
RolledFor = Literal["table", "item", "experience", "games", "fine", "times", "rivals"]


@dataclass(frozen=True)
class RollRequest(DiceRequest):
    """A roll for a member, and what it is for: a row of a ``table``, one of their ``items``, or how
    much ``experience``, how many ``games``, how high a ``fine``, how many ``times``, or who of two
    leaves (``rivals``).

    ``roll``: as answered, or None; ``row``: the row of the table that it hit; ``again``: it does
    not count and is made once more; ``rerolling``: tags of the rows that do not.
    """

    key: str
    member: Member
    dice: str
    what: RolledFor
    table: DiceTable | None = None
    items: tuple[OwnedItem, ...] = ()
    roll: DiceRoll | None = None
    row: TableRow | None = None
    again: bool = False
    rerolling: tuple[str, ...] = ()


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
    def required(self) -> bool:
        """Whether it is no choice."""
        return self.promotion.required


@dataclass(frozen=True)
class Hiring:
    """Recruits: who is on offer after those chosen, and how many more there is room for.

    ``of_others``: those whom only another origin offers; ``chosen``: each with the place of the
    answer that says so.
    """

    offers: tuple[Offer[Rank], ...]
    of_others: tuple[Offer[Rank], ...]
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
    rolls: tuple[RollRequest, ...] = ()
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
    def waiting(self) -> tuple[RollRequest, ...]:
        """The rolls that are still to be made."""
        return tuple(request for request in self.rolls if request.roll is None)

    @property
    def must_promote(self) -> bool:
        """Whether somebody is still to be promoted without there being a choice about it."""
        return any(offer.required and offer.is_open for offer in self.promotions)

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
    def requests(self) -> dict[str, RollRequest]:
        """Every roll asked for so far, by key."""
        return {request.key: request for state in self.steps for request in state.rolls}

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


class Unanswered(Exception):
    """What comes next depends on an answer that the player has still to give. Who plays on without
    it suppresses this: one member's injury does not wait for another's."""


class ScriptRun:
    """The gang while the script runs. Everything that happens goes through ``add``, every roll
    through ``roll``, every question through ``choose``.

    ``members_before``: who was in the gang before; ``conditions_before``: which conditions they
    had; ``recruits``: the numbers that recruits are known by, the next ones once those are used
    up. ``rolls``, ``questions`` and ``refused`` are those of the step being played.
    """

    def __init__(
        self,
        book: Book,
        roster: Roster,
        next_id: int,
        game_report: GameReport,
        answers: Answers,
        recruits: Sequence[int] = (),
    ) -> None:
        self.book, self.rules = book, book.under(roster.settings)
        self.roster = roster
        self.members_before = frozenset(member.id for member in roster.members)
        self.conditions_before = frozenset(
            (who.id, ailment.condition) for who in roster.members for ailment in who.afflictions
        )
        self.next_id = next_id
        self.recruits = iter(recruits)
        self.game_report = game_report
        self.answers = answers
        self.played: list[PlayedEntry] = []
        self.begin()

    def begin(self) -> None:
        """A new step begins: nothing has been asked in it."""
        self.began = len(self.played)
        self.rolls: list[RollRequest] = []
        self.questions: list[Question] = []
        self.refused: list[Unmet] = []

    def finish(
        self,
        step: AnyStep,
        *,
        waits: bool = False,
        kept: Sequence[Member] = (),
        promotions: Sequence[PromotionOffer] = (),
        hiring: Hiring | None = None,
    ) -> StepState:
        """The step that began last, as far as it could be played. It is open while something in it
        is unanswered or cannot be carried out, or ``waits`` says so."""
        waits = (
            waits
            or bool(self.refused)
            or any(request.roll is None for request in self.rolls)
            or any(question.chosen is None for question in self.questions)
        )
        return StepState(
            step,
            "open" if waits else "done",
            played=tuple(self.played[self.began :]),
            rolls=tuple(self.rolls),
            questions=tuple(self.questions),
            kept=tuple(kept),
            promotions=tuple(promotions),
            hiring=hiring,
            refused=tuple(self.refused),
        )

    def add(self, entry: Entry) -> None:
        """Let an entry happen."""
        number = self.next_id
        if isinstance(entry, kinds.Recruited):
            number = next(self.recruits, number)
        self.played.append(PlayedEntry(entry, number, self.roster))
        self.roster = apply(self.book, self.roster, number, entry)
        self.next_id += 1

    def find(self, member: int) -> Member | None:
        """A member of the gang, if they still are one."""
        return next((found for found in self.roster.members if found.id == member), None)

    def picks(self, selector: Selector, member: Member) -> bool:
        """Whether ``selector`` picks the member as they are now."""
        book = extend_book(self.book, self.roster)
        return picks(book, selector, self.roster.figure(book, member))

    def computed(self) -> ComputedGang:
        """The gang as it is now, worked out."""
        return ComputedGang.of(self.book, self.roster)

    def roll(self, request: RollRequest) -> DiceRoll:
        """The roll as it was made; it is listed. Raises Unanswered if it is still to be made."""
        roll = request.answer(self.answers.rolls)
        self.rolls.append(replace(request, roll=roll))
        if roll is None:
            raise Unanswered
        return roll

    def choose(self, question: Question, default: str = "") -> Choice:
        """What was chosen, if it can be had, or else the ``default``; the question is listed.
        Raises Unanswered if there is neither."""
        answer = self.answers.choices.get(question.key, default)
        free = {choice.value: choice for choice in question.available}
        chosen = free.get(answer) or free.get(default)
        self.questions.append(replace(question, chosen=chosen))
        if chosen is None:
            raise Unanswered
        return chosen

    def learn(
        self, member: Member, amount: int, *, award: str | None = None, roll: DiceRoll | None = None
    ) -> None:
        """Let a member earn experience, as far as the game and their rank let them."""
        growth = self.book.campaign.growth
        if growth and growth.ceiling:
            ceiling = int(self.roster.settings.get(growth.ceiling, 0))
            if ceiling:
                amount = min(amount, max(0, ceiling - member.experience))
        most = self.book.rank[member.rank].experience
        if most is not None:
            amount = min(amount, max(0, most - member.experience_at_rank))
        if amount:
            self.add(kinds.Learned(member=member.id, amount=amount, award=award, roll=roll))

    def too_dear(self, price: Points) -> Refusal | None:
        """Why the treasury cannot pay ``price``; None if it can."""
        missing = whole(price - self.roster.treasury)
        return too_dear(self.book, missing) if price and missing > 0 else None
