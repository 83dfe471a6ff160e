"""Custom items of players, read like the rulebook's own: the words in their cells, and the effects
of their columns on the bearer.

A rulebook declares the words of a column and the effects of each of its items. Players write
"Strength +2" or "+1" into a column, and mean what the rulebook's items of that kind do.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from itertools import chain

from rules.book.model import Book
from rules.book.schema import Column, Item, ItemGroup
from rules.book.vocabulary import Text
from rules.engine.cells import BadCell, cell_of, read_cell
from rules.engine.fitting import arm, list_assembled, pair_up
from rules.engine.situations import spell


def with_items(book: Book, items: Iterable[Item]) -> Book:
    """Return the rulebook with ``items`` of players added.

    Its columns know the characteristics that these items name, by name or label ("Strength +2").
    """
    more = tuple(items)
    groups = tuple(_with_words(book, group, more) for group in book.groups)
    return book.changed(items=(*book.items, *more), groups=groups)


def with_fittings(book: Book) -> Book:
    """Return the rulebook with each item that has a part fitted to it as an item of its own, and
    with those of ready-made gangs."""
    of_samples = [
        arm(book, member.items, pair_up(book, member.items))[1]
        for sample in book.samples
        for member in sample.members
    ]
    found = {item.key: item for item in chain(list_assembled(book), *of_samples)}
    return book.changed(items=(*book.items, *found.values())) if found else book


def readable(book: Book, group: ItemGroup, column: Column, written: str) -> bool:
    """Whether the text of a player in a column can be worked out, for an item of that kind."""
    characteristic = find_changed(book, group).get(column.key)
    if characteristic is not None and amount(book, characteristic, written) is not None:
        return True
    try:
        cell_of(_knowing(book, column, [written]), written)
    except BadCell:
        return False
    return True


def find_changed(book: Book, group: ItemGroup) -> dict[str, str]:
    """Find the columns of a kind of item that mean a change of a characteristic.

    In each of the rulebook's items of that kind, the number in the column is what the item adds to
    the characteristic.
    """
    found: dict[str, set[str]] = {}
    for column in group.columns:
        for item in book.items:
            if item.group != group.key or column.key not in item.columns:
                continue
            number = _number(item.columns[column.key])
            if number:
                adds = {
                    effect.characteristic
                    for effect in item.effects
                    if effect.kind == "add" and effect.amount == number
                }
                found[column.key] = found.get(column.key, adds) & adds
    return {key: only for key, named in found.items() if len(named) == 1 for only in named}


def amount(book: Book, characteristic: str, written: str) -> int | None:
    """Return the amount that a cell adds to a characteristic, with or without its name; None if the
    cell says something else."""
    try:
        cell = read_cell(written)
    except BadCell:
        return None
    if cell is None or cell.dice:
        return None
    known = _characteristics(book)
    named = [known.get(word.casefold()) for sign, word in cell.words if sign > 0]
    return cell.number if len(named) == len(cell.words) and {*named} <= {characteristic} else None


def _number(written: str | Text) -> int | None:
    try:
        cell = read_cell(written if isinstance(written, str) else written.first)
    except BadCell:
        return None
    return cell.number if cell and not cell.words and not cell.dice else None


def _with_words(book: Book, group: ItemGroup, items: Iterable[Item]) -> ItemGroup:
    stand_for = find_changed(book, group)
    cells = [item.columns for item in items if item.group == group.key]
    columns = tuple(
        column
        if column.key in stand_for
        else _knowing(book, column, (one[column.key] for one in cells if column.key in one))
        for column in group.columns
    )
    return group if columns == group.columns else group.model_copy(update={"columns": columns})


def _knowing(book: Book, column: Column, cells: Iterable[str | Text]) -> Column:
    """Return a column that knows the characteristics named in these cells."""
    if column.kind not in ("number", "length"):
        return column
    names: dict[str, int | str] = {}
    known = _characteristics(book)
    for written in cells:
        with suppress(BadCell):
            cell = read_cell(written if isinstance(written, str) else written.first)
            for _sign, word in cell.words if cell else ():
                if word not in column.names and word.casefold() in known:
                    names[word] = f"by.{spell(known[word.casefold()])}"
    return column.model_copy(update={"names": {**column.names, **names}}) if names else column


def _characteristics(book: Book) -> dict[str, str]:
    """The characteristics that are numbers, by their names and abbreviations in both languages."""
    return {
        word.casefold(): row.key
        for row in book.characteristics
        if row.kind == "number"
        for name in (row.name, row.short)
        for word in name.root.values()
        if word
    }
