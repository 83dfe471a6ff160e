"""Count the advances that members have earned, and the experience that traits cost them."""

from __future__ import annotations

from gangs.engine.roster import Member, Roster
from rules.book.model import Book
from rules.book.schema import Trait
from rules.engine.figure import advancement_of


def count_due(book: Book, roster: Roster, member: Member) -> int:
    """The number of advances that a member has earned and not taken; never negative."""
    row = advancement_of(book.under(roster.settings), roster.figure(book, member))
    return max(0, row.count(member.experience_at_rank) - member.advances) if row else 0


def begin_with(book: Book, roster: Roster, member: Member, experience: int) -> Member:
    """A new member with the experience that their rank starts with; its advances count as taken."""
    begun = member.changed(experience=experience)
    return begun.changed(advances=count_due(book, roster, begun))


def advances_of_rank(book: Book, roster: Roster, before: Member, after: Member) -> int:
    """The advances that a promoted member counts as taken. If other thresholds are for them now,
    they have as many advances left to take as before the promotion."""
    rules = book.under(roster.settings)
    old = advancement_of(rules, roster.figure(book, before))
    new = advancement_of(rules, roster.figure(book, after))
    if new is None or new is old:
        return after.advances
    left = max(0, old.count(after.experience_at_rank) - after.advances) if old else 0
    return max(0, new.count(after.experience_at_rank) - left)


def experience_price(member: Member, trait: Trait) -> int:
    """The experience that a member would spend on a trait now."""
    return trait.experience and trait.experience + trait.dearer * member.traits.count(trait.key)
