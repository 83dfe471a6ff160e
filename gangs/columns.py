"""Columns for a printed sheet: what goes side by side, how wide, and what goes in words instead.

A table cell for every value makes a sheet slow to lay out. Values are therefore set as one line of
text with tab stops, the same stops all over the sheet; widths are estimated from the letters, and a
wrong guess only moves a value to the next stop.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import batched

from gangs.cards import ItemLine, Stat

NOTHING = "–"
GAP = 2.0
COLUMN_LIMITS = (9.0, 11.0, 13.0, 15.0, 18.0, 21.0, 24.0)
WIDEST_VALUES = 96.0
WIDEST_STAT = 19.0
WIDEST_PLAIN = 110.0
PLAIN_SIZE = 8.0
NAME_SHARE = 0.27
# What an estimate may be wrong by where a wrong one would do harm.
SURELY = 1.08

_NARROW = frozenset("iljtfrI.,;:'’|!()[]- ")
_WIDE = frozenset("mMwWQ%@&—…¼½¾œŒæÆ")


def width(text: str, size: float) -> float:
    """About how wide ``text`` is in millimetres, set ``size`` points high."""
    ems = 0.0
    for letter in text:
        if letter in _NARROW:
            ems += 0.38
        elif letter in _WIDE:
            ems += 0.88
        elif ord(letter) > 0x2100:
            ems += 1.05
        else:
            ems += 0.66 if letter.isupper() else 0.58
    return ems * size * 25.4 / 72


@dataclass(frozen=True)
class Kit:
    """Items that share their columns: ``values`` are one tuple for each of ``lines``."""

    columns: tuple[str, ...]
    lines: tuple[ItemLine, ...]
    values: tuple[tuple[str, ...], ...]

    @property
    def rows(self) -> list[tuple[ItemLine, tuple[str, ...]]]:
        """Every item with its values."""
        return list(zip(self.lines, self.values, strict=True))

    @property
    def explained(self) -> bool:
        """Whether any item has a text."""
        return any(item.text for item in self.lines)

    @property
    def tight(self) -> bool:
        """Whether even the longest words are too wide for a row: then words must break."""
        longest = 0.0
        for index, head in enumerate(self.columns):
            words = " ".join([head, *(values[index] for values in self.values)]).split()
            longest += max(width(word, PLAIN_SIZE) for word in words) + GAP
        return longest > WIDEST_PLAIN


def kits(items: Iterable[ItemLine], level: str, hands: str) -> list[Kit]:
    """``items`` by the columns they have, in order of appearance, equal ones together; ``level``
    and ``hands`` are the heads of those two columns, which only some items have."""
    sorts: dict[tuple[str, ...], list[ItemLine]] = {}
    for item in counted(items):
        sorts.setdefault(tuple(_values(item, level, hands)), []).append(item)
    return [
        Kit(
            columns,
            tuple(lines),
            tuple(tuple(_values(item, level, hands).values()) for item in lines),
        )
        for columns, lines in sorts.items()
    ]


def counted(items: Iterable[ItemLine]) -> Iterator[ItemLine]:
    """``items`` with equal ones as one, "2 × Knife"."""
    alike: dict[str, list[ItemLine]] = {}
    for item in items:
        alike.setdefault(item.key, []).append(item)
    for same in alike.values():
        first, count = same[0], len(same)
        yield replace(first, name=f"{count} × {first.name}") if count > 1 else first


def _values(item: ItemLine, level: str, hands: str) -> dict[str, str]:
    values = {}
    if item.level is not None:
        values[level] = str(item.level)
    if item.hands is not None:
        values[hands] = str(item.hands)
    return values | dict(item.cells)


@dataclass(frozen=True)
class Row:
    """Items beside each other: names, and values with tabs between them under ``heads``.

    ``short``: all surely need one line each, so that they are set as two blocks of lines, which
    is much faster than a table. Otherwise a row holds one item, as three cells of a table: name,
    values and the ``rest``. ``text`` gets the whole width, below.
    """

    names: str
    heads: str
    values: str
    rest_head: str
    rest: str
    text: str
    short: bool


@dataclass(frozen=True)
class _Line:
    """One item of a row."""

    name: str
    values: str
    rest: str
    text: str
    short: bool


class Stops:
    """The tab stops that all ``kits`` of a sheet share: ``tab`` and ``width`` in millimetres.

    ``room``: the width of the three cells together.
    """

    def __init__(self, kits: Sequence[Kit], room: float, size: float) -> None:
        self.size = size
        widest: dict[tuple[tuple[str, ...], int], float] = {}
        for kit in kits:
            for index in range(len(kit.columns)):
                texts = [*_stacked(kit.columns[index]), *(values[index] for values in kit.values)]
                needed = max(width(text, size) for text in texts)
                key = kit.columns, index
                widest[key] = max(widest.get(key, 0), needed)
        # The widest column makes the tab, so a wide one may cost several others their place.
        lines = Counter(kit.columns for kit in kits for _line in kit.lines)

        def values_beside(choice: tuple[float, dict[tuple[str, ...], list[int]]]) -> int:
            return sum(lines[columns] * len(beside) for columns, beside in choice[1].items())

        choices = [_side_by_side(widest, limit) for limit in COLUMN_LIMITS]
        self.tab, self.side_by_side = max(choices, key=values_beside)
        self.count = max((len(chosen) for chosen in self.side_by_side.values()), default=0)
        self.width = round(self.count * self.tab, 1)
        self.name_width = round(room * NAME_SHARE, 1)
        self.rest_width = room - self.name_width - self.width

    def rows(self, kit: Kit) -> list[Row]:
        """``kit`` as rows."""
        beside = self.side_by_side.get(kit.columns, [])
        apart = [i for i in range(len(kit.columns)) if i not in beside]
        # A single column in words gets a head; of several, each says its own name.
        head = kit.columns[apart[0]] if len(apart) == 1 else ""
        lines = [self._line(kit, beside, apart, head, *row) for row in kit.rows]
        if not kit.columns:
            return [Row(line.name, "", "", "", "", line.text, short=True) for line in lines]
        heads = _heads([kit.columns[i] for i in beside])
        to_rest = "\t" * (self.count - len(beside) + bool(beside))
        rows: list[Row] = []
        for run in _runs(lines):
            above = "" if rows else heads or " "
            blank = "\n" * (above.count("\n") + 1) if above else ""
            names = blank + "\n".join(line.name for line in run)
            first = run[0]
            if first.short:
                values = "\n".join(f"{line.values}{to_rest}{line.rest}".rstrip() for line in run)
                above = f"{above}{to_rest}{head}" if above else ""
                row = Row(names, above, values, "", "", run[-1].text, short=True)
            else:
                rest_head = blank[1:] + head if above else ""
                row = Row(
                    names, above, first.values, rest_head, first.rest, first.text, short=False
                )
            rows.append(row)
        return rows

    def _line(
        self,
        kit: Kit,
        beside: Sequence[int],
        apart: Sequence[int],
        head: str,
        item: ItemLine,
        values: tuple[str, ...],
    ) -> _Line:
        words = [
            values[i] if head else f"{kit.columns[i]} {values[i]}"
            for i in apart
            if head or values[i] != NOTHING
        ]
        name = marked(item.name, item.house)
        rest = " · ".join(words)
        short = self._fits(name, self.name_width) and self._fits(rest, self.rest_width)
        joined = "\t".join(values[i] for i in beside)
        return _Line(name, joined, rest, item.text, short)

    def _fits(self, text: str, room: float) -> bool:
        return width(text, self.size) * SURELY + GAP <= room


def _side_by_side(
    widest: dict[tuple[tuple[str, ...], int], float], limit: float
) -> tuple[float, dict[tuple[str, ...], list[int]]]:
    """The tab, and the columns of each kit that stand side by side, if none is above ``limit``."""
    narrow = {key: needed for key, needed in widest.items() if needed <= limit}
    tab = round(max(narrow.values(), default=0) + GAP, 1)
    most = int(WIDEST_VALUES // tab)
    return tab, {
        columns: [i for i in range(len(columns)) if (columns, i) in narrow][:most]
        for columns, _index in widest
    }


def marked(name: str, house: bool) -> str:
    """``name`` with the sign of a house value, which stays on its line."""
    return f"{name}\u00a0†" if house else name


def _runs(lines: Sequence[_Line]) -> Iterator[list[_Line]]:
    """Short lines together, as far as no text has to come between them; any other alone."""
    run: list[_Line] = []
    for line in lines:
        if run and not line.short:
            yield run
            run = []
        run.append(line)
        if line.text or not line.short:
            yield run
            run = []
    if run:
        yield run


def _stacked(head: str) -> tuple[str, str]:
    """A head on two lines, broken at the space nearest its middle; a single word comes below."""
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
    """Characteristics of many members as lines with the same tab stops, as many as fit ``room``.

    ``tab`` in millimetres; ``fits`` is False where a label or value is too wide for any stop.
    """

    def __init__(
        self, stats: Sequence[Sequence[Stat]], room: float, label_size: float, size: float
    ) -> None:
        needed = 0.0
        count = 1
        for line in stats:
            count = max(count, len(line))
            for stat in line:
                needed = max(needed, width(stat.short, label_size), width(stat.value, size))
        needed += GAP
        self.fits = needed <= room / 2
        rows = -(-count // max(1, int(room // needed)))
        self.per_line = -(-count // rows)
        self.tab = round(min(WIDEST_STAT, room / self.per_line), 1)

    def lines(self, stats: Sequence[Stat]) -> list[tuple[str, str]]:
        """Labels and values, line by line."""
        return [
            ("\t".join(stat.short for stat in part), "\t".join(stat.value for stat in part))
            for part in batched(stats, self.per_line)
        ]
