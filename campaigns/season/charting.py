"""Charts as SVG for a page or a print, with each gang's name at the end of its line.

On a page the stylesheet colours the drawing, so charts follow the light and dark themes. The press
ignores stylesheets inside a drawing, so for prints the SVG has colours and fonts as attributes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Literal

from django.utils.formats import number_format
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from campaigns.statistics.charts import Figures, Series, spread_places, thin_out
from campaigns.statistics.signs import Sign
from rules.engine.costing import Points
from typesetting.measuring import MILLIMETRES, Face, width

FONT = "Fira Sans, Fira Sans More"
# Margins around the drawing and above its first line: room for half a letter.
EDGE, ABOVE = 8, 4
# Lines keep this share of the frame free at either end.
INSIDE = 1 / 52
# The gap between a line's end and its name in units of the drawing, and the distance between two
# names in letter heights.
ASIDE, LEADING = 20.0, 1.12
Point = tuple[float, float]


@dataclass(frozen=True)
class Drawing:
    """A chart to draw.

    ``description`` is the text for screen readers; ``labels`` has one text for each column;
    ``lowest`` and ``highest`` cover all gangs, so charts of different groups share a scale.
    """

    description: str
    figures: Figures
    labels: tuple[str, ...]
    lowest: Points
    highest: Points
    known_by: Mapping[str, Sign]


@dataclass(frozen=True)
class Size:
    """The size of a drawing and of its ``letters``.

    ``beside`` is the room for names. ``columns``, ``labelled`` and ``marks`` are the largest
    numbers of columns, of labels and of marks on a line.
    """

    wide: int
    high: int
    letters: float
    beside: float
    columns: int
    labelled: int
    marks: int


WIDE = Size(860, 440, 15, 260, columns=60, labelled=6, marks=16)
NARROW = Size(360, 420, 13, 184, columns=30, labelled=2, marks=8)


def for_page(drawing: Drawing, size: Literal["wide", "narrow"]) -> SafeString:
    """Draw the chart for a page, whose stylesheet colours it."""
    attributes = {
        "class": f"chart chart-{size}",
        "role": "img",
        "aria-label": drawing.description,
    }
    most = WIDE if size == "wide" else NARROW
    # Short names leave more room for the lines.
    ends = [f"{row.name}  {number_format(row.last)}" for row in drawing.figures.series]
    needed = ASIDE + 8 + max((_wide(end, most.letters) for end in ends), default=0)
    beside = min(most.beside, needed)
    return _draw(drawing, replace(most, beside=beside), attributes, None)


def for_print(drawing: Drawing, letters: float, colours: Sequence[str]) -> SafeString:
    """Draw the chart for a print.

    ``letters`` is the letter size at a width of 860; ``colours`` is indexed by a gang's colour
    number.
    """
    size = Size(860, 240, letters, 240, columns=60, labelled=6, marks=60)
    return _draw(drawing, size, {"xmlns": "http://www.w3.org/2000/svg"}, colours)


def _draw(
    drawing: Drawing, size: Size, attributes: Mapping[str, str], colours: Sequence[str] | None
) -> SafeString:
    """Draw the chart, with its colours as attributes if they are given."""
    labels = dict(zip(drawing.figures.columns, drawing.labels, strict=True))
    figures = thin_out(drawing.figures, size.columns)
    steps = _steps(drawing.lowest, drawing.highest)
    frame = _Frame.around(size, drawing, steps, len(figures.columns))
    inked = colours is not None
    view = {"viewBox": f"0 0 {size.wide} {size.high}", "font-size": f"{size.letters:g}"}
    parts = [f"<svg{_attributes({**view, **attributes})}>"]
    if inked:
        parts.append(f"<title>{escape(drawing.description)}</title>")
    parts += _axes(frame, steps, [labels[column] for column in figures.columns], size, inked=inked)
    ends = [frame.points(row)[-1][1] for row in figures.series]
    # So that the letters of the first and the last name are inside the picture.
    limits = size.letters * 0.75, frame.bottom - size.letters / 3
    heights = dict(_ends(ends, size.letters * LEADING, limits))
    for place, row in enumerate(figures.series):
        sign = drawing.known_by[row.who]
        parts.append(f"<g{_attributes(_paint(sign, colours))}>")
        parts += _line(frame, row, sign, size.marks, inked=inked)
        parts += _name(frame, row, heights[place], size, inked=inked)
        parts.append("</g>")
    return mark_safe("".join((*parts, "</svg>")))  # noqa: S308 (every text is escaped)


@dataclass(frozen=True)
class _Frame:
    """The rectangle that contains the lines, and its scales."""

    left: float
    right: float
    top: float
    bottom: float
    columns: int
    lowest: Points
    highest: Points

    @classmethod
    def around(cls, size: Size, drawing: Drawing, steps: Sequence[int], columns: int) -> _Frame:
        left = EDGE + 8 + max(_wide(str(step), size.letters, "plain") for step in steps)
        return cls(
            left=left,
            right=size.wide - size.beside,
            top=EDGE + ABOVE,
            bottom=size.high - size.letters * 1.7,
            columns=columns,
            lowest=drawing.lowest,
            highest=max(drawing.highest, drawing.lowest + 1),
        )

    def x(self, column: int) -> float:
        """Return the horizontal position of a column."""
        inside = (self.right - self.left) * INSIDE
        steps = max(self.columns - 1, 1)
        return self.left + inside + (self.right - self.left - 2 * inside) * column / steps

    def y(self, value: Points) -> float:
        """Return the vertical position of a value, measured from the top."""
        inside = (self.bottom - self.top) * INSIDE
        share = (value - self.lowest) / (self.highest - self.lowest)
        return self.bottom - inside - (self.bottom - self.top - 2 * inside) * share

    def points(self, row: Series) -> list[Point]:
        """Return the points of a line; the first one is its value before its first game."""
        return [
            (self.x(column), self.y(value))
            for column, value in enumerate(row.values)
            if value is not None
        ]


def _axes(
    frame: _Frame, steps: Sequence[int], labels: Sequence[str], size: Size, *, inked: bool
) -> Iterator[str]:
    """Yield the guides behind the lines and the labels of both axes."""
    shown = [step for step in steps if frame.top <= frame.y(step) <= frame.bottom]
    columns = list(spread_places(len(labels), size.labelled))
    across = "".join(f"M{_at(frame.left, frame.y(step))}H{frame.right:.0f}" for step in shown)
    down = "".join(f"M{_at(frame.x(at), frame.top)}V{frame.bottom:.0f}" for at in columns)
    grey = _if(inked, fill="none", stroke="#cccccc")
    yield f"<path{_attributes({'class': 'guides', 'd': across + down} | grey)}/>"
    ink = _if(inked, **{"font-family": FONT, "fill": "#000000"})
    yield f"<g{_attributes(ink | {'text-anchor': 'end'})}>"
    for step in shown:
        yield _text(frame.left - 5, frame.y(step) + size.letters * 0.35, str(step))
    yield f"</g><g{_attributes(ink | {'text-anchor': 'middle'})}>"
    for at in columns:
        half = _wide(labels[at], size.letters, "plain") / 2
        x = max(frame.x(at), half)
        yield _text(x, frame.bottom + size.letters * 1.2, labels[at])
    yield "</g>"


def _line(frame: _Frame, row: Series, sign: Sign, most: int, *, inked: bool) -> Iterator[str]:
    """Yield a gang's line with its marks."""
    points = frame.points(row)
    line = {"d": "M" + "L".join(_at(*point) for point in points)}
    line |= _if(bool(sign.dashes), **{"stroke-dasharray": sign.dashes})
    line |= _if(inked, fill="none", **{"stroke-width": "2.4"})
    yield f"<path{_attributes(line)}/>"
    marked = [points[place] for place in spread_places(len(points), most)]
    marks = {"class": "mark", "d": "".join(f"M{_at(*point)}{sign.shape}" for point in marked)}
    yield f"<path{_attributes(marks | _if(inked, stroke='#ffffff'))}/>"


def _name(frame: _Frame, row: Series, y: float, size: Size, *, inked: bool) -> Iterator[str]:
    """Yield a gang's name and last value next to the end of its line."""
    x, end = frame.points(row)[-1]
    leader = {"class": "leader", "d": f"M{_at(x + 7, end)}L{_at(x + ASIDE - 3, y)}"}
    yield f"<path{_attributes(leader | _if(inked, fill='none'))}/>"
    value = number_format(row.last)
    room = size.wide - x - ASIDE - _wide(f"  {value}", size.letters) - 4
    name = f"{shorten(row.name, size.letters, room)}  {value}"
    bold = _if(inked, stroke="none", **{"font-weight": "600"})
    yield _text(x + ASIDE, y + size.letters * 0.35, name, _attributes(bold))


def _text(x: float, y: float, words: str, attributes: str = "") -> str:
    return f'<text x="{_short(x)}" y="{_short(y)}"{attributes}>{escape(words)}</text>'


def _at(x: float, y: float) -> str:
    return f"{_short(x)} {_short(y)}"


def _short(number: float) -> str:
    """Format a number as precisely as the eye can see."""
    return f"{round(number, 1):g}"


def _ends(
    wanted: Sequence[float], apart: float, limits: tuple[float, float]
) -> Iterator[tuple[int, float]]:
    """Yield each line's index and the height of its name, without overlaps."""
    ordered = sorted(range(len(wanted)), key=lambda place: wanted[place])
    heights = spread_apart([wanted[place] for place in ordered], apart, limits)
    yield from zip(ordered, heights, strict=True)


def _paint(sign: Sign, colours: Sequence[str] | None) -> dict[str, str]:
    """Return the attributes that give a drawn gang its colour."""
    if colours is None:
        return {"class": f"hue-{sign.colour}"}
    colour = colours[sign.colour]
    return {"fill": colour, "stroke": colour, "font-family": FONT}


def _attributes(values: Mapping[str, str]) -> str:
    return "".join(f' {name}="{escape(value)}"' for name, value in values.items())


def _if(there: bool, **values: str) -> dict[str, str]:
    """Return these attributes, or none."""
    return values if there else {}


def _steps(lowest: Points, highest: Points) -> list[int]:
    """Return round numbers that enclose the values, about ten of them."""
    span = max(highest - lowest, 1)
    steps = (digit * 10**power for power in count() for digit in (1, 2, 5))
    step = next(step for step in steps if span / step <= 10)
    start = math.floor(lowest / step) * step
    return list(range(start, math.ceil(highest) + step, step))


def spread_apart(wanted: Sequence[float], apart: float, limits: tuple[float, float]) -> list[float]:
    """Move ascending heights so that they are ``apart`` from each other and inside the limits. If
    there is no room for all of them, they begin above the first limit.

    A group that is too dense is spread around its own middle; other heights stay where they are.
    """
    groups: list[list[float]] = []
    for height in wanted:
        groups.append([height])
        while len(groups) > 1 and _first(groups[-1], apart) < _last(groups[-2], apart) + apart:
            groups[-2:] = [[*groups[-2], *groups[-1]]]
    heights = [
        _first(group, apart) + place * apart for group in groups for place in range(len(group))
    ]
    least, most = limits
    least = min(least, most - apart * (len(heights) - 1))
    for place in range(len(heights)):
        heights[place] = least = max(heights[place], least)
        least += apart
    for place in reversed(range(len(heights))):
        heights[place] = most = min(heights[place], most)
        most -= apart
    return heights


def _first(group: Sequence[float], apart: float) -> float:
    return sum(group) / len(group) - apart * (len(group) - 1) / 2


def _last(group: Sequence[float], apart: float) -> float:
    return _first(group, apart) + apart * (len(group) - 1)


def shorten(name: str, size: float, room: float) -> str:
    """Shorten a name in the middle to fit into the room: long names often differ only at their
    ends, such as those that have their player's name there."""
    if _wide(name, size) <= room:
        return name
    for letters in range(len(name) - 1, 0, -1):
        tail = letters // 2
        short = f"{name[: letters - tail].rstrip()}…{name[len(name) - tail :].lstrip()}"
        if _wide(short, size) <= room:
            return short
    return "…"


def _wide(text: str, size: float, face: Face = "bold") -> float:
    """Return the width of a text, in the units of ``size``."""
    return width(text, size / MILLIMETRES, face)
