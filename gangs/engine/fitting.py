"""Items that a gang has fitted to other items: where they can go, and what that makes of both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from gangs.engine.keyed import Keyed
from gangs.engine.own_items import extend_book
from gangs.engine.roster import Member, OwnedItem, Roster
from rules.book.model import Book
from rules.book.schema import Item
from rules.engine import fitting
from rules.engine.figure import Figure


def find_places(items: Sequence[OwnedItem]) -> dict[int, int]:
    """For the index of each item that is fitted to another of them, the index of that one."""
    places = {owned.id: place for place, owned in enumerate(items)}
    return {place: places[owned.on] for place, owned in enumerate(items) if owned.on in places}


def find_host(book: Book, items: Sequence[OwnedItem], key: str) -> int | None:
    """The id of the nearest of a member's items that one more item can be fitted to; None if there
    is none."""
    if book.item[key].fits is None:
        return None
    keys = [owned.key for owned in items]
    place = fitting.find_host(book, keys, find_places(items), key)
    return None if place is None else items[place].id


def parts_of(items: Sequence[OwnedItem], host: OwnedItem) -> list[OwnedItem]:
    """The items of a member that are fitted to one of their items."""
    return [owned for owned in items if owned.on == host.id]


def can_fit(book: Book, items: Sequence[OwnedItem], host: OwnedItem, part: OwnedItem) -> bool:
    """Whether an item can be fitted to one of ``items``, which may have it already."""
    others = [book.item[one.key] for one in parts_of(items, host) if one.id != part.id]
    row = book.item[part.key]
    return (
        host.on is None and fitting.fits(row, book.item[host.key]) and fitting.has_room(row, others)
    )


def hosts(book: Book, roster: Roster, part: OwnedItem) -> Iterator[tuple[Member | None, OwnedItem]]:
    """Yield the items of the gang that an item can be fitted to, each with its owner (None: the
    stash), except the one that has it."""
    if book.item[part.key].fits is None:
        return
    for owner in (*roster.members, None):
        items = roster.stash if owner is None else owner.items
        for host in items:
            if host.id != part.on and can_fit(book, items, host, part):
                yield owner, host


def assembled(book: Book, items: Sequence[OwnedItem], host: OwnedItem) -> Item:
    """The row of one of a member's items, with everything that is fitted to it."""
    parts = [book.item[owned.key] for owned in parts_of(items, host)]
    row = book.item[host.key]
    return fitting.assemble(book, row, parts) if parts else row


def fit_out(book: Book, keys: Sequence[str], first: int = 0) -> tuple[OwnedItem, ...]:
    """The items of a complete figure, numbered from ``first``, those that can be fitted to one
    before them."""
    on = fitting.pair_up(book, keys)
    return tuple(
        OwnedItem(id=first + place, key=key, on=first + on[place] if place in on else None)
        for place, key in enumerate(keys)
    )


def arm(book: Book, roster: Roster, member: Member) -> tuple[Book, Figure]:
    """A member as rolls and tables see them, with each item as what is fitted to it makes of it;
    and the rulebook that knows these items, and the gang's own."""
    book, figure = extend_book(book, roster), roster.figure(book, member)
    found: dict[str, Item] = {}
    for one in (*roster.members, member):
        places = find_places(one.items)
        if places:
            keys, new = fitting.arm(book, [owned.key for owned in one.items], places)
            found |= {row.key: row for row in new}
            if one.id == member.id:
                figure = replace(figure, items=keys)
    if not found:
        return book, figure
    # One book for the whole gang: its rules and rolls are made ready once.
    # Their names are made of words, which a translation may change.
    rows = Keyed(tuple((key, row.name) for key, row in found.items()), tuple(found.values()))
    return _with_rows(Keyed(book.digest, book), rows), figure


@lru_cache(maxsize=64)
def _with_rows(book: Keyed[Book], rows: Keyed[tuple[Item, ...]]) -> Book:
    return book.value.changed(items=(*book.value.items, *rows.value))


def in_order(items: Sequence[OwnedItem]) -> list[OwnedItem]:
    """The items in their order, each followed by those that are fitted to it."""
    return [one for owned in items if owned.on is None for one in (owned, *parts_of(items, owned))]
