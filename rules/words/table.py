"""The words of a rulebook, and the table that translates them.

A translation is a map from a word's place and English text to its text in another language. It is
not part of the rulebook: versions keep their digests, and every version of a game whose texts are
the same has the same translations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from pydantic import BaseModel

from common.wording.texts import Text
from rules.book.model import Book


class Word(NamedTuple):
    """One text of a rulebook that a table can translate. ``place``: table and field
    ("ranks.name"); ``text``: in English, or in the first of the rulebook's languages."""

    place: str
    text: str


# The words of one language, by the words of the rulebook.
type WordTable = Mapping[Word, str]


@dataclass(frozen=True)
class Found:
    """A word where it is first used: ``row`` is the key of its row, or ""."""

    word: Word
    text: Text
    row: str


def find_texts(book: Book) -> Iterator[tuple[Word, Text, str]]:
    """Yield every text of a rulebook with its word and the key of its row ("" for none)."""
    return _find(book, (), "")


def find_words(book: Book) -> dict[Word, Found]:
    """Return the words of a rulebook in the order of its tables, each once."""
    found: dict[Word, Found] = {}
    for word, text, row in find_texts(book):
        found.setdefault(word, Found(word, text, row))
    return found


def _find(value: object, path: tuple[str, ...], row: str) -> Iterator[tuple[Word, Text, str]]:
    if isinstance(value, Text):
        yield Word(".".join(path), value.first), value, row
    elif isinstance(value, BaseModel):
        key = getattr(value, "key", row)
        for name in type(value).model_fields:
            inner = getattr(value, name)
            yield from _find(inner, (*path, name), key if isinstance(key, str) else row)
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _find(inner, path, row)
    elif isinstance(value, (tuple, list)):
        for inner in value:
            yield from _find(inner, path, row)


def add_translations(book: Book, tables: Mapping[str, WordTable]) -> None:
    """Give a rulebook's texts their words in other languages, in place of those given before.

    ``tables``: by language; languages that the rulebook has itself are left out. The rulebook
    counts as translated into a language if the table has at least half of its words.
    """
    added = {code: table for code, table in tables.items() if code not in book.languages}
    texts = list(find_texts(book))
    fillers = {*book.text_languages} - {*book.languages}
    for word, text, _row in texts:
        words = {code: table[word] for code, table in added.items() if word in table}
        text.set_added(words, fillers)
    most = [
        code
        for code, table in added.items()
        if texts and 2 * sum(word in table for word, _text, _row in texts) >= len(texts)
    ]
    book.translations[:] = most
