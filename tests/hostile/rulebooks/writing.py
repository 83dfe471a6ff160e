"""Changes of a variant in the format of its file, and the rulebook that they change."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from rules.book.model import Book
from rules.editor.files import FORMAT
from rules.editor.places import Written, take_apart
from rules.loading.reader import read_folder

BOOKS = Path(__file__).parents[3] / "rules" / "books"
SLUGS = tuple(sorted(path.name for path in BOOKS.iterdir() if path.is_dir()))

Data = dict[str, Any]
Change = dict[str, Any]


@dataclass(frozen=True)
class Base:
    """A shipped rulebook: its digest and its rows by table and name. ``added``: the tables and
    names of rows that the variant itself adds, which its other rows may name."""

    slug: str
    name: str
    digest: str
    written: Written
    book: Book = field(repr=False)
    added: tuple[tuple[str, str], ...] = ()

    def keys(self, table: str) -> list[str]:
        """Return the names of the rows of a table, in order."""
        return [*self.written.rows(table), *(name for of, name in self.added if of == table)]

    def row(self, table: str, name: str) -> Data:
        """Return a copy of a row's data."""
        found: Data = json.loads(json.dumps(self.written.rows(table)[name]))
        return found

    def some(self, table: str, dice: Random) -> str:
        """Return the name of any row of the table; a name that does not exist if it has none."""
        return dice.choice(self.keys(table) or ["nothing"])


@cache
def base(slug: str) -> Base:
    """Return a shipped rulebook by its slug."""
    book = read_folder(BOOKS / slug)
    return Base(slug, book.name["en"], book.digest, take_apart(book), book)


# A shape draws the changes of one variant.
Shape = Callable[[Random, Base], list[Change]]
SHAPES: dict[str, Shape] = {}


def shape(made: Shape) -> Shape:
    """Register a shape under the name of its function."""
    SHAPES[made.__name__] = made
    return made


def text(words: str) -> Data:
    """Return a text in both languages."""
    return {"en": words, "fr": words}


def row(key: str, **fields: Any) -> Data:
    """Return a row with the fields that every row has."""
    return {"key": key, "name": text(key), "source": "house", **fields}


def add(table: str, data: Data, name: str = "") -> Change:
    """Return a change that adds a row. ``name``: its name, if that is not its key."""
    return {"kind": "add", "table": table, "row": name or data["key"], "data": data}


def put(table: str, name: str, place: str, value: Any) -> Change:
    """Return a change that sets a field of a row; a dot separates the field from the key
    inside it.
    """
    return {
        "kind": "set",
        "table": table,
        "row": name,
        "field": place.split("."),
        "value": value,
    }


def status(table: str, name: str, value: str) -> Change:
    """Return a change that hides, bans or removes a row."""
    return {"kind": "status", "table": table, "row": name, "status": value}


def file_of(on: Base, name: str, changes: list[Change]) -> bytes:
    """Return the variant's file."""
    data = {
        "format": FORMAT,
        "format_version": 1,
        "name": name,
        "book": on.slug,
        "book_name": on.name,
        "digest": on.digest,
        "overlay": {"changes": changes},
    }
    return json.dumps(data, separators=(",", ":")).encode()


def number(dice: Random, *usual: int) -> int:
    """Return a size: a usual one, or a number near a power that is a typical limit."""
    limits = (0, 1, 2, 9, 10, 20, 60, 61, 99, 100, 999, 2000, 2001, 9999, 10**9 - 1, 10**9, 2**31)
    return dice.choice(usual) if usual and dice.random() < 0.85 else dice.choice(limits)
