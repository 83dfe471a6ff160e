"""Checks every part of a rulebook: each key that it names must exist.

Models with more to check have functions in the other modules of this package.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from operator import attrgetter
from typing import Any

from common.wording.sentences import Label, Sentence, say, sentence_of
from common.wording.sentences import gettext_noop as _
from rules.book.annotations import marker, models_in
from rules.book.characteristics import clamp, parse_value
from rules.book.labels import KeyOf, unknown
from rules.book.model import Book
from rules.book.schema import Characteristic
from rules.book.suggesting import suggest
from rules.book.vocabulary import HOUSE, Frozen, Text, When
from rules.bounds.work import spend

RowPath = tuple[int | str, ...]
Wrong = Iterator[tuple[RowPath, str]]
# The check of each model, wherever it is used: it takes the book, the place and the model's value.
Checks = dict[type[Frozen], Callable[[Book, RowPath, Any], Wrong]]


def find_mistakes(book: Book, checks: Checks, wholes: tuple[type[Frozen], ...]) -> Wrong:
    """Every mistake of sense, each with its path and a sentence.

    ``checks``: they apply to a model and its subclasses. ``wholes``: models so small that an
    unknown key is reported at the model, not at its field.
    """
    kinds = cache(lambda table: _kinds(book, table))
    own = cache(lambda model: [check for kind, check in checks.items() if issubclass(model, kind)])
    for path, part in parts((), book):
        for name, key_of in _references(type(part)):
            place = path if isinstance(part, wholes) else (*path, name)
            yield from _check_names(place, getattr(part, name), key_of, kinds(key_of.table))
        for name in ("when", "sold_when"):
            yield from _check_when(book, (*path, name), getattr(part, name, {}))
        if hasattr(part, "source"):
            yield from _check_source(book, (*path, "source"), part.source)
        for check in own(type(part)):
            yield from check(book, path, part)


def parts(path: RowPath, part: Frozen) -> Iterator[tuple[RowPath, Frozen]]:
    """``part`` and every model inside it except texts, with their places."""
    yield path, part
    for name in _inner(type(part)):
        inside = getattr(part, name)
        if isinstance(inside, Frozen):
            yield from parts((*path, name), inside)
        for index, inner in enumerate(inside if isinstance(inside, tuple) else ()):
            yield from parts((*path, name, index), inner)


@cache
def _inner(model: type[Frozen]) -> list[str]:
    """The fields that contain models other than texts."""
    fields = model.model_fields.items()
    return [name for name, field in fields if {*models_in(field.annotation)} - {Text}]


@cache
def _references(model: type[Frozen]) -> list[tuple[str, KeyOf]]:
    """The fields that name rows."""
    marked = ((name, marker(field, KeyOf)) for name, field in model.model_fields.items())
    return [(name, key_of) for name, key_of in marked if key_of]


def named_keys(part: Frozen, table: str) -> Iterator[str]:
    """The keys of rows of ``table`` that the fields of ``part`` name, without its inner parts."""
    for name, key_of in _references(type(part)):
        if key_of.table == table:
            yield from _listed(getattr(part, name))


def _listed(named: str | Iterable[str] | None) -> Iterable[str]:
    return (named,) if isinstance(named, str) else named or ()


def _kinds(book: Book, table: str) -> dict[str, str]:
    """The kind of each row of a table by its key; or every tag of the rows, without a kind."""
    name = table.removeprefix("tag:")
    rows = attrgetter(name)(book)
    if name != table:
        return dict.fromkeys(tags(rows), "")
    return {row.key: getattr(row, "kind", "") for row in rows}


def _check_names(
    path: RowPath, named: str | Iterable[str] | None, key_of: KeyOf, kinds: Mapping[str, str]
) -> Wrong:
    for key in _listed(named):
        if key_of.what and key not in kinds:
            if key not in key_of.also:
                yield path, unknown(key, key_of.what, [*kinds, *key_of.also])
        elif key_of.number and kinds.get(key) != "number":
            message = say(_("“%(key)s” is not a %(number)s"), key=key, number=key_of.number)
            numbers = (one for one, kind in kinds.items() if kind == "number")
            yield path, suggest(message, key, numbers)


def check_known(path: RowPath, keys: Iterable[str], table: Collection[str], what: Label) -> Wrong:
    """Check that the ``keys`` are in ``table``."""
    for key in keys:
        if key not in table:
            yield path, unknown(key, what, table)


def _check_source(book: Book, path: RowPath, written: str) -> Wrong:
    """Check that a source starts with a key of the book's sources, or with "house"."""
    if written.split()[0] not in {HOUSE, *book.sources}:
        known = [*book.sources, HOUSE]
        message = _("unknown source “%(written)s” (known: %(listed)s)")
        mistake = say(message, written=written, listed=", ".join(known))
        yield path, suggest(mistake, written.split()[0], known)


def _check_when(book: Book, path: RowPath, condition: When) -> Wrong:
    """Check that a condition names settings with choices, and only choices that they have."""
    for key, values in condition.items():
        here, setting = (*path, key), book.setting.get(key)
        if setting is None or setting.kind != "choice":
            yield here, not_of_choices(book, key)
            continue
        yield from check_known(here, values, [one.key for one in setting.choices], _("choice"))


def not_of_choices(book: Book, key: str) -> Sentence:
    """Return the sentence for a key of no setting with choices."""
    known = [row.key for row in book.settings if row.kind == "choice"]
    if key not in book.setting:
        return unknown(key, _("setting"), known)
    return suggest(say(_("“%(key)s” is not a setting with choices"), key=key), key, known)


def check_unique(path: RowPath, part: Frozen) -> Wrong:
    """Check that no two rows of a table have the same key."""
    for name, rows in part:
        keys = set()
        for index, row in enumerate(rows if isinstance(rows, tuple) else ()):
            key = getattr(row, "key", index)
            if key in keys:
                yield (
                    (*path, name, index, "key"),
                    say(_("the key “%(key)s” is used twice: choose another one"), key=key),
                )
            keys.add(key)


def check_value(path: RowPath, characteristic: Characteristic, written: int | str) -> Wrong:
    """Check that ``written`` is a value of the characteristic."""
    try:
        parse_value(characteristic, written)
    except ValueError as error:
        yield path, sentence_of(error)


def check_bounds(path: RowPath, characteristic: Characteristic, written: int | str) -> Wrong:
    """Check that ``written``, if it is a value of the characteristic, is within its bounds."""
    try:
        given = parse_value(characteristic, written)
    except ValueError:
        return
    held = clamp(characteristic, given)
    if held != given:
        values = {"written": written, "key": characteristic.key}
        if characteristic.kind == "number":
            ends = {"least": characteristic.minimum, "most": characteristic.maximum}
            message = _("%(written)s is outside the range of “%(key)s”, %(least)s to %(most)s")
            yield path, say(message, **values, **ends)
        else:
            message = _("%(written)s is outside the range of “%(key)s”: the maximum is %(most)s")
            yield path, say(message, **values, most=held)


def reach[N](start: N, following: Callable[[N], Iterable[N]]) -> set[N]:
    """All that can be reached from ``start``; ``start`` itself only if a way leads back to it."""
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
