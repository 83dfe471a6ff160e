"""Cells of item tables, worked out for the bearer of the item: with M 6, "M+1" is 7."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from common.wording.sentences import gettext_noop as _
from common.wording.sentences import say
from rules.book.model import Book
from rules.book.schema import Column, Item, Mode
from rules.book.suggesting import suggest
from rules.book.vocabulary import Text
from rules.engine.expressions import BadExpression, Names, Unknown, Value, parse

NONE = {"", "-", "–", "—"}
# Signs for inches.
UNITS = ('"', "″")
# A number to reach: "4+".
REACHED = re.compile(r"(\d{1,2})\+")
TERM = re.compile(r"\s*+([+-]?)\s*+(?:(\d{0,2})[dD](\d{1,2})(?!\w)|(\d{1,3})|([^\W\d_][\w.]*))\s*")


class BadCell(ValueError):
    """Raised for a cell that its column does not allow; its text is a sentence."""


@dataclass(frozen=True)
class Cell:
    """A parsed cell: the sum of a number, words (each with its sign) and dice."""

    number: int = 0
    words: tuple[tuple[int, str], ...] = ()
    dice: int = 0
    sides: int = 0


@dataclass(frozen=True)
class Worked:
    """The value of a cell: a number, and the dice to add to it."""

    number: int
    dice: int = 0
    sides: int = 0


@lru_cache(maxsize=2048)
def read_cell(written: str) -> Cell | None:
    """Parse a cell; None if it is empty or a dash. Raises BadCell."""
    text = written.strip().rstrip("".join(UNITS)).strip()
    if text in NONE:
        return None
    reached = REACHED.fullmatch(text)
    if reached:
        return Cell(int(reached[1]))
    number, dice, sides = 0, 0, 0
    words: list[tuple[int, str]] = []
    place = 0
    while place < len(text):
        match = TERM.match(text, place)
        if match is None or (place and not match[1]):
            raise BadCell(
                say(
                    _("“%(written)s” must be a sum of numbers, names and dice, such as M+1D6"),
                    written=written,
                )
            )
        sign = -1 if match[1] == "-" else 1
        if match[3]:
            if dice or sign < 0:
                raise BadCell(
                    say(
                        _("“%(written)s” may add only one kind of dice, and cannot subtract dice"),
                        written=written,
                    )
                )
            dice, sides = int(match[2] or 1), int(match[3])
        elif match[4]:
            number += sign * int(match[4])
        else:
            words.append((sign, match[5]))
        place = match.end()
    return Cell(number, tuple(words), dice, sides)


def cell_of(column: Column, written: str | Text) -> Cell | None:
    """Parse a cell of ``column``; None if there is nothing in it.

    A text or tick counts as 1. Raises BadCell for a cell that its column does not allow.
    """
    text = (written if isinstance(written, str) else written.first).strip()
    if column.kind in ("text", "tick"):
        return None if text in NONE else Cell(1)
    if text in column.names:
        return Cell(words=((1, text),))
    if column.kind == "die":
        match = re.fullmatch(r"1?[dD](\d{1,2})", text)
        if match is None and text not in NONE:
            raise BadCell(say(_("“%(text)s” is not a die: write D8, for example"), text=text))
        return Cell(int(match[1])) if match else None
    cell = read_cell(text)
    for _sign, word in cell.words if cell else ():
        if word not in column.names:
            mistake = say(_("unknown name “%(word)s” in this column"), word=word)
            raise BadCell(suggest(mistake, word, column.names))
    return cell


def work_out(column: Column, written: str | Text, names: Names) -> Worked | None:
    """Work out a cell of ``column`` with the bearer's ``names``; None if there is nothing in it.

    Raises BadCell for a cell that its column does not allow, Unknown for a name without a value.
    """
    cell = cell_of(column, written)
    if cell is None:
        return None
    number = cell.number
    for sign, word in cell.words:
        number += sign * parse(column.names[word]).number(names)
    return Worked(number, cell.dice, cell.sides)


def add_to_cell(column: Column, written: str | Text, more: int) -> str | Text:
    """The text of a cell of numbers or lengths with ``more`` added to it; the same text for an
    empty one, and for other columns."""
    if column.kind not in ("number", "length"):
        return written
    text = (written if isinstance(written, str) else written.first).strip()
    inches = text[-1] if text.endswith(UNITS) else ""
    try:
        cell = cell_of(column, text)
    except BadCell:
        return written
    if cell is None:
        return written
    number = cell.number + more
    parts = ["+" * (sign > 0) + "-" * (sign < 0) + word for sign, word in cell.words]
    parts += [f"{number:+d}"] if number or not (parts or cell.dice) else []
    parts += [f"+{cell.dice}D{cell.sides}"] if cell.dice else []
    if REACHED.fullmatch(text):
        return f"{max(0, number)}+"
    signed = text.startswith("+")
    return f"{''.join(parts) if signed else ''.join(parts).removeprefix('+')}{inches}"


def unreadable(book: Book, item: Item, mode: Mode | None = None) -> Iterator[tuple[Column, str]]:
    """Yield the cells of an item in this mode that cannot be parsed, each with its text.

    A rulebook has none, but players may write anything into an item of their own.
    """
    written = written_cells(item, mode)
    for key, column in columns_of(book, item, mode).items():
        text = written.get(key, "-")
        try:
            cell_of(column, text)
        except BadCell:
            yield column, text if isinstance(text, str) else text.first


def for_bearer(column: Column, written: str | Text, names: Names) -> tuple[str, str] | None:
    """The value of a cell for a bearer with these ``names``, and its working: ("7", "M+1, M = 6").

    None where the cell is the same for every bearer, or cannot be worked out.
    """
    text = (written if isinstance(written, str) else written.first).strip()
    if not column.names or column.kind in ("text", "tick"):
        return None
    try:
        cell = cell_of(column, written)
        words = [word for _sign, word in cell.words] if cell else []
        # A word for a fixed number is clearer than the number.
        if not any(parse(column.names[word]).names for word in words):
            return None
        worked = work_out(column, written, names)
        spoken = [] if text in column.names else words
        parts = [f"{word} = {parse(column.names[word]).number(names)}" for word in spoken]
    except (BadCell, BadExpression, Unknown, KeyError):
        return None
    assert worked is not None
    inches = text[-1] if text[-1] in UNITS else ""
    return f"{_sum(column, worked)}{inches}", ", ".join([text, *dict.fromkeys(parts)])


def _sum(column: Column, worked: Worked) -> str:
    """Format a worked cell as a rulebook would write it: "7", "6+1D6", "D8"."""
    if column.kind == "die":
        return f"D{worked.number}"
    if not worked.dice:
        return str(worked.number)
    dice = f"{worked.dice}D{worked.sides}"
    return f"{worked.number}+{dice}" if worked.number else dice


def columns_of(book: Book, item: Item, mode: Mode | None = None) -> dict[str, Column]:
    """The columns of an item in this mode, by key."""
    group = book.group.get((mode and mode.group) or item.group)
    return {column.key: column for column in group.columns} if group else {}


def written_cells(item: Item, mode: Mode | None = None) -> dict[str, str | Text]:
    """The text of each cell of an item in this mode, by column."""
    return {**item.columns, **(mode.columns if mode else {})}


def differing(book: Book, item: Item, mode: Mode) -> Iterator[tuple[Column, str | Text]]:
    """Yield the cells that differ when an item is used in this mode, with their text there."""
    usual, so = written_cells(item), written_cells(item, mode)
    for key, column in columns_of(book, item, mode).items():
        if so.get(key, "–") != usual.get(key, "–"):
            yield column, so.get(key, "–")


def item_names(
    book: Book, item: Item, mode: Mode | None, names: Mapping[str, Value], subject: str = "item"
) -> dict[str, Value]:
    """The names that expressions may read of an item, for a bearer with these ``names``.

    ``item.strength`` is a column's number (its ``blank`` if it has none), ``item.range.dice`` and
    ``item.range.sides`` are the dice to add; also level, hands, and the answer to each question
    about the item. A cell that cannot be parsed counts as empty (see ``unreadable``).
    """
    found: dict[str, Value] = {
        f"{subject}.level": item.level or 0,
        f"{subject}.hands": item.hands or 0,
        **dict.fromkeys(item_answers(item, mode, subject), 1),
    }
    cells = written_cells(item, mode)
    for key, column in columns_of(book, item, mode).items():
        try:
            worked = work_out(column, cells.get(key, "-"), names)
        except (Unknown, BadCell):
            worked = None
        name = f"{subject}.{key.replace('-', '_')}"
        found[name] = worked.number if worked else _blank(column, names)
        if column.kind in ("number", "length"):
            found[f"{name}.dice"] = worked.dice if worked else 0
            found[f"{name}.sides"] = (worked.sides if worked else 0) or 1
    return found


def item_answers(item: Item, mode: Mode | None, subject: str = "item") -> Iterator[str]:
    """The questions about an item that are answered yes, as names."""
    yield f"{subject}.is_item:{item.row_key}"
    yield f"{subject}.in_group:{(mode and mode.group) or item.group}"
    if mode is not None:
        yield f"{subject}.in_mode:{mode.key}"
    for tag in mode.tags if mode is not None else item.tags:
        yield f"{subject}.tagged:{tag}"


def _blank(column: Column, names: Names) -> int:
    """The number of an empty cell of a column."""
    try:
        return parse(column.blank or 0).number(names)
    except Unknown:
        return 0
