"""A gang with its profiles worked out once, for checks, offers and pages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from gangs.engine.own_items import rules_for
from gangs.engine.roster import Member, Roster
from gangs.engine.shelf import Shelf, find_shelves
from gangs.engine.valuation import gang_price
from rules.book.model import Book, Rules
from rules.engine.costing import Points, price, whole
from rules.engine.figure import Figure, picks
from rules.engine.profiles import Profile, points_allowed, profile


@dataclass(frozen=True)
class ComputedGang:
    """A gang, with a figure and a profile for every member."""

    rules: Rules
    roster: Roster
    figures: dict[int, Figure]
    profiles: dict[int, Profile]

    @classmethod
    def of(
        cls, book: Book, roster: Roster, *only: Member, previous: ComputedGang | None = None
    ) -> ComputedGang:
        """Work out the profiles of all members, or ``only`` of some, who may have left the gang.

        The gang's own items join the rulebook's. ``previous``: another state of the gang, whose
        profiles are reused for figures that have not changed.
        """
        rules = rules_for(book, roster)
        figures = {
            member.id: roster.figure(rules.book, member) for member in only or roster.members
        }
        known: dict[int, Figure] = {}
        if previous and previous.rules is rules:
            known = previous.figures
        profiles = {
            key: previous.profiles[key]
            if previous and known.get(key) == figure
            else profile(rules, figure)
            for key, figure in figures.items()
        }
        return cls(rules, roster, figures, profiles)

    @property
    def book(self) -> Book:
        """The rulebook, the gang's own items among its items."""
        return self.rules.book

    def earns(self, member: Member) -> bool:
        """Whether a member ever earns experience: an award is for them, or they have some already;
        in a game without awards, injuries may teach anybody."""
        awards = self.rules.awards
        if member.experience or not awards:
            return True
        figure = self.figures[member.id]
        return any(picks(self.book, award.of, figure) for award in awards)

    @cached_property
    def shelves(self) -> list[Shelf]:
        """The shelves that the gang's stash is filled from."""
        return list(find_shelves(self.rules, self.roster))

    @cached_property
    def counted(self) -> tuple[Member, ...]:
        """The members that count in limits."""
        return self.roster.counted(self.book)

    @cached_property
    def price(self) -> Points:
        """The price of recruiting the whole gang as it is, stash included."""
        return gang_price(self.book, self.roster, self.figures)

    def cost(self, figure: Figure) -> Points:
        """The price at which the gang recruits a figure like this."""
        return price(self.rules, figure, playing=self.roster.playing).total

    def extra(self, before: Figure, after: Figure) -> Points:
        """How much more ``after`` costs than ``before``; 0 if it costs less."""
        return whole(max(0, self.cost(after) - self.cost(before)))

    def points_left(self, member: Member) -> int:
        """How many points the member still has to spread; below zero if they spread too many."""
        return points_allowed(self.book, self.figures[member.id]) - sum(member.points.values())

    @property
    def left(self) -> Points | None:
        """The money left to spend: of the founding budget, or of the treasury once playing; None
        where the game, or the campaign by its settings, counts no money.
        """
        if self.roster.playing:
            return self.roster.treasury if self.rules.pays else None
        budget = self.rules.budget
        return None if budget is None else whole(budget - self.price)
