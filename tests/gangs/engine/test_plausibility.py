"""Doubts: entries that still fit after a correction, although no player would have made them."""

from __future__ import annotations

from gangs.engine import actions
from gangs.engine import entries as kinds
from gangs.engine.entries import Entry
from gangs.engine.plausibility import implausible_entries
from gangs.text.refusals import IMPLAUSIBLE
from rules.book.model import Book
from tests.world.gangs import POINTS, SLUGS, played, shipped


def codes(book: Book, *entries: Entry) -> list[tuple[int, str]]:
    founded = actions.found(book, "Gang", {})
    found = implausible_entries(book, enumerate([*founded, *entries], start=1))
    for _number, doubt in found:
        assert str(IMPLAUSIBLE[doubt.code]) % doubt.values
    return [(number, doubt.code) for number, doubt in found]


def deep_book() -> Book:
    """The rulebook whose members earn advances by experience and can be held."""
    return next(
        book
        for book in map(shipped, SLUGS)
        if book.campaign.advancement and any(row.absent for row in book.conditions)
    )


def test_spending_missing_money_is_in_doubt() -> None:
    book = shipped(POINTS)
    rank = book.ranks[-1].key
    game = played(book)
    dear = kinds.Recruited(rank=rank, paid=5)
    income = kinds.Earned(amount=5, why="gift")
    assert codes(book, dear, game, income, dear) == []
    assert codes(book, dear, game, dear, income) == [(4, "unpaid")]
    # Before the first game the budget limits spending, not the treasury.
    assert codes(book, dear, dear, game) == []


def test_advance_without_the_experience_is_in_doubt() -> None:
    book = deep_book()
    advancement = book.campaign.advancement
    assert advancement is not None
    rank = book.ranks[0].key
    traits = [
        row for row in book.traits if not row.requires and (not row.ranks or rank in row.ranks)
    ]
    taken = kinds.TraitTaken(member=2, trait=traits[0].key, advance=True)
    somebody = kinds.Recruited(rank=rank)
    enough = kinds.Learned(member=2, amount=advancement.experience)
    assert (4, "unearned") not in codes(book, somebody, enough, taken)
    assert codes(book, somebody, taken)[0] == (3, "unearned")
    again = kinds.TraitTaken(member=2, trait=traits[0].key)
    assert (5, "has_it") in codes(book, somebody, enough, taken, again)


def test_promotion_without_the_experience_is_in_doubt() -> None:
    book, row = next(
        (book, row)
        for book in map(shipped, SLUGS)
        for row in book.campaign.promotions
        if row.trigger in ("experience", "full") and row.to
    )
    most = book.rank[row.start].experience
    needed = row.experience if row.trigger == "experience" else most
    assert needed and row.to
    somebody = kinds.Recruited(rank=row.start)
    rises = kinds.Promoted(member=2, rank=row.to)
    assert codes(book, somebody, rises) == [(3, "unearned")]
    assert codes(book, somebody, kinds.Learned(member=2, amount=needed), rises) == []


def test_playing_while_absent_is_in_doubt() -> None:
    book = deep_book()
    held = next(row.key for row in book.conditions if row.absent)
    somebody = kinds.Recruited(rank=book.ranks[0].key)
    suffered = kinds.Suffered(member=2, condition=held)
    assert codes(book, somebody, played(book, "g1", 2)) == []
    assert codes(book, somebody, suffered, played(book, "g1", 2)) == [(4, "absent")]
    assert codes(book, played(book, "g1", 77)) == [(2, "missing")]


def test_recruit_beyond_the_quota_is_in_doubt() -> None:
    book, quota = next(
        (book, book.campaign.recruiting.quotas[0])
        for book in map(shipped, SLUGS)
        if book.campaign.recruiting and book.campaign.recruiting.quotas
    )
    recruit = kinds.Recruited(rank=quota.ranks[0])
    found = codes(book, played(book), *[recruit] * (quota.most + 1))
    assert (2 + quota.most + 1, "recruits_used_up") in found
    assert all(number == 2 + quota.most + 1 for number, _ in found)


def test_item_beyond_the_maximum_of_its_group_is_in_doubt() -> None:
    book, group = next(
        (book, group)
        for book in map(shipped, SLUGS)
        for group in book.groups
        if group.most_per_member is not None and any(i.group == group.key for i in book.items)
    )
    item = next(row.key for row in book.items if row.group == group.key)
    bought = kinds.Bought(item=item, member=2)
    somebody = kinds.Recruited(rank=book.ranks[0].key)
    most = group.most_per_member or 0
    found = codes(book, somebody, *[bought] * (most + 1))
    assert found == [(3 + most, "group_full")]


def test_entry_that_does_not_fit_is_not_in_doubt() -> None:
    book = shipped(POINTS)
    assert codes(book, kinds.Named(member=9, name="x"), kinds.Earned(amount=1, why="gift")) == []
