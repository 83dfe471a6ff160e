"""Currencies beside money: the amounts that a gang has, and the costs of things."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from common.errors import Refusal
from gangs.engine.roster import Member, OwnedItem, Roster
from rules.book.holdings import Holding
from rules.book.model import Archetype, Book
from rules.book.outfits import Outfit
from rules.book.schema import Item, Rank, Trait
from rules.book.vocabulary import Row, name_of

Costs = Mapping[str, int]


def costs_of(book: Book, row: Row) -> Costs:
    """The costs of a row in other currencies than money; those of all that a complete recruit
    has."""
    if isinstance(row, Archetype):
        return costs_of_outfit(book, row)
    return row.costs if isinstance(row, Rank | Trait | Item | Holding) else {}


def costs_of_outfit(book: Book, outfit: Outfit) -> Costs:
    """The costs of a complete member in other currencies."""
    rows = [book.trait[key] for key in outfit.traits]
    return add_up([book.rank[outfit.rank], *rows, *(book.item[key] for key in outfit.items)])


def add_up(rows: Iterable[Rank | Trait | Item | Holding]) -> Costs:
    """The costs of several things together."""
    total: Counter[str] = Counter()
    for row in rows:
        total.update(row.costs)
    return total


def costs_of_gang(book: Book, roster: Roster) -> Costs:
    """The costs of everything that the gang has."""
    rows: list[Rank | Trait | Item | Holding] = _items(book, roster.stash)
    rows += [book.holding[held.key] for held in roster.holdings if held.key in book.holding]
    return Counter(costs_of_members(book, roster.members)) + Counter(add_up(rows))


def costs_of_members(book: Book, members: Iterable[Member]) -> Costs:
    """The costs of members, with their traits and items."""
    rows: list[Rank | Trait | Item | Holding] = []
    for member in members:
        rows += [book.rank[member.worth_rank], *(book.trait[key] for key in member.traits)]
        rows += _items(book, member.items)
    return add_up(rows)


def _items(book: Book, items: Iterable[OwnedItem]) -> list[Rank | Trait | Item | Holding]:
    return [book.item[one.key] for one in items if not one.included and one.key in book.item]


def balance(book: Book, roster: Roster) -> dict[str, int]:
    """The amount left of each currency, by key; below zero if the gang has spent too much."""
    if not book.currencies:
        return {}
    if roster.playing:
        return {row.key: roster.purses.get(row.key, 0) for row in book.currencies}
    spent = costs_of_gang(book, roster)
    return {
        row.key: row.start + roster.purses.get(row.key, 0) - spent.get(row.key, 0)
        for row in book.currencies
    }


def cannot_pay(book: Book, roster: Roster, costs: Costs) -> Refusal | None:
    """Why the gang cannot pay costs in other currencies than money; None if it can."""
    has = balance(book, roster) if costs else {}
    for key, cost in costs.items():
        missing = cost - max(0, has.get(key, 0))
        if cost and missing > 0:
            return Refusal("lacks_currency", missing=missing, currency=name_of(book.currency, key))
    return None
