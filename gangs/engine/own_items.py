"""A gang's own items: weapons from a printed table or of the players' invention.

They are the gang's alone, declared by an entry, and from then on stand beside the rulebook's items:
priced, offered, carried and printed like those.
"""

from __future__ import annotations

from functools import lru_cache

from common.keyed import Keyed
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
    return _extended(Keyed(book.digest, book), items)


@lru_cache(maxsize=128)
def _extended(book: Keyed[Book], items: tuple[str, ...]) -> Book:
    own = map(OwnItem.model_validate_json, items)
    return book.value.changed(items=(*book.value.items, *map(_item, own)))


def _item(own: OwnItem) -> Item:
    words = {"name": own.name, "text": own.text}
    texts = {key: Text(en=word, fr=word) if word else None for key, word in words.items()}
    effects = [
        {"kind": "add", "characteristic": key, "amount": amount} for key, amount in own.adds.items()
    ]
    data = {**own.model_dump(exclude={"adds"}), **texts, "effects": effects, "source": SOURCE}
    return Item.model_validate(data)


def tags_of(book: Book, group: str) -> dict[str, tuple[Text, ...]]:
    """The tags that items of a group have in the rulebook, each with the names of those items."""
    found: dict[str, tuple[Text, ...]] = {}
    for item in book.items:
        if item.group == group and item.source != SOURCE:
            for tag in sorted(item.tags):
                found[tag] = (*found.get(tag, ()), item.name)
    return found
