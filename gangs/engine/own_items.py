"""A gang's own items: weapons from a printed table, or invented by its players.

An entry declares each. From then on this gang prices, buys, carries and prints it like an item of
the rulebook.
"""

from __future__ import annotations

from functools import lru_cache

from common.wording.texts import FIRST
from gangs.engine.keyed import Keyed
from gangs.engine.roster import OwnItem, Roster
from rules.book.model import Book, Rules
from rules.book.schema import Item
from rules.book.vocabulary import Text
from rules.odds.player_items import amount, find_changed, with_items

SOURCE = "own"


def extend_book(book: Book, roster: Roster) -> Book:
    """The rulebook with the gang's own items among its items."""
    if not roster.own_items:
        return book
    items = tuple(own.model_dump_json() for own in roster.own_items)
    return _extended(Keyed(book.digest, book), items)


def rules_for(book: Book, roster: Roster) -> Rules:
    """The rules in force for a gang, its own items among them."""
    return extend_book(book, roster).under(roster.settings)


@lru_cache(maxsize=128)
def _extended(book: Keyed[Book], items: tuple[str, ...]) -> Book:
    own = map(OwnItem.model_validate_json, items)
    return with_items(book.value, [_item(book.value, one) for one in own])


def _item(book: Book, own: OwnItem) -> Item:
    words = {"name": own.name, "text": own.text}
    texts = {key: Text({FIRST: word}) if word else None for key, word in words.items()}
    effects = [
        {"kind": "add", "characteristic": key, "amount": more}
        for key, more in {**_of_columns(book, own), **own.adds}.items()
    ]
    data = {**own.model_dump(exclude={"adds"}), **texts, "effects": effects, "source": SOURCE}
    return Item.model_validate(data)


def _of_columns(book: Book, own: OwnItem) -> dict[str, int]:
    """Amounts that the columns of an item add to characteristics, as in the rulebook's items."""
    group = book.group.get(own.group)
    found = {
        characteristic: amount(book, characteristic, own.columns.get(column, ""))
        for column, characteristic in (find_changed(book, group) if group else {}).items()
    }
    return {key: more for key, more in found.items() if more}


def tags_of(book: Book, group: str) -> dict[str, tuple[Text, ...]]:
    """The tags of a group's items in the rulebook, each with the names of its items."""
    found: dict[str, tuple[Text, ...]] = {}
    for item in book.items:
        if item.group == group and item.source != SOURCE:
            for tag in sorted(item.tags):
                found[tag] = (*found.get(tag, ()), item.name)
    return found
