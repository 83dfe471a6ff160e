"""A gang's own items: weapons from a printed table or of the players' invention.

They are the gang's alone, declared by an entry, and from then on stand beside the rulebook's items:
priced, offered, carried and printed like those.
"""

from __future__ import annotations

from functools import lru_cache

from gangs.roster import OwnItem, Roster
from rules.book import Book
from rules.schema import Item
from rules.vocabulary import Text

SOURCE = "own"


def extended(book: Book, roster: Roster) -> Book:
    """The rulebook with the gang's own items among its items."""
    if not roster.own_items:
        return book
    return _extended(_Shelf(book, tuple(own.model_dump_json() for own in roster.own_items)))


class _Shelf:
    """A rulebook and the items to add, compared by content: what the cache remembers by."""

    def __init__(self, book: Book, items: tuple[str, ...]) -> None:
        self.book = book
        self.items = items

    def __hash__(self) -> int:
        return hash((self.book.digest, self.items))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Shelf):
            return NotImplemented
        return (self.book.digest, self.items) == (other.book.digest, other.items)


@lru_cache(maxsize=128)
def _extended(shelf: _Shelf) -> Book:
    own = [OwnItem.model_validate_json(item) for item in shelf.items]
    return shelf.book.changed(items=(*shelf.book.items, *map(_item, own)))


def _item(own: OwnItem) -> Item:
    return Item(
        key=own.key,
        name=Text(en=own.name, fr=own.name),
        source=SOURCE,
        group=own.group,
        price=own.price,
        level=own.level,
        hands=own.hands,
        columns=dict(own.columns),
        text=Text(en=own.text, fr=own.text) if own.text else None,
        tags=frozenset(own.tags),
    )


def tags_of(book: Book, group: str) -> dict[str, tuple[Text, ...]]:
    """The tags that items of a group have in the rulebook, each with the names of those items."""
    found: dict[str, tuple[Text, ...]] = {}
    for item in book.items:
        if item.group == group and item.source != SOURCE:
            for tag in sorted(item.tags):
                found[tag] = (*found.get(tag, ()), item.name)
    return found
