"""What is checked of every part of a rulebook: that whatever it names is there.

A part that has more to make sense of has a check of its own, by its model.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import Any

from rules.book.annotations import marker, models_in
from rules.book.characteristics import clamp, parse_value
from rules.book.labels import KeyOf
from rules.book.model import Book
from rules.book.schema import Characteristic
from rules.book.vocabulary import HOUSE, Frozen, Text, When
from rules.bounds.work import spend

Path = tuple[int | str, ...]
Wrong = Iterator[tuple[Path, str]]
# What is checked of one sort of model, wherever it stands: the book, the place, the model's value.
Checks = dict[type[Frozen], Callable[[Book, Path, Any], Wrong]]


def mistakes(book: Book, checks: Checks, wholes: tuple[type[Frozen], ...]) -> Wrong:
    """Every mistake of sense, each with its path and a sentence.

    ``checks``: those of a model's own, and of all that are made of it; ``wholes``: models so small
    that a key is missed in the whole of them.
    """
    keys = cache(lambda table: _keys(book, table))
    own = cache(lambda model: [check for kind, check in checks.items() if issubclass(model, kind)])
    for path, part in parts((), book):
        for name, key_of in _references(type(part)):
            place = path if isinstance(part, wholes) else (*path, name)
            yield from _named(place, getattr(part, name), key_of, keys(key_of.table))
        for name in ("when", "sold_when"):
            yield from _when(book, (*path, name), getattr(part, name, {}))
        if hasattr(part, "source"):
            yield from _source(book, (*path, "source"), part.source)
        for check in own(type(part)):
            yield from check(book, path, part)


def parts(path: Path, part: Frozen) -> Iterator[tuple[Path, Frozen]]:
    """``part`` and every model inside it but texts, with their places."""
    yield path, part
    for name in _inner(type(part)):
        inside = getattr(part, name)
        if isinstance(inside, Frozen):
            yield from parts((*path, name), inside)
        for index, inner in enumerate(inside if isinstance(inside, tuple) else ()):
            yield from parts((*path, name, index), inner)


@cache
def _inner(model: type[Frozen]) -> list[str]:
    """The fields with models inside that may name something: texts do not."""
    fields = model.model_fields.items()
    return [name for name, field in fields if {*models_in(field.annotation)} - {Text}]


@cache
def _references(model: type[Frozen]) -> list[tuple[str, KeyOf]]:
    """The fields that name rows."""
    marked = ((name, marker(field, KeyOf)) for name, field in model.model_fields.items())
    return [(name, key_of) for name, key_of in marked if key_of]


def named_keys(part: Frozen, table: str) -> Iterator[str]:
    """The keys of rows of ``table`` that fields of ``part`` name; those of parts inside not."""
    for name, key_of in _references(type(part)):
        if key_of.table == table:
            named = getattr(part, name)
            yield from (named,) if isinstance(named, str) else named or ()


@dataclass(frozen=True)
class Keys:
    """What a field may name: the keys of a table's rows, those of numbers among them, or tags."""

    known: frozenset[str]
    numbers: frozenset[str] = frozenset()


def _keys(book: Book, table: str) -> Keys:
    """The keys of a table's rows, or every tag that they have."""
    name = table.removeprefix("tag:")
    rows = attrgetter(name)(book)
    if name != table:
        return Keys(frozenset(tags(rows)))
    numbers = (row.key for row in rows if getattr(row, "kind", "") == "number")
    return Keys(frozenset(row.key for row in rows), frozenset(numbers))


def _named(path: Path, named: str | Iterable[str] | None, key_of: KeyOf, keys: Keys) -> Wrong:
    for key in (named,) if isinstance(named, str) else named or ():
        if key_of.what and key not in keys.known:
            yield path, f"“{key}” is no {key_of.what} of this rulebook"
        elif key_of.number and key not in keys.numbers:
            yield path, f"“{key}” is no {key_of.number}"


def check_known(path: Path, keys: Iterable[str], table: Collection[str], what: str) -> Wrong:
    """The ``keys`` are in ``table``."""
    for key in keys:
        if key not in table:
            yield path, f"“{key}” is no {what} of this rulebook"


def _source(book: Book, path: Path, written: str) -> Wrong:
    """A source starts with a key of the book's sources, or with "house"."""
    if written.split()[0] not in {HOUSE, *book.sources}:
        listed = ", ".join([*book.sources, HOUSE])
        yield path, f"“{written}” starts with no known source ({listed})"


def _when(book: Book, path: Path, condition: When) -> Wrong:
    """A condition names settings with choices, and those choices."""
    for key, values in condition.items():
        setting = book.setting.get(key)
        if setting is None or setting.kind != "choice":
            yield (*path, key), "is no setting with choices"
            continue
        for value in values:
            if not setting.accepts(value):
                yield (*path, key), f"“{value}” is no choice of this setting"


def unique(path: Path, part: Frozen) -> Wrong:
    """No two rows of a table have the same key."""
    keys = set()
    for name, rows in part:
        for index, row in enumerate(rows if isinstance(rows, tuple) else ()):
            key = (name, getattr(row, "key", index))
            if key in keys:
                yield (*path, name, index, "key"), f"“{row.key}” is there twice"
            keys.add(key)


def value(path: Path, characteristic: Characteristic | None, written: int | str) -> Wrong:
    """``written`` is a value of this characteristic, which exists."""
    if characteristic is None:
        yield path, f"“{path[-1]}” is no characteristic of this rulebook"
        return
    try:
        parse_value(characteristic, written)
    except ValueError as error:
        yield path, str(error)


def bounds(path: Path, characteristic: Characteristic, written: int | str) -> Wrong:
    """``written``, if it is a value of the characteristic at all, is within its bounds."""
    try:
        given = parse_value(characteristic, written)
    except ValueError:
        return
    held = clamp(characteristic, given)
    if held == given:
        return
    if characteristic.kind == "number":
        ends = f"{characteristic.minimum} to {characteristic.maximum}"
        yield path, f"{written} is outside the bounds of “{characteristic.key}”, {ends}"
    else:
        yield path, f"{written} is outside the bounds of “{characteristic.key}”: {held} at most"


def reached[N](start: N, following: Callable[[N], Iterable[N]]) -> set[N]:
    """All that can be reached from ``start``; itself only if some way leads back to it."""
    found: set[N] = set()
    ahead = [start]
    while ahead:
        spend(5)
        new = set(following(ahead.pop())) - found
        found |= new
        ahead += new
        spend(len(new))
    return found


def tags(rows: Iterable[Any]) -> set[str]:
    """Every tag that some rows have."""
    return {tag for row in rows for tag in row.tags}
