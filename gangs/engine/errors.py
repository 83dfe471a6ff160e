"""Refusals of payments, and the error for entries that do not fit."""

from __future__ import annotations

from common.errors import Refusal
from rules.book.model import Book
from rules.book.vocabulary import Text
from rules.engine.costing import Points, whole


def too_dear(book: Book, missing: Points) -> Refusal:
    """The refusal for a treasury that is ``missing`` some money."""
    return Refusal("too_dear", missing=whole(missing), unit=_unit(book))


def over_budget(book: Book, missing: Points) -> Refusal:
    """The refusal for a founding budget that would be exceeded by the ``missing`` money."""
    return Refusal("over_budget", missing=whole(missing), unit=_unit(book))


def keep_for(book: Book, kept: Points, what: str | Text) -> Refusal:
    """The caution for a founding budget with too little left for what the gang still needs."""
    return Refusal("keep_for", kept=whole(kept), unit=_unit(book), what=what)


def _unit(book: Book) -> object:
    return book.money.unit if book.money else ""


class Misfit(Exception):
    """Raised for an entry that does not fit the entries before it.

    ``code``: no_member, no_item, no_trait, no_condition, no_holding, unknown (the rulebook has
    no such row), played_twice, no_game (the game that it came from is struck), no_gang (the gang is
    not founded yet, or is already), unknown_book (this site does not have the version of the
    rulebook that the gang was upgraded to) or other_rules (that is a rulebook of another game).
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code
