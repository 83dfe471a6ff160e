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
    return _missing("too_dear", book, missing)


def over_budget(book: Book, missing: Points) -> Refusal:
    """The founding budget would be exceeded by so much."""
    return _missing("over_budget", book, missing)


def _missing(code: str, book: Book, missing: Points) -> Refusal:
    unit = book.money.unit if book.money else ""
    return Refusal(code, missing=whole(missing), unit=unit)
