"""A refusal: the house says no to a decision, in words, and nothing has changed."""

from __future__ import annotations

from rules.book import Book
from rules.costing import Points, whole
from rules.vocabulary import Text

Value = int | float | str | Text


class Refusal(Exception):
    """A decision that cannot be carried out.

    ``code`` says why (``gangs.wording`` has the sentence for each); ``values`` fill the sentence.
    """

    def __init__(self, code: str, **values: Value) -> None:
        super().__init__(code)
        self.code = code
        self.values = values


def too_dear(book: Book, missing: Points) -> Refusal:
    """The treasury is short of so much."""
    return Refusal("too_dear", missing=whole(missing), unit=_unit(book))


def over_budget(book: Book, missing: Points) -> Refusal:
    """The founding budget would be exceeded by so much."""
    return Refusal("over_budget", missing=whole(missing), unit=_unit(book))


def _unit(book: Book) -> Value:
    return book.money.unit if book.money else ""
