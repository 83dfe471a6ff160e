"""Lay out the blocks of a picture to save, so that each fills the part of the height that it gets.

All lengths are in pixels, as numbers that the stylesheet knows by the names of its variables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from math import ceil

from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import ngettext

from printing.pictures.values import (
    Block,
    Named,
    Notes,
    People,
    Placed,
    Ranking,
    Spotlight,
    Values,
    Versus,
)
from typesetting.measuring import MILLIMETRES, Face, Run, width, wrap_text

# A line of text, and the space after a label, and after a text or a block.
LINE, AFTER_LABEL, AFTER_TEXT = 1.34, 8, 8
# Between the columns of a table, the columns of people, and the fields of characteristics.
GAP, BESIDE, APART = 28, 40, 10
# The share of a table's width that its columns of numbers may take.
NUMBERS = 0.62
# Blocks share the height in these parts.
SHARES: Mapping[type, int] = {Values: 2, Notes: 3, People: 6, Versus: 7, Spotlight: 4, Ranking: 6}


@dataclass(frozen=True)
class Measures:
    """Sizes of a shape: the least height of a row with a face, of a row of a table and of a field;
    the largest face and text; the size of labels.
    """

    row: int
    line: int
    field: int
    face: int
    text: int
    label: int


@dataclass(frozen=True)
class Drawn:
    """A block with its sizes. ``template``: the name of its part of the picture's template;
    ``rows``: as many as there is room for, in columns; ``more``: words for the others; ``sizes``:
    the variables of the stylesheet.
    """

    template: str
    block: Block
    sizes: Mapping[str, float]
    rows: Sequence[Sequence[object]] = ()
    more: str = ""

    @property
    def style(self) -> SafeString:
        """The sizes for the template."""
        return css(self.sizes)


def css(sizes: Mapping[str, float]) -> SafeString:
    """Return pixels as variables of a stylesheet: a template would write them in the reader's
    format.
    """
    pairs = ((name, f"{size:g}") for name, size in sizes.items())
    return format_html_join(" ", "--{}: {}px;", pairs)


def across(text: str, size: float, face: Face = "bold") -> float:
    """Return the width of a text on one line."""
    return width(text, size, face) / MILLIMETRES


def lay_out(blocks: Sequence[Block], wide: int, high: int, measures: Measures) -> list[Drawn]:
    """Lay out the blocks below each other, in ``wide`` by ``high`` pixels."""
    shares = [SHARES[type(block)] for block in blocks]
    room = high - AFTER_TEXT * max(0, len(blocks) - 1)
    parts = [room * share // sum(shares) for share in shares]
    laid = [draw(block, wide, part, measures) for block, part in zip(blocks, parts, strict=True)]
    return [one for one in laid if one is not None]


@singledispatch
def draw(block: Block, wide: int, high: int, measures: Measures) -> Drawn | None:
    """Lay out a block; None if it has no content, or no room for any."""
    raise TypeError(type(block))


@draw.register
def _values(block: Values, wide: int, high: int, measures: Measures) -> Drawn | None:
    if not block.cells:
        return None
    least = round(measures.field * 0.8)
    rows = max(1, min(high // measures.field, ceil(len(block.cells) / 2)))
    rows = max(rows, ceil(len(block.cells) * (least + APART) / (wide + APART)))
    columns = ceil(len(block.cells) / rows)
    lines = [block.cells[at : at + columns] for at in range(0, len(block.cells), columns)]
    field = (high + APART) // len(lines) - APART
    room = (wide + APART) / columns - APART - 8
    values, labels = [value for _name, value in block.cells], [name for name, _v in block.cells]
    sizes = {
        "high": high,
        "wide": wide,
        "field": field,
        "column": (wide + APART) // columns - APART,
        "value": _fitting(values, min(field * 0.44, measures.field * 0.6), room),
        "label": _fitting(labels, min(field * 0.24, measures.label), room),
    }
    return Drawn("values", block, sizes, lines)


@draw.register
def _notes(block: Notes, wide: int, high: int, measures: Measures) -> Drawn | None:
    if not block.lines:
        return None
    label = measures.label
    heads = sum((label + AFTER_LABEL) * bool(name) + AFTER_TEXT for name, _text in block.lines)
    for size in range(measures.text, round(measures.text * 0.4), -2):
        lines = [
            len(wrap_text([Run(text)], size, wide * MILLIMETRES)) for _name, text in block.lines
        ]
        if heads + sum(lines) * size * LINE <= high:
            break
    else:
        # As many lines as there is room for, at least one of each text.
        left = max(len(lines), int((high - heads) // (size * LINE)))
        for place in range(len(lines)):
            lines[place] = min(lines[place], max(1, left - (len(lines) - place - 1)))
            left -= lines[place]
    rows = [
        (name, text, f"{count}") for (name, text), count in zip(block.lines, lines, strict=True)
    ]
    return Drawn("notes", block, {"high": high, "text": size, "label": label}, [rows])


@draw.register
def _people(block: People, wide: int, high: int, measures: Measures) -> Drawn | None:
    fit = high // measures.row
    if not fit or not block.rows:
        return None
    columns = 1 if len(block.rows) <= fit else 2
    shown, more = _as_many(block.rows, fit * columns)
    rows = ceil((len(shown) + bool(more)) / columns)
    row, column = high // rows, (wide - (columns - 1) * BESIDE) // columns
    face = min(row - 16, round(measures.face * (1.6 if rows < 4 else 1)))
    # A name and two lines of text fit a row.
    name = min((row - 12) / 3.4, column * 0.06)
    sizes = {
        "high": high,
        "row": row,
        "wide": column,
        "face": face,
        "name": round(name),
        "text": round(name * 0.76),
        "room": column - face - 18,
    }
    named = [(one, _beside(one, name, column - face - 18)) for one in shown]
    return Drawn(
        "people", block, sizes, [named[at : at + rows] for at in range(0, len(named), rows)], more
    )


def _beside(named: Named, size: float, room: float) -> SafeString:
    """Return the room for a name next to its value."""
    taken = min(across(named.value, round(size)) + 20, room / 2) if named.value else 0
    return css({"name-room": int(room - taken)})


@draw.register
def _versus(block: Versus, wide: int, high: int, measures: Measures) -> Drawn | None:
    sides = block.sides
    if not sides:
        return None
    # More sides are listed, as large as there is room for.
    if len(sides) > (4 if wide > 900 else 3):
        rows = [replace(side, text=line_of(side), value="") for side in sides]
        return draw(People(rows), wide, high, measures)
    column = wide // len(sides)
    names = _fitting([side.name for side in sides], min(high * 0.14, measures.text), column - 16)
    text = _fitting([line_of(side) for side in sides], names * 0.76, column - 16)
    face = min(high - names * 1.2 - text * 1.2 - 36, column * 0.8)
    sizes = {"high": high, "column": column, "face": int(face), "name": names, "text": text}
    cells = [(side, line_of(side), side in block.best) for side in sides]
    return Drawn("versus", block, sizes, [cells])


def line_of(named: Named) -> str:
    """Return a text and a value in one line."""
    return " · ".join(filter(None, (named.text, named.value)))


@draw.register
def _spotlight(block: Spotlight, wide: int, high: int, measures: Measures) -> Drawn | None:
    has_note = bool(block.note[1])
    is_beside = has_note and wide > 1000
    # A note below takes two lines, if all can be read.
    is_below = has_note and not is_beside and (high - 24) / 5.8 > measures.label
    face = min(high - 24, round(wide * 0.3))
    room = (wide // 2 if is_beside else wide) - face - 56
    name = min((high - 24) / (5.8 if is_below else 3.4), measures.text * 1.2)
    sizes = {
        "high": high,
        "face": face,
        "name": _fitting([block.named.name], name, room),
        "text": round(min(name * 0.7, measures.text)),
        "label": round(min(name * 0.62, measures.label * 1.3)),
        "room": room,
        "beside": wide // 2 - 36,
    }
    return Drawn("spotlight", block, sizes, [[(line_of(block.named), is_beside, is_below)]])


@draw.register
def _ranking(block: Ranking, wide: int, high: int, measures: Measures) -> Drawn | None:
    heads = (measures.label + 14) if any(block.heads) else 0
    fit = (high - heads) // measures.line
    if fit < 1 or not block.rows:
        return None
    shown, more = _as_many(block.rows, fit)
    row = (high - heads) // (len(shown) + bool(more))
    face = min(row - 14, round(measures.face * 0.6))
    # As large as the rows are high, and smaller until all names and columns fit.
    for letters in range(
        round(min(row * 0.48, measures.text * 1.1)), round(measures.line * 0.46) - 1, -2
    ):
        place = max(across(one.place, letters) for one in shown) + 18
        room = wide - place - face - 16
        columns = _columns(block, shown, letters, measures.label, room)
        name = room - sum(columns) - GAP * len(columns)
        whole = all(across(one.name, letters) <= name for one in shown)
        if whole and len(columns) == len(block.heads):
            break
    sizes = {
        "high": high,
        "row": row - 2,
        "face": face,
        "text": letters,
        "label": measures.label,
        "place": ceil(place),
        "picture": face + 16,
        "name-room": int(name),
    }
    widths = [css({"column": ceil(column) + GAP}) for column in columns]
    rows = [(one, [*zip(one.cells, widths, strict=False)]) for one in shown]
    named = [*zip(block.heads, widths, strict=False)] if heads else []
    return Drawn("ranking", block, sizes, [named, rows], more)


def _columns(
    block: Ranking, rows: Sequence[Placed], letters: float, label: float, room: float
) -> list[float]:
    """Return the width of each column of numbers. The last columns are left out where names would
    keep less than two fifths of the room.
    """
    wides: list[float] = []
    for number, head in enumerate(block.heads):
        cells = (across(row.cells[number], letters) for row in rows)
        needed = max(across(head, label), *cells) + 2
        if sum(wides) + needed + GAP * (len(wides) + 1) > room * NUMBERS:
            break
        wides.append(needed)
    return wides


def _as_many[Row](rows: Sequence[Row], fit: int) -> tuple[Sequence[Row], str]:
    """Return the rows that fit, and words for the others, which take the place of a row."""
    if len(rows) <= fit:
        return rows, ""
    others = len(rows) - fit + 1
    return rows[: fit - 1], ngettext("and %(count)s more", "and %(count)s more", others) % {
        "count": others
    }


def _fitting(texts: Sequence[str], size: float, room: float) -> int:
    """Return the largest size up to this one in which all texts fit, but not less than three fifths
    of it.
    """
    least = max(14, round(size * 0.6))
    fitting = round(size)
    while fitting > least and any(across(text, fitting) > room for text in texts):
        fitting -= 2
    return max(fitting, 1)
