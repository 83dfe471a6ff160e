"""Entries that still fit after a correction, although nobody would have made them.

They may spend money that was not there, or take an advance that no experience had earned. The
players decide whether to keep them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import singledispatch

from common.errors import Refusal
from gangs.engine import entries as kinds
from gangs.engine.advances import count_due
from gangs.engine.belonging import why_not_owner
from gangs.engine.entries import Entry
from gangs.engine.fitting import can_fit
from gangs.engine.fold import Books, no_books, steps
from gangs.engine.own_items import extend_book, rules_for
from gangs.engine.purses import cannot_pay
from gangs.engine.roster import Member, OwnedItem, Roster
from gangs.engine.shelf import why_not_offered
from gangs.engine.validation import (
    quota_left,
    recruits_left,
    why_not_item,
    why_not_trait,
)
from rules.book.model import Book
from rules.book.season import Promotion
from rules.engine.costing import whole
from rules.engine.figure import all_traits


class Implausible(Refusal):
    """Why an entry would have been refused then (``gangs.text.refusals.IMPLAUSIBLE`` says it)."""


def implausible_entries(
    book: Book,
    numbered: Iterable[tuple[int, Entry]],
    books: Books = no_books,
    start: Roster | None = None,
) -> list[tuple[int, Refusal]]:
    """Carry entries out in order; return why some are implausible, each with the entry's number.

    Parameters as for ``gangs.engine.fold.refold``, which also leaves out entries that do not fit.
    """
    return [
        (step.number, reason)
        for step in steps(book, numbered, books, start, [])
        for reason in implausible(step.book, step.before, step.entry)
    ]


def implausible(book: Book, roster: Roster, entry: Entry) -> Iterator[Refusal]:
    """Doubts about an entry that fits ``roster``, the gang before it."""
    paid = vars(entry).get("paid", 0)
    missing = whole(paid - roster.treasury)
    if roster.playing and missing > 0 and paid and book.under(roster.settings).pays:
        yield Implausible("unpaid", missing=missing)
    why = cannot_pay(book, roster, vars(entry).get("costs", {})) if roster.playing else None
    if why is not None:
        yield Implausible(why.code, **why.values)
    yield from _implausible(entry, book, roster)


@singledispatch
def _implausible(entry: Entry, book: Book, roster: Roster) -> Iterator[Refusal]:
    """Doubts about a kind of entry, except for its payment; most kinds have none."""
    return iter(())


@_implausible.register
def _(entry: kinds.Played, book: Book, roster: Roster) -> Iterator[Refusal]:
    """Members took part who were not in the gang, or who were absent."""
    there = {member.id: member for member in roster.members}
    gone = sum(member not in there for member in entry.fielded)
    if gone:
        yield Implausible("missing", count=gone)
    for key in entry.fielded:
        if key in there and roster.absences(book, there[key], entry.scenario or ""):
            yield Implausible("absent", name=there[key].name_or_rank(book))


@_implausible.register
def _(entry: kinds.Recruited, book: Book, roster: Roster) -> Iterator[Refusal]:
    left = (recruits_left(book, roster), quota_left(book, roster, entry.rank))
    if 0 in left and not entry.by_roll:
        yield Implausible("recruits_used_up")
    if entry.owner is not None:
        yield from _not_owner(book, roster, entry.rank, entry.owner)


@_implausible.register
def _(entry: kinds.OwnerChosen, book: Book, roster: Roster) -> Iterator[Refusal]:
    rank = roster.member(entry.member).rank
    yield from _not_owner(book, roster, rank, entry.owner, entry.member)


def _not_owner(
    book: Book, roster: Roster, rank: str, owner: int, member: int | None = None
) -> Iterator[Refusal]:
    """Doubts whether somebody could own a member of a rank."""
    extended = extend_book(book, roster)
    why = why_not_owner(extended, roster, extended.rank[rank], roster.member(owner), member=member)
    if why is not None:
        yield Implausible(why.code, **why.values)


@_implausible.register
def _(entry: kinds.TraitTaken, book: Book, roster: Roster) -> Iterator[Refusal]:
    member = roster.member(entry.member)
    trait = book.trait[entry.trait]
    if entry.advance and not _has_advance(book, roster, member):
        yield Implausible("unearned")
    if entry.experience > member.experience_left:
        missing = entry.experience - member.experience_left
        yield Implausible("overspent", missing=missing, experience=book.experience_word)
    yield from why_not_trait(book, roster.figure(book, member), trait)
    if entry.teacher is not None:
        teacher = roster.member(entry.teacher)
        if trait.key not in all_traits(book, roster.figure(book, teacher)):
            yield Implausible("not_taught", name=teacher.name_or_rank(book))


@_implausible.register
def _(entry: kinds.Rolled, book: Book, roster: Roster) -> Iterator[Refusal]:
    if entry.advance and entry.member is not None:
        member = roster.member(entry.member)
        if not _has_advance(book, roster, member):
            yield Implausible("unearned")


def _has_advance(book: Book, roster: Roster, member: Member) -> bool:
    """Whether experience has earned the member another advance."""
    usual = book.campaign.advancement
    if usual is None and not book.campaign.advancements:
        return True
    # A promotion may have taken the member out of the ranks that get advances.
    left = usual.count(member.experience_at_rank) - member.advances if usual else 0
    return left > 0 or count_due(book, roster, member) > 0


@_implausible.register
def _(entry: kinds.Promoted, book: Book, roster: Roster) -> Iterator[Refusal]:
    member = roster.member(entry.member)
    if entry.by_roll:
        return
    if entry.advance:
        if not _has_advance(book, roster, member):
            yield Implausible("unearned")
        return
    promotions = [
        row
        for row in book.under(roster.settings).promotions
        if (row.start, row.to) == (member.rank, entry.rank) and row.trigger != "advance"
    ]
    # Without any, the member took an empty post, which takes no experience.
    if promotions and not any(_is_earned(book, row, member) for row in promotions):
        yield Implausible("unearned")


def _is_earned(book: Book, promotion: Promotion, member: Member) -> bool:
    if promotion.trigger == "experience":
        return member.experience_at_rank >= promotion.experience
    if promotion.trigger == "full":
        most = book.rank[member.rank].experience
        return most is not None and member.experience_at_rank >= most
    return True


@_implausible.register
def _(entry: kinds.Bought, book: Book, roster: Roster) -> Iterator[Refusal]:
    if book.offers and not entry.included:
        rules = rules_for(book, roster)
        member = None if entry.member is None else roster.member(entry.member)
        figure = None if member is None else roster.figure(rules.book, member)
        if why := why_not_offered(rules, roster, figure, rules.book.item[entry.item]):
            yield Implausible(why.code, **why.values)
    yield from _too_many(book, roster, entry.member, entry.item)
    yield from _not_fitting(book, roster, OwnedItem(id=0, key=entry.item), entry.on)


@_implausible.register
def _(entry: kinds.Moved, book: Book, roster: Roster) -> Iterator[Refusal]:
    holder, owned = roster.holder(entry.item)
    # Fitted to an item, or taken off, it stays with its owner.
    if (holder.id if holder else None) != entry.member:
        yield from _too_many(book, roster, entry.member, owned.key)
    yield from _not_fitting(book, roster, owned, entry.on)


def _not_fitting(book: Book, roster: Roster, part: OwnedItem, on: int | None) -> Iterator[Refusal]:
    if on is None or on == part.on:
        return
    host = roster.holder(on)[1]
    if not can_fit(extend_book(book, roster), roster.beside(on), host, part):
        yield Implausible("not_fitting")


def _too_many(book: Book, roster: Roster, member: int | None, item: str) -> Iterator[Refusal]:
    if member is None:
        return
    rules = rules_for(book, roster)
    figure = roster.figure(rules.book, roster.member(member))
    if why := why_not_item(rules, figure, rules.book.item[item], playing=roster.playing):
        yield Implausible(why.code, **why.values)
