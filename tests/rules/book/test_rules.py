"""The rules of a book that are in force under some settings."""

from __future__ import annotations

import pytest

from rules.book.model import MOST_RULES, Book
from tests.world.gangs import shipped


@pytest.fixture(name="book")
def any_book() -> Book:
    return shipped("cran")


def test_equal_settings_share_the_same_rules(book: Book) -> None:
    settings = book.default_settings()
    backwards = dict(reversed(settings.items()))
    assert book.under(settings) is book.under(backwards) is book.usual
    assert book.usual.settings == settings
    other = next(row for row in book.settings if row.kind == "choice")
    changed = settings | {other.key: "something else"}
    assert book.under(changed) is not book.usual
    assert book.under(changed).settings == changed


def test_rules_keep_their_settings_when_the_callers_dict_changes(book: Book) -> None:
    settings = book.default_settings()
    rules = book.under(settings)
    settings.clear()
    assert rules.settings == book.default_settings()


def test_a_book_keeps_the_rules_of_a_few_settings_only(book: Book) -> None:
    first = book.under({"n": 0})
    for number in range(1, MOST_RULES + 1):
        book.under({"n": number})
    again = book.under({"n": 0})
    assert again is not first
    assert again.items == first.items and again.identity == first.identity


def test_rules_leave_out_hidden_rows_and_rows_of_other_settings(book: Book) -> None:
    plain, hidden, bound = book.items[0], book.items[1], book.items[2]
    hidden = hidden.model_copy(update={"status": "hidden"})
    bound = bound.model_copy(update={"when": {"moon": ("new",)}})
    book = book.changed(items=(plain, hidden, bound))
    assert book.under({"moon": "full"}).items == (plain,)
    assert book.under({"moon": "new"}).items == (plain, bound)
    assert not book.under({"moon": "new"}).has(hidden)


def test_a_changed_book_makes_new_rules(book: Book) -> None:
    before = book.usual
    changed = book.changed(ranks=book.ranks[:1])
    assert changed.usual is not before
    assert changed.usual.book is changed and len(changed.usual.ranks) <= 1
