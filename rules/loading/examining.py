"""What there is to say of a rulebook to its author: mistakes, and notes of what is not used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rules.book.model import Book
from rules.loading.check_rolls import try_rolls
from rules.loading.notes import notes
from rules.loading.reader import BadBook, Mistake, Places, open_folder, parse, understand


@dataclass(frozen=True)
class Examined:
    """A rulebook, and what there is to say of it. A mistake keeps it from being used (rolls that
    cannot be worked out only when they are thrown); a note is for its author to think about."""

    name: str
    mistakes: tuple[Mistake, ...]
    notes: tuple[Mistake, ...] = ()


def examine(folder: Path) -> Examined:
    """What there is to say of the rulebook in ``folder``."""
    name = folder.resolve().name
    try:
        opened = open_folder(folder)
        return _examined(name, understand(opened), opened.places)
    except BadBook as bad:
        return Examined(name, tuple(bad.mistakes))


def examine_data(name: str, data: Mapping[str, object]) -> Examined:
    """The same for the data of a rulebook that is stored."""
    try:
        return _examined(name, parse(data, {}, fallback=name), Places(data, {}, name))
    except BadBook as bad:
        return Examined(name, tuple(bad.mistakes))


def _examined(name: str, book: Book, places: Places) -> Examined:
    return Examined(
        name,
        mistakes=tuple(places.mistakes(try_rolls(book))),
        notes=tuple(places.mistakes(notes(book))),
    )
