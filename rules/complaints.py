"""Small checks that all of a rulebook's tables share: each yields what is wrong, with its place."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from rules.book import Book
from rules.characteristics import read
from rules.schema import Characteristic
from rules.vocabulary import HOUSE, Effect, Selector, When

Path = tuple[int | str, ...]
Wrong = Iterator[tuple[Path, str]]


def known(path: Path, key: str | None, table: Collection[str], what: str) -> Wrong:
    """``key``, if there is one, is in ``table``."""
    if key is not None and key not in table:
        yield path, f"“{key}” is no {what} of this rulebook"


def source(book: Book, path: Path, written: str) -> Wrong:
    """A source starts with a key of the book's sources, or with "house"."""
    if written.split()[0] not in {HOUSE, *book.sources}:
        listed = ", ".join([*book.sources, HOUSE])
        yield path, f"“{written}” starts with no known source ({listed})"


def when(book: Book, path: Path, condition: When) -> Wrong:
    """A condition names settings with choices, and those choices."""
    for key, values in condition.items():
        setting = book.setting.get(key)
        if setting is None or setting.kind != "choice":
            yield (*path, key), "is no setting with choices"
            continue
        choices = {choice.key for choice in setting.choices}
        for value in values:
            if value not in choices:
                yield (*path, key), f"“{value}” is no choice of this setting"


def number_setting(book: Book, path: Path, key: str | None) -> Wrong:
    """``key``, if there is one, is a setting that holds a number."""
    if key is not None and (key not in book.setting or book.setting[key].kind != "number"):
        yield path, f"“{key}” is no setting that holds a number"


def number_characteristic(book: Book, path: Path, key: str | None) -> Wrong:
    """``key``, if there is one, is a characteristic that is a number."""
    if key is not None and key not in book.characteristic:
        yield path, f"“{key}” is no characteristic of this rulebook"
    elif key is not None and book.characteristic[key].kind != "number":
        yield path, f"“{key}” is no number"


def value(path: Path, characteristic: Characteristic | None, written: int | str) -> Wrong:
    """``written`` is a value of this characteristic, which exists."""
    if characteristic is None:
        yield path, f"“{path[-1]}” is no characteristic of this rulebook"
        return
    try:
        read(characteristic, written)
    except ValueError as error:
        yield path, str(error)


def effects(book: Book, path: Path, listed: Collection[Effect]) -> Wrong:
    """Effects change characteristics that exist, for ranks that exist."""
    for number, effect in enumerate(listed):
        place: Path = (*path, number)
        yield from when(book, (*place, "when"), effect.when)
        for key in effect.ranks:
            yield from known((*place, "ranks"), key, book.rank, "rank")
        row = book.characteristic.get(effect.characteristic)
        if row is None:
            message = f"“{effect.characteristic}” is no characteristic of this rulebook"
            yield (*place, "characteristic"), message
        elif effect.kind == "set":
            yield from value((*place, "value"), row, effect.value)
        elif effect.part is not None and row.kind != "pair":
            yield (*place, "part"), f"“{row.key}” is no pair"


def selector(book: Book, path: Path, chosen: Selector) -> Wrong:
    """A selector names what the book has."""
    tables: list[tuple[tuple[str, ...], Collection[str], str]] = [
        (chosen.ranks + chosen.not_ranks, book.rank, "rank"),
        (chosen.origins + chosen.not_origins, book.origin, "origin"),
        (chosen.professions + chosen.not_professions, book.profession, "profession"),
        (chosen.item_tags + chosen.not_item_tags, item_tags(book), "tag of an item"),
        (chosen.trait_tags + chosen.not_trait_tags, trait_tags(book), "tag of a trait"),
        (chosen.conditions, book.condition, "condition"),
    ]
    for keys, table, what in tables:
        for key in keys:
            yield from known(path, key, table, what)


def item_tags(book: Book) -> set[str]:
    """Every tag that an item has."""
    return {tag for item in book.items for tag in item.tags}


def trait_tags(book: Book) -> set[str]:
    """Every tag that a trait has."""
    return {tag for trait in book.traits for tag in trait.tags}


def table_tags(book: Book) -> set[str]:
    """Every tag that a row of a dice table has."""
    return {tag for table in book.tables for row in table.rows for tag in row.tags}
