"""Items fitted to other items: which fit where, and the changes that they make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from itertools import islice
from operator import attrgetter

from common.wording.texts import in_each
from rules.book.model import Book
from rules.book.schema import Fitting, Item
from rules.book.vocabulary import Key, Text
from rules.engine.cells import add_to_cell

# The most items with a part that the odds page offers.
MOST_ASSEMBLED = 200


class FittedItem(Item):
    """An item with others fitted to it. ``base``: the key of its own row."""

    base: Key

    @property
    def row_key(self) -> str:
        """The key of its own row in the rulebook."""
        return self.base


def fits(part: Item, host: Item) -> bool:
    """Whether an item can be fitted to another, which must not be one to fit to others."""
    where = part.fits
    if where is None or host.fits is not None:
        return False
    tagged = not host.tags.isdisjoint(where.item_tags)
    return tagged or host.key in where.items or host.group in where.groups


def has_room(part: Item, others: Iterable[Item]) -> bool:
    """Whether an item with these ``others`` fitted to it can have ``part``, too."""
    same = sum(other.group == part.group for other in others)
    return part.fits is not None and same < part.fits.most


def find_host(book: Book, items: Sequence[str], on: Mapping[int, int], key: str) -> int | None:
    """The index of the last of these ``items`` that another can be fitted to; None if there is
    none. ``on``: where they are fitted to each other, the index of the host by that of its part."""
    part = book.item[key]
    for place in reversed(range(len(items))):
        others = (book.item[items[one]] for one, host in on.items() if host == place)
        if place not in on and fits(part, book.item[items[place]]) and has_room(part, others):
            return place
    return None


def pair_up(book: Book, items: Sequence[str]) -> dict[int, int]:
    """Fit each of the ``items`` of a complete figure to the nearest one before it that can take it.
    Returns the index of the host by that of its part."""
    on: dict[int, int] = {}
    for place, key in enumerate(items):
        host = find_host(book, items[:place], on, key) if book.item[key].fits else None
        if host is not None:
            on[place] = host
    return on


def arm(
    book: Book, items: Sequence[str], on: Mapping[int, int]
) -> tuple[tuple[str, ...], tuple[Item, ...]]:
    """Assemble each of these ``items`` that has others fitted to it. Returns the keys with the new
    ones in their places, and the assembled items. ``on``: as for ``find_host``."""
    keys, assembled = list(items), dict[str, Item]()
    for place in dict.fromkeys(on.values()):
        parts = [book.item[items[one]] for one, host in on.items() if host == place]
        row = assemble(book, book.item[items[place]], parts)
        keys[place], assembled[row.key] = row.key, row
    return tuple(keys), tuple(assembled.values())


def list_assembled(book: Book) -> list[FittedItem]:
    """List each item with each of the parts that can be fitted to it alone, at most
    MOST_ASSEMBLED."""
    parts = [item for item in book.items if item.fits is not None]
    pairs = ((host, part) for part in parts for host in book.items if fits(part, host))
    return [assemble(book, host, [part]) for host, part in islice(pairs, MOST_ASSEMBLED)]


def assemble(book: Book, host: Item, parts: Sequence[Item]) -> FittedItem:
    """The item with ``parts`` fitted to it: its name, columns and tags, also when it is used in
    another way. Equal ones have the same key."""
    fittings = [part.fits for part in parts if part.fits is not None]
    known = {column.key for column in book.group[host.group].columns}
    columns = dict(host.columns)
    for fitting in fittings:
        columns |= {key: cell for key, cell in fitting.columns.items() if key in known}
    tags = frozenset[str]().union(*map(attrgetter("tags"), fittings))
    modes = tuple(
        mode.model_copy(
            update={
                "columns": _add(book, mode.group or host.group, mode.columns, fittings),
                "tags": mode.tags | tags,
            }
        )
        for mode in host.modes
    )
    combination = " ".join([host.key, *sorted(part.key for part in parts)])
    return FittedItem.model_construct(
        **dict(host)
        | {
            "key": f"fitted-{sha256(combination.encode()).hexdigest()[:12]}",
            "base": host.key,
            "name": in_each([host.name], partial(_name, host, parts)),
            "columns": _add(book, host.group, columns, fittings),
            "tags": host.tags | tags,
            "modes": modes,
        }
    )


def _name(host: Item, parts: Sequence[Item], language: str) -> str:
    """The name of an item with the names of its parts, "Rifle (Sight)"."""
    fitted = ", ".join(part.name.translated(language) for part in parts)
    return f"{host.name.translated(language)} ({fitted})"


def _add(
    book: Book, group: str, cells: Mapping[str, str | Text], fittings: Iterable[Fitting]
) -> dict[str, str | Text]:
    """The cells of an item of this group with everything that is added to them."""
    columns = {column.key: column for column in book.group[group].columns}
    found = dict(cells)
    for fitting in fittings:
        for key, more in fitting.adds.items():
            if key in columns and key in found:
                found[key] = add_to_cell(columns[key], found[key], more)
    return found
