"""The largest rulebook that a stranger may write is admitted, from every way in."""

from __future__ import annotations

import json
from typing import Any

import pytest

from common.measuring import measure
from rules.book.model import Book
from rules.bounds import limits
from rules.editor.data import start_from
from rules.editor.documents import Refused, write_game
from rules.loading import strangers
from rules.loading.check_size import too_large
from rules.loading.examining import notes
from rules.loading.reader import open_texts, parse
from rules.packages.archive import pack, unpack
from rules.untrusted import LIMITS, BadVersion, read_versions
from skirmish import settings as site_settings
from tests.rules.large import large
from tests.rules.small import row, text
from tests.work import calls


@pytest.fixture(scope="module")
def book() -> Book:
    return strangers.read_book(large(), "large", tried=True)


def test_large_rulebook_is_at_the_limits_and_not_beyond(book: Book) -> None:
    data = json.loads(book.canonical())
    assert list(too_large(data)) == []
    measure(data, LIMITS)
    assert 0.95 * limits.BIGGEST_TEXT < len(book.canonical().encode()) < limits.BIGGEST_TEXT
    for table in ("ranks", "offers", "items", "limits", "tags", "traits"):
        assert len(data[table]) == limits.MOST_ROWS_OF[table]
        assert list(too_large(data | {table: [*data[table], data[table][-1]]}))


def test_large_rulebook_is_checked_without_quadratic_work(book: Book) -> None:
    work = calls(lambda: strangers.read_book(large(), "large", tried=True))
    # About as many as it has values.
    assert work < 10 * limits.MOST_VALUES
    assert calls(lambda: notes(book)) < 10 * limits.MOST_VALUES


def test_large_rulebook_goes_through_a_zip(book: Book) -> None:
    assert parse(open_texts(unpack(pack(book)).texts)) == book


def test_large_rulebook_can_be_edited(book: Book) -> None:
    data = start_from(book)
    write_game(data)
    long = row("long", text=text("x" * limits.BIGGEST_TEXT))
    with pytest.raises(Refused):
        write_game(data | {"traits": [*data["traits"], long]})


def test_form_that_publishes_it_is_not_too_large() -> None:
    assert limits.BIGGEST_TEXT + 100_000 < site_settings.DATA_UPLOAD_MAX_MEMORY_SIZE


@pytest.mark.django_db
def test_two_large_versions_arrive_in_one_file(book: Book) -> None:
    found = read_versions(dict(map(version, (book, book.changed(edition="2")))))
    assert [one.slug for one in found] == ["large", "large"]
    four = dict(version(book.changed(edition=str(number))) for number in range(4))
    with pytest.raises(BadVersion, match="too_big"):
        read_versions(four)


def version(book: Book) -> tuple[str, Any]:
    return book.digest, book.canonical()
