"""Other versions of a rulebook: with dearer rows, and without some of them.

References to a missing row are removed too, so that the rulebook can be loaded.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from rules.book.model import Book
from rules.loading.check_building import check
from rules.loading.checks import RowPath
from tests.world.gangs import shipped

TABLES = (
    "ranks",
    "origins",
    "traits",
    "professions",
    "items",
    "groups",
    "conditions",
    "settings",
    "characteristics",
    "limits",
)


def other(book: Book, dearer: int = 0, **changed: Any) -> Book:
    """The rulebook with other values, and every price raised by ``dearer``."""
    data = {**book.model_dump(mode="json"), **changed}
    for table in ("ranks", "traits", "items"):
        for row in data[table]:
            row["price"] += dearer
    return Book.model_validate(data)


@lru_cache(maxsize=512)
def without(slug: str, gone: frozenset[tuple[str, str]], dearer: int = 0) -> Book | None:
    """The rulebook without these rows (table, key); None if too little would be left."""
    data = shipped(slug).model_dump(mode="json")
    data["samples"] = []
    for table in TABLES:
        kept = [row for row in data[table] if (table, row.get("key", row.get("code"))) not in gone]
        data[table] = kept
    for _ in range(40):
        if not data["ranks"]:
            return None
        try:
            book = other(Book.model_validate(data), dearer)
        except ValueError:
            return None
        wrong = {_place(path) for path, _ in check(book)}
        if not wrong:
            return book
        # The last rows of a table first, so that the other indices stay valid.
        for place in sorted(wrong, reverse=True):
            if not _cut(data, place):
                return None
    return None


def _place(path: RowPath) -> RowPath:
    """The path of the row that ``path`` leads through, or of the field at its end."""
    end = next((place for place, part in enumerate(path, start=1) if isinstance(part, int)), None)
    return path[:end]


def _cut(data: Any, place: RowPath) -> bool:
    *above, last = place
    for part in above:
        data = data[part]
    try:
        del data[last]
    except (KeyError, IndexError, TypeError):
        return False
    return True


@st.composite
def versions(draw: Any, slug: str) -> Book:
    """Another version of a rulebook, without some rows."""
    book = shipped(slug)
    rows = [
        (table, getattr(row, "key", None) or row.code)
        for table in TABLES
        for row in getattr(book, table)
    ]
    gone = draw(st.lists(st.sampled_from(rows), max_size=4))
    found = without(slug, frozenset(gone), draw(st.integers(0, 3)))
    assume(found is not None)
    assert found is not None
    return found
