"""The state of a post-game: its steps, their questions and entries, and the gang as it changes."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from campaigns.engine.report import Answers, GameReport, Hire, PromotionAnswer
from campaigns.engine.rolls import DiceRequest
from common.errors import Refusal
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry, TraitTaken
from gangs.engine.errors import too_dear
from gangs.engine.fold import apply
from gangs.engine.offers import Offer
from gangs.engine.own_items import extend_book
from gangs.engine.purses import cannot_pay
from gangs.engine.roster import HeldPlace, Member, OwnedItem, Roster
from rules.book.fates import DiceTable, Option, TableRow
from rules.book.holdings import Upkeep
from rules.book.model import Book
from rules.book.offers import ItemOffer
from rules.book.schema import Characteristic, Rank, Trait
from rules.book.season import AnyStep, Promotion, Succession
from rules.book.vocabulary import Selector
from rules.engine.costing import Points, whole
from rules.engine.dice import DiceRoll, Sum
from rules.engine.figure import picks

# Refusals of things that a member already has.
TAKEN = ("has_it", "has_it_often")
Status = Literal["done", "open", "later"]
RolledFor = Literal[
    "table",
    "item",
    "member",
    "experience",
    "games",
    "fine",
    "money",
    "number",
    "times",
    "rivals",
    "search",
    "price",
    "profile",
    "track",
]


@dataclass(frozen=True)
class RollRequest(DiceRequest):
    """A roll for a member, or for the gang (None).

    ``what``: its purpose, which is a row of a ``table``, one of their ``items``, one of several
    ``members``, the amount of ``experience``, the number of ``games``, the sum of a ``fine``,
    ``money`` to come, a ``number`` of items or members, a number of ``times``, which of two
    ``rivals`` leaves, a ``search`` for rare items and their ``price``, a ``characteristic`` of
    their ``profile``, or how far a ``track`` sinks.
    ``amount``: the calculation with the dice. ``roll``: the answer, or None; ``rows``: the rows
    that it hit, several only where dice match; ``again``: the row does not count and the roll is
    repeated; ``rerolling``: tags of such rows; ``mates``: others of the member's group whom the
    roll is for, too.
    """

    key: str
    member: Member | None
    dice: str
    what: RolledFor
    table: DiceTable | None = None
    items: tuple[OwnedItem, ...] = ()
    members: tuple[Member, ...] = ()
    amount: Sum | None = None
    roll: DiceRoll | None = None
    rows: tuple[TableRow, ...] = ()
    again: bool = False
    rerolling: tuple[str, ...] = ()
    characteristic: Characteristic | None = None
    mates: tuple[Member, ...] = ()

    @property
    def row(self) -> TableRow | None:
        """The row that the roll hit; None before it, and where dice match."""
        return self.rows[0] if self.rows and not self.matches else None

    @property
    def matches(self) -> bool:
        """Whether faces count that several of the dice show."""
        return self.table is not None and self.table.matching is not None


@dataclass(frozen=True)
class Choice:
    """One option of a question. ``value``: its name in an answer; ``about``: the thing itself, if
    the value is not enough; ``refusal``: why the player cannot choose it; ``teacher``: the member
    from whom somebody learns the trait."""

    value: str
    about: Option | Trait | Member | ItemOffer | None = None
    refusal: Refusal | None = None
    teacher: Member | None = None

    @classmethod
    def of_trait(cls, offer: Offer[Trait]) -> Choice:
        """The choice of a trait on offer."""
        teacher = offer.teacher
        value = offer.row.key if teacher is None else f"{offer.row.key}:{teacher.id}"
        return cls(value, offer.row, offer.refusal, teacher)

    def trait_taken(self, member: Member, *, advance: bool = False) -> TraitTaken:
        """The entry by which a member takes the trait that was chosen."""
        teacher = None if self.teacher is None else self.teacher.id
        trait = self.value.partition(":")[0]
        return TraitTaken(member=member.id, trait=trait, advance=advance, teacher=teacher)


@dataclass(frozen=True)
class Captivity:
    """A captive. ``against``: the gang that holds them, if known. ``fresh``: captured in this very
    game, so they stay captive unless their player gives them up."""

    against: str
    fresh: bool


@dataclass(frozen=True)
class UpkeepDue:
    """An upkeep that is due for one member, or for one holding."""

    row: Upkeep
    amount: int
    member: Member | None = None
    place: HeldPlace | None = None

    @property
    def number(self) -> int:
        """The number of the member or the holding in the gang."""
        subject = self.member or self.place
        assert subject is not None
        return subject.id


@dataclass(frozen=True)
class Question:
    """A choice for the player: a member's or the gang's outcome, the ``member`` whom outcomes fall
    to, an advance, a captive's fate, the heir to a vacant post, an upkeep, the uses of an item, or
    the items to look for. ``mates``: others of the member's group whom the answer is for, too."""

    key: str
    kind: Literal[
        "outcome",
        "member",
        "advance",
        "captive",
        "succession",
        "upkeep",
        "supply",
        "search",
    ]
    member: Member | None
    choices: tuple[Choice, ...]
    chosen: Choice | None = None
    about: Captivity | Succession | UpkeepDue | OwnedItem | None = None
    mates: tuple[Member, ...] = ()

    @property
    def available(self) -> list[Choice]:
        """The options that the player can choose."""
        return [choice for choice in self.choices if choice.refusal is None]

    @property
    def unavailable(self) -> list[Choice]:
        """The options refused at present, without those that the member already has."""
        refused = [(choice, choice.refusal) for choice in self.choices]
        return [choice for choice, why in refused if why is not None and why.code not in TAKEN]


@dataclass(frozen=True)
class PromotionOffer:
    """A promotion: who can have it, who gets it, and why nobody else can.

    ``chosen``: members, each after the place of their answer; ``rivals``: the holders of the rank,
    if one of them may make room.
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
        """Whether the promotion is mandatory."""
        return self.promotion.required


@dataclass(frozen=True)
class Hiring:
    """Recruits: the offers left after those chosen, and the room for more (None: no limit).

    ``of_others``: ranks that only another origin offers; ``chosen``: recruits, each after the
    place of their answer.
    """

    offers: tuple[Offer[Rank], ...]
    of_others: tuple[Offer[Rank], ...]
    chosen: tuple[tuple[int, Hire], ...]
    room: int | None


@dataclass(frozen=True)
class Unmet:
    """An answer that cannot be carried out, and why. ``answer``: the promotion or recruit at this
    place of the answers; None for a fine."""

    refusal: Refusal
    place: int = 0
    answer: PromotionAnswer | Hire | None = None


@dataclass(frozen=True)
class PlayedEntry:
    """An entry made by the script, its number, and the gang before it."""

    entry: Entry
    number: int
    before: Roster


@dataclass(frozen=True)
class StepState:
    """The state of one step of the script.

    ``status``: ``open`` waits for the player, ``later`` waits for another step. ``refused``:
    answers that cannot be carried out; ``kept``: members who have earned an advance but can take
    none.
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
        """The entries that the step makes."""
        return tuple(played.entry for played in self.played)

    @property
    def waiting(self) -> tuple[RollRequest, ...]:
        """The rolls that are still to be made."""
        return tuple(request for request in self.rolls if request.roll is None)

    @property
    def must_promote(self) -> bool:
        """Whether a mandatory promotion is still open."""
        return any(offer.required and offer.is_open for offer in self.promotions)

    @property
    def may_finish(self) -> bool:
        """Whether the player may declare the step finished."""
        return self.status == "open" and not self.must_promote and not self.waiting

    @property
    def next_question(self) -> Question | None:
        """The first question that is still to be answered."""
        return next((question for question in self.questions if question.chosen is None), None)


@dataclass(frozen=True)
class Playthrough:
    """The script, played as far as the answers reach. ``roster``: the gang after it."""

    steps: tuple[StepState, ...]
    played: tuple[PlayedEntry, ...]
    before: Roster
    roster: Roster

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The entries that the script makes."""
        return tuple(played.entry for played in self.played)

    @property
    def complete(self) -> bool:
        """Whether nothing is left to answer."""
        return all(state.status == "done" for state in self.steps)

    @property
    def current(self) -> StepState | None:
        """The step that waits for the player; None once the script is complete."""
        return next((state for state in self.steps if state.status == "open"), None)

    @property
    def requests(self) -> dict[str, RollRequest]:
        """Every roll requested so far, by key."""
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


def brought_key(entry: Entry) -> str | None:
    """The key under which an entry's number is kept for the next play: "" for a new member, the
    item's key for an item, the holding's for a holding, None for an entry that brings nothing."""
    match entry:
        case kinds.Recruited():
            return ""
        case kinds.Bought():
            return entry.item
        case kinds.HoldingGained():
            return f"holding:{entry.holding}"
    return None


class Unanswered(Exception):
    """Raised when the player has yet to give an answer. Callers that can play on without it
    suppress this, so that one member's injury does not wait for another's."""


class ScriptRun:
    """The gang while the script runs. Every event goes through ``add``, every roll through
    ``roll``, every question through ``choose``.

    ``members_before``: ids of the members before the script; ``conditions_before``: their
    conditions; ``numbers``: of the members and items that an earlier play brought, by
    ``brought_key``, to give to the same before new ones are used. ``rolls``,
    ``questions`` and ``refused`` belong to the step that is being played. ``mates``: those who take
    an advance with the member who takes it now.
    """

    def __init__(
        self,
        book: Book,
        roster: Roster,
        next_id: int,
        game_report: GameReport,
        answers: Answers,
        numbers: Sequence[tuple[str, int]] = (),
    ) -> None:
        self.book, self.rules = book, book.under(roster.settings)
        self.roster = roster
        self.members_before = frozenset(member.id for member in roster.members)
        self.conditions_before = frozenset(
            (who.id, ailment.condition) for who in roster.members for ailment in who.afflictions
        )
        self.next_id = next_id
        self.numbers: defaultdict[str, deque[int]] = defaultdict(deque)
        for key, number in numbers:
            self.numbers[key].append(number)
        self.game_report = game_report
        self.answers = answers
        self.played: list[PlayedEntry] = []
        self.mates: tuple[Member, ...] = ()
        self.begin()

    def begin(self) -> None:
        """Begin a new step without rolls, questions and refusals."""
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
        """Return the state of the step that began last. It is open while an answer is missing or
        cannot be carried out, or if ``waits``."""
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
        """Apply an entry to the gang."""
        number = self.next_id
        key = brought_key(entry)
        if key is not None and self.numbers[key]:
            number = self.numbers[key].popleft()
        self.played.append(PlayedEntry(entry, number, self.roster))
        self.roster = apply(self.book, self.roster, number, entry)
        self.next_id += 1

    def find(self, member: int) -> Member | None:
        """The member with this id; None if they have left the gang."""
        return next((found for found in self.roster.members if found.id == member), None)

    def picks(self, selector: Selector, member: Member) -> bool:
        """Whether ``selector`` picks the member as they are now."""
        book = extend_book(self.book, self.roster)
        return picks(book, selector, self.roster.figure(book, member))

    def computed(self) -> ComputedGang:
        """The gang as it is now, with its computed values."""
        return ComputedGang.of(self.book, self.roster)

    def roll(self, request: RollRequest) -> DiceRoll:
        """List the request and return its roll. Raises Unanswered if the roll is not made yet."""
        roll = request.answer(self.answers.rolls)
        self.rolls.append(replace(request, roll=roll, mates=self.mates))
        if roll is None:
            raise Unanswered
        return roll

    def choose(self, question: Question, default: str = "") -> Choice:
        """List the question and return the chosen option, if it is available, or else the one
        called ``default``. Raises Unanswered if there is neither."""
        answer = self.answers.choices.get(question.key, default)
        free = {choice.value: choice for choice in question.available}
        chosen = free.get(answer) or free.get(default)
        self.questions.append(replace(question, chosen=chosen, mates=self.mates))
        if chosen is None:
            raise Unanswered
        return chosen

    def learn(
        self, member: Member, amount: int, *, award: str | None = None, roll: DiceRoll | None = None
    ) -> None:
        """Give a member experience, up to the limits of the game and of their rank."""
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

    def cannot_pay(self, price: Points, currency: str | None) -> Refusal | None:
        """Why the gang cannot pay ``price`` in money (None) or in another currency; None if it
        can."""
        if currency is None:
            return self.too_dear(price)
        return cannot_pay(self.book, self.roster, {currency: int(price)})

    def too_dear(self, price: Points) -> Refusal | None:
        """Why the treasury cannot pay ``price``; None if it can."""
        missing = whole(price - self.roster.treasury)
        return too_dear(self.book, missing) if price and missing > 0 else None
