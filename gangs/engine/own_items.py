"""A gang's own items: weapons from a printed table or of the players' invention.

They are the gang's alone, declared by an entry, and from then on stand beside the rulebook's items:
priced, offered, carried and printed like those.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from gangs.engine.roster import OwnItem, Roster
from rules.book.model import Book
from rules.book.schema import Item
from rules.book.vocabulary import Text

SOURCE = "own"


def extended(book: Book, roster: Roster) -> Book:
    """The rulebook with the gang's own items among its items."""
    if not roster.own_items:
        return book
    items = tuple(own.model_dump_json() for own in roster.own_items)
    return _extended(_Extension(book.digest, items, book))


@dataclass(frozen=True)
class _Extension:
    """A rulebook and the items to add, compared by content: what the cache remembers by."""

    digest: str
    items: tuple[str, ...]
    book: Book = field(compare=False)


@lru_cache(maxsize=128)
def _extended(wanted: _Extension) -> Book:
    own = [OwnItem.model_validate_json(item) for item in wanted.items]
    return wanted.book.changed(items=(*wanted.book.items, *map(_item, own)))


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
