"""Set values as lines of text with tab stops: choose the columns, their widths, and the values in
words.

A table cell for every value makes a sheet slow to lay out. Values are therefore set as one line of
text with tab stops, at the same places all over the sheet.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import batched

from typesetting.measuring import width
from typesetting.tables import NOTHING, Item, Kit, in_words

# A line that is there, and empty.
BLANK = "\N{NO-BREAK SPACE}"
GAP = 1.7
COLUMN_LIMITS = (7.0, 9.0, 11.0, 13.0, 15.0, 18.0, 21.0, 24.0)
WIDEST_STAT = 19.0
# The share of the width that names may take; a longer one is set in words.
NAME_SHARE, NARROW_NAME_SHARE = 0.32, 0.44
NARROW = 120.0


@dataclass(frozen=True)
class Row:
    """Items below each other: one name a line, with lines of tab-separated values beside them,
    under ``heads``. ``text`` gets the full width, below.

    Without values it is one item in words only. ``kind``: the index of its columns in the sheet's
    list.
    """

    names: str
    heads: str
    values: str
    text: str
    kind: int = 0

    @property
    def lines_above(self) -> int:
        """The number of lines that the heads take."""
        return self.heads.count("\n") + 1 if self.heads else 0

    def followed_by(self, row: Row) -> Row:
        """Return this row, which has no text, with the lines and the text of another below."""
        names, values = f"{self.names}\n{row.names}", f"{self.values}\n{row.values}"
        return replace(self, names=names, values=values, text=row.text)


class Stops[I: Item]:
    """The tab stops of all ``kits`` of a sheet, after names of ``name_width`` millimetres. Kits
    with the same columns share them.

    ``tabs``: the distance between the stops of a kit's columns. ``room``: the width of names and
    values together; ``size`` and ``label``: of their letters and of the labels above, in points.
    """

    def __init__(self, kits: Sequence[Kit[I]], room: float, size: float, label: float) -> None:
        self.size = size
        widest: dict[tuple[str, ...], list[float]] = {}
        for kit in kits:
            widths = widest.setdefault(kit.columns, [0.0] * len(kit.columns))
            for index, column in enumerate(kit.columns):
                heads = max(width(head, label) for head in _stacked(column))
                values = max(width(values[index], size) for _item, values in kit.rows)
                widths[index] = max(widths[index], heads, values)
        names = [item.marked for kit in kits if kit.columns for item, _values in kit.rows]
        most = room * (NAME_SHARE if room > NARROW else NARROW_NAME_SHARE)
        parts = [part for name in names for part in _called(name, size, most)]
        widest_part = max((_name_width(part, size) for part in parts), default=most)
        self.name_width = round(widest_part, 1)
        self.left = room - self.name_width
        self.tabs: dict[tuple[str, ...], float] = {}
        self.side_by_side: dict[tuple[str, ...], list[int]] = {}
        for columns, needed in widest.items():
            # The widest column sets the tab, so a wide one may cost several others their place.
            choices = [_side_by_side(needed, limit, self.left) for limit in COLUMN_LIMITS]
            tab, beside = max(choices, key=lambda choice: len(choice[1]))
            self.tabs[columns], self.side_by_side[columns] = tab, beside

    def rows(self, kit: Kit[I]) -> list[Row]:
        """Return ``kit`` as rows."""
        if not kit.columns:
            return [_worded(item, item.text) for item, _values in kit.rows]
        beside = self.side_by_side.get(kit.columns, [])
        apart = [i for i in range(len(kit.columns)) if i not in beside]
        heads = _heads([kit.columns[i] for i in beside])
        # A single column in words gets a head; several of them name themselves in each line.
        rest_width = self.left - len(beside) * self.tabs.get(kit.columns, 0)
        rest_head = ""
        if len(apart) == 1:
            cells = [kit.columns[apart[0]], *(values[apart[0]] for _item, values in kit.rows)]
            rest_head = cells[0] if all(self._fits(cell, rest_width) for cell in cells) else ""
        if heads and rest_head:
            heads = f"{heads}\t{rest_head}"
        rows: list[Row] = []
        for item, values in kit.rows:
            name = _called(item.marked, self.size, self.name_width + 0.1)
            if not beside or not name:
                columns = _in_words(kit.columns, values, range(len(kit.columns)))
                rows.append(_worded(item, in_words(columns, item.text)))
                continue
            line, text = "\t".join(values[i] for i in beside), item.text
            rest = values[apart[0]] if rest_head else _in_words(kit.columns, values, apart)
            if self._fits(rest, rest_width):
                line = f"{line}\t{rest}".rstrip()
            else:
                text = in_words(rest, text)
            # A short text gets a line below the values, beside the rest of a long name.
            below = text if text and self._fits(text, self.left) else ""
            if below:
                text = ""
            if below or len(name) > 1:
                name = [*name, ""][:2]
                line = f"{line}\n{below or BLANK}"
            row = Row("\n".join(name), heads, line, text, self.kind(kit))
            last = rows[-1] if rows else None
            if last is None or last.text or not last.values:
                rows.append(row)
                heads = ""
            else:
                rows[-1] = last.followed_by(row)
        return rows

    def kind(self, kit: Kit[I]) -> int:
        """Return the number of a kit's columns among all of them."""
        return list(self.tabs).index(kit.columns)

    def _fits(self, text: str, room: float) -> bool:
        return width(text, self.size) + GAP <= room


def _name_width(name: str, size: float) -> float:
    return width(name, size, "bold") + GAP


def _called(name: str, size: float, room: float) -> list[str]:
    """Split a name into one line that fits ``room``, or into two; [] if it is longer."""
    if _name_width(name, size) <= room:
        return [name]
    spaces = [place for place, letter in enumerate(name) if letter == " "]
    cuts = [[name[:place], name[place + 1 :]] for place in spaces]
    halves = min(cuts, key=lambda cut: max(_name_width(part, size) for part in cut), default=[])
    return halves if all(_name_width(part, size) <= room for part in halves) else []


def _worded(item: Item, text: str) -> Row:
    return Row(item.marked, "", "", text)


def _in_words(columns: Sequence[str], values: Sequence[str], chosen: Iterable[int]) -> str:
    return " · ".join(f"{columns[i]} {values[i]}" for i in chosen if values[i] != NOTHING)


def _side_by_side(widest: Sequence[float], limit: float, room: float) -> tuple[float, list[int]]:
    """Return the tab, and the columns side by side, if columns up to ``limit`` wide are chosen and
    the line must fit ``room``.
    """
    narrow = [index for index, needed in enumerate(widest) if needed <= limit]
    tab = round(max((widest[index] for index in narrow), default=0) + GAP, 1)
    return tab, narrow[: int(room // tab)]


def _stacked(head: str) -> tuple[str, str]:
    """Split a head over two lines, at the space nearest its middle; a single word is on the
    second.
    """
    spaces = [i for i, letter in enumerate(head) if letter == " "]
    if not spaces:
        return "", head
    middle = min(spaces, key=lambda i: abs(i - len(head) / 2))
    return head[:middle], head[middle + 1 :]


def _heads(columns: Sequence[str]) -> str:
    above, below = zip(*map(_stacked, columns), strict=True) if columns else ((), ())
    lines = ["\t".join(above), "\t".join(below)] if any(above) else ["\t".join(below)]
    return "\n".join(lines)


class Statlines:
    """Labels above values, with the same tab stops for all members: as many in a line as fit
    ``room``.

    ``tab`` in millimetres; ``fits`` is False where a label or value is too wide for any stop.
    """

    def __init__(
        self, stats: Sequence[Sequence[tuple[str, str]]], room: float, label: float, size: float
    ) -> None:
        labels = [width(head, label) for line in stats for head, _value in line]
        values = [width(value, size, "bold") for line in stats for _label, value in line]
        needed = max([*labels, *values], default=0) + GAP
        count = max(map(len, stats), default=1)
        self.fits = needed <= room / 2
        rows = -(-count // max(1, int(room // needed)))
        self.per_line = -(-count // rows)
        self.tab = round(min(WIDEST_STAT, room / self.per_line), 1)

    def lines(self, stats: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        """Return labels and values, line by line."""
        return [
            ("\t".join(label for label, _value in part), "\t".join(value for _label, value in part))
            for part in batched(stats, self.per_line)
        ]
