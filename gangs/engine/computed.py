"""A gang with what follows from it worked out once: what checks, offers and pages look at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from gangs.own_items import extended
from gangs.roster import Member, Roster
from gangs.worth import gang_price
from rules.book import Book
from rules.costing import Points, whole
from rules.figure import Figure
from rules.profiles import Profile, profile


@dataclass(frozen=True)
class Scene:
    """A gang, with a figure and a profile for every member."""

    book: Book
    roster: Roster
    figures: dict[int, Figure]
    profiles: dict[int, Profile]

    @classmethod
    def of(cls, book: Book, roster: Roster) -> Scene:
        """Work out the profiles of all members; the gang's own items join the rulebook's."""
        book = extended(book, roster)
        return cls._worked_out(book, roster, roster.members)

    @classmethod
    def of_one(cls, book: Book, roster: Roster, member: Member) -> Scene:
        """Work out one member's profile alone; he may have left the gang."""
        return cls._worked_out(extended(book, roster), roster, (member,))

    @classmethod
    def _worked_out(cls, book: Book, roster: Roster, members: tuple[Member, ...]) -> Scene:
        figures = {member.id: roster.figure(book, member) for member in members}
        profiles = {key: profile(book, roster.settings, figure) for key, figure in figures.items()}
        return cls(book, roster, figures, profiles)

    @cached_property
    def counted(self) -> tuple[Member, ...]:
        """The members that count in limits."""
        return self.roster.counted(self.book)

    @cached_property
    def price(self) -> Points:
        """What the whole gang would cost to recruit as it is, stash included."""
        return gang_price(self.book, self.roster)

    @property
    def left(self) -> Points | None:
        """What may still be spent: of the founding budget, or of the treasury once playing; None
        where the game, or the campaign by its settings, counts no money.
        """
        if self.roster.playing:
            return self.roster.treasury if self.book.pays(self.roster.settings) else None
        budget = self.book.budget(self.roster.settings)
        return None if budget is None else whole(budget - self.price)
