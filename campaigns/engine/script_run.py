"""A gang while a post-game runs, and what has been asked of its player so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from campaigns.engine.report import Answers, GameReport
from campaigns.engine.script_state import (
    Asked,
    Choice,
    Hiring,
    PlayedEntry,
    PromotionOffer,
    Question,
    StepState,
    Unmet,
)
from common.errors import Refusal
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.engine.errors import too_dear
from gangs.engine.fold import apply
from gangs.engine.own_items import extended
from gangs.engine.roster import Member, Roster
from rules.book.model import Book
from rules.book.season import AnyStep
from rules.book.vocabulary import Selector
from rules.engine.costing import Points, whole
from rules.engine.dice import Roll
from rules.engine.selecting import picks


class Unanswered(Exception):
    """What comes next depends on an answer that the player has still to give. Who plays on without
    it suppresses this: one member's injury does not wait for another's."""


class ScriptRun:
    """The gang while the script runs. Everything that happens goes through ``add``, every roll
    through ``roll``, every question through ``choose``.

    ``there``: who was in the gang before, ``ailing``: with which conditions; ``recruits``: the
    numbers that recruits are known by, the next ones once those are used up. ``rolls``,
    ``questions`` and ``refused`` are those of the step being played.
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
        self.book = book
        self.roster = roster
        self.there = frozenset(member.id for member in roster.members)
        self.ailing = frozenset(
            (member.id, one.condition) for member in roster.members for one in member.afflictions
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
        self.rolls: list[Asked] = []
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
            or any(asked.roll is None for asked in self.rolls)
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
        book = extended(self.book, self.roster)
        return picks(book, selector, self.roster.figure(book, member))

    def computed(self) -> ComputedGang:
        """The gang as it is now, worked out."""
        return ComputedGang.of(self.book, self.roster)

    def roll(self, asked: Asked) -> Roll:
        """The roll as it was made; it is listed. Raises Unanswered if it is still to be made."""
        roll = asked.answer(self.answers.rolls)
        self.rolls.append(replace(asked, roll=roll))
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
        self, member: Member, amount: int, *, award: str | None = None, roll: Roll | None = None
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
