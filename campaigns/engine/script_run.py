"""The stage: a gang while a post-game runs, and what has been asked of its player so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from campaigns.situation import Answers, Situation
from campaigns.steps import Asked, Question, Status, Unmet
from gangs import entries as kinds
from gangs.entries import Entry
from gangs.fold import apply
from gangs.own_items import extended
from gangs.refusal import Refusal, too_dear
from gangs.roster import Member, Roster
from gangs.scene import Scene
from rules.book import Book
from rules.costing import Points, whole
from rules.dice import Roll
from rules.fates import Option
from rules.selecting import picks
from rules.vocabulary import Selector


class Stage:
    """The gang while the script runs. Everything that happens goes through ``add``.

    ``there``: who was in the gang before, ``ailing``: with which conditions; ``recruits``: the
    numbers that recruits are known by, the next ones once those are used up; ``numbers``: those of
    ``entries``. ``rolls``, ``questions`` and ``refused`` are those of the step being played.
    """

    def __init__(
        self,
        book: Book,
        roster: Roster,
        next_id: int,
        situation: Situation,
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
        self.numbers: list[int] = []
        self.situation = situation
        self.answers = answers
        self.entries: list[Entry] = []
        self.rolls: list[Asked] = []
        self.questions: list[Question] = []
        self.refused: list[Unmet] = []

    def begin(self) -> None:
        """A new step begins: nothing has been asked in it."""
        self.rolls, self.questions, self.refused = [], [], []

    def add(self, entry: Entry) -> None:
        """Let an entry happen."""
        number = self.next_id
        if isinstance(entry, kinds.Recruited):
            number = next(self.recruits, number)
        self.roster = apply(self.book, self.roster, number, entry)
        self.entries.append(entry)
        self.numbers.append(number)
        self.next_id += 1

    def find(self, member: int) -> Member | None:
        """A member of the gang, if he still is one."""
        return next((found for found in self.roster.members if found.id == member), None)

    def picks(self, selector: Selector, member: Member) -> bool:
        """Whether ``selector`` picks the member as he is now."""
        book = extended(self.book, self.roster)
        return picks(book, selector, self.roster.figure(book, member))

    def scene(self) -> Scene:
        """The gang as it is now, worked out."""
        return Scene.of(self.book, self.roster)

    def ask(self, asked: Asked) -> Roll | None:
        """The roll that was answered, if it is one of these dice; either way it is listed."""
        roll = self.answers.rolls.get(asked.key)
        if roll is not None and roll.dice != asked.dice:
            roll = None
        self.rolls.append(replace(asked, roll=roll))
        return roll

    def choose(
        self,
        key: str,
        member: Member,
        options: tuple[Option, ...],
        refusals: tuple[Refusal | None, ...],
    ) -> Option | None:
        """The option that was chosen, if it can be had; either way the question is listed."""
        chosen = self.answers.choices.get(key)
        if chosen is not None and (chosen >= len(options) or refusals[chosen] is not None):
            chosen = None
        self.questions.append(Question(key, member, options, refusals, chosen))
        return None if chosen is None else options[chosen]

    def learn(
        self, member: Member, amount: int, *, award: str | None = None, roll: Roll | None = None
    ) -> None:
        """Let a member earn experience, as far as the game and his rank let him."""
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


def status(waits: bool) -> Status:
    """The status of a step that has been played as far as the answers reach."""
    return "open" if waits else "done"
