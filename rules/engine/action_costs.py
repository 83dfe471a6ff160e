"""What an action costs somebody: its cost with all that modifies it."""

from __future__ import annotations

from rules.book.model import Book
from rules.book.vocabulary import Settings
from rules.engine.expressions import Names, read

COST = "cost"


def action_cost(book: Book, settings: Settings, key: str, names: Names) -> int:
    """What the action of this key costs whom ``names`` are about, never less than nothing.

    Raises KeyError for no action of the book, Unknown for a name that nobody gives a value.
    """
    found = read(book.action[key].cost).number(names)
    for row in book.in_force(book.modifiers, settings):
        changes = row.on == COST and (not row.actions or key in row.actions)
        if changes and (row.given is None or read(row.given).holds(names)):
            found += read(row.amount).number(names)
    return max(0, found)
