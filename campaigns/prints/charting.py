"""Charts on paper: the drawings of the site's charts, dressed for the press.

The press reads no style sheets inside a drawing, so every line and every word says itself how it is
drawn. A gang has the same colour, dashes and mark in all charts of a book, and its name at the end
of its line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from django.utils.formats import number_format
from django.utils.safestring import SafeString, mark_safe

from campaigns.statistics.chart_svg import BESIDE, DASHES, LIGHT, SHAPES, Drawing, render_svg
from campaigns.statistics.charts import Series
from printing.measuring import MILLIMETRES, width

SVG = "{http://www.w3.org/2000/svg}"
FONT = "Fira Sans, Fira Sans More"
BLACK, GREY, FAINT = "#000000", "#666666", "#cccccc"
# Above the plot is room for half a letter, below it for the labels of the columns.
ABOVE, BELOW = 12, 26
# How far a name stands from the end of its line, and what lies between two of them, in heights of
# letters.
ASIDE, LEADING = 20.0, 1.12
MARK = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='-6 -6 12 12'%3E"
    "%3Cpath fill='{}' d='{}'/%3E%3C/svg%3E"
)


@dataclass(frozen=True)
class Sign:
    """What a gang is known by: its colour, how its line is dashed, and its mark."""

    colour: str
    dashes: str
    shape: str

    @property
    def image(self) -> str:
        """The mark, for a stylesheet."""
        return f'url("{MARK.format(quote(self.colour), self.shape)}")'


def signs(gangs: Sequence[str], *, ink: bool) -> dict[str, Sign]:
    """What each of the ``gangs`` is known by, in the order in which they joined: no two of the
    first 64 are alike, no two of the first eight have anything in common but black."""
    found = {}
    for number, gang in enumerate(gangs):
        place, turn = number % len(LIGHT), number // len(LIGHT)
        dashes = DASHES[(place + turn) % len(DASHES)]
        shape = SHAPES[(place + turn) % len(SHAPES)]
        found[gang] = Sign(BLACK if ink else LIGHT[place], dashes, shape)
    return found


def chart(
    drawing: Drawing, known_by: Mapping[str, Sign], description: str, letters: float
) -> SafeString:
    """The chart as a drawing inside a print, without a title. ``description``: what it shows, in
    words, for those who do not see it; ``letters``: their size, where it is 860 wide."""
    ElementTree.register_namespace("", SVG.strip("{}"))
    root = ElementTree.fromstring(render_svg(drawing, "paper"))  # noqa: S314 (our own drawing)
    wide, top, bottom = _frame(root)
    plain = Element(f"{SVG}svg", {"viewBox": f"0 {top} {wide} {bottom - top}"})
    title = ElementTree.SubElement(plain, f"{SVG}title")
    title.text = description
    for plot in root.iter(f"{SVG}g"):
        if "plot" in plot.get("class", "").split():
            plain.append(plot)
    series = drawing.figures.series
    lines = [known_by[row.who] for row in series]
    _dress(plain, (), 0, lines, letters)
    _name(plain, series, lines, letters)
    for parent in list(plain.iter()):
        for child in list(parent):
            # Grounds, which are the paper; and what only a pointer would show.
            hover = child.tag == f"{SVG}title" and parent is not plain
            if hover or child.get("class") == "background":
                parent.remove(child)
    return mark_safe(ElementTree.tostring(plain, encoding="unicode"))  # noqa: S308 (escaped there)


def _frame(root: Element) -> tuple[float, float, float]:
    """The width of the drawing, and where its plot begins and ends."""
    width = float(root.get("viewBox", "").split()[2])
    plot = next(node for node in root.iter(f"{SVG}g") if node.get("class") == "plot")
    _x, y = _moved(plot)
    base = next(node for node in plot if node.get("class") == "background")
    return width, y - ABOVE, y + float(base.get("height", "0")) + BELOW


def _moved(node: Element) -> tuple[float, float]:
    """How far right and down a node is moved."""
    x, y = (
        node.get("transform", "").removeprefix("translate(").rstrip(")").replace(",", " ").split()
    )
    return float(x), float(y)


def _dress(
    node: Element, around: tuple[str, ...], place: int, lines: Sequence[Sign], letters: float
) -> None:
    """Say how this and all inside it is drawn. ``around``: the classes of what it is in; ``place``:
    of the line that it belongs to."""
    names = node.get("class", "").split()
    for name in names:
        head, _, number = name.partition("-")
        if head in ("serie", "color") and number.isdigit():
            place = int(number)
    node.attrib.pop("style", None)
    sign = lines[place] if place < len(lines) else Sign(BLACK, "", SHAPES[0])
    node.attrib.update(_attributes(node.tag, names, around, sign, letters))
    for child in node:
        _dress(child, (*around, *names), place, lines, letters)


def _attributes(
    tag: str, names: list[str], around: tuple[str, ...], sign: Sign, letters: float
) -> Iterator[tuple[str, str]]:
    """How something of these classes is drawn."""
    if tag == f"{SVG}text":
        yield from {"font-family": FONT, "fill": BLACK, "font-size": f"{letters:g}"}.items()
        yield "text-anchor", "end" if "y" in around else "middle"
    elif "mark" in names:
        yield from {"fill": sign.colour, "stroke": "#ffffff", "stroke-width": "1"}.items()
        yield "d", sign.shape
    elif "line" in names and "series" in around:
        yield from {"fill": "none", "stroke": sign.colour, "stroke-width": "2.4"}.items()
        if sign.dashes:
            yield "stroke-dasharray", sign.dashes
    elif "line" in names:
        ink = FAINT if "guide" in names else GREY
        yield from {"fill": "none", "stroke": ink, "stroke-width": "1"}.items()


def _name(plain: Element, series: Sequence[Series], lines: Sequence[Sign], letters: float) -> None:
    """Write each gang's name at the end of its line, none upon another."""
    over = next((node for node in plain if "overlay" in node.get("class", "").split()), None)
    if over is None:
        return
    ends: dict[int, tuple[float, float]] = {}
    for mark in over.iter(f"{SVG}path"):
        for name in mark.get("class", "").split():
            head, _, number = name.partition("-")
            if head == "color" and number.isdigit():
                ends[int(number)] = _moved(mark)
    ordered = sorted(ends, key=lambda place: ends[place][1])
    base = next(node for node in plain.iter() if node.get("class") == "background")
    lowest = float(base.get("height", "0")) - letters / 3
    heights = spread_out([ends[place][1] for place in ordered], letters * LEADING, lowest)
    for place, y in zip(ordered, heights, strict=True):
        x, end = ends[place]
        row, sign = series[place], lines[place]
        path = f"M{x + 7:.1f} {end:.1f}L{x + ASIDE - 3:.1f} {y:.1f}"
        attributes = {"d": path, "fill": "none", "stroke": sign.colour, "stroke-width": "1"}
        ElementTree.SubElement(over, f"{SVG}path", attributes)
        words = {
            "x": f"{x + ASIDE:.1f}",
            "y": f"{y + letters * 0.35:.1f}",
            "fill": sign.colour,
            "font-family": FONT,
            "font-size": f"{letters:g}",
            "font-weight": "600",
        }
        value = number_format(row.last)
        room = BESIDE["paper"] - ASIDE - _wide(f"  {value}", letters) - 4
        text = ElementTree.SubElement(over, f"{SVG}text", words)
        text.text = f"{shortened(row.name, letters, room)}  {value}"


def spread_out(wanted: Sequence[float], apart: float, most: float) -> list[float]:
    """Where things come to stand that would stand at these heights, in order, if each were not to
    be ``apart`` from the next and none beyond ``most``: about where they would, the whole group of
    them that is too dense around its middle."""
    groups: list[list[float]] = []
    for height in wanted:
        groups.append([height])
        while len(groups) > 1 and _first(groups[-1], apart) < _last(groups[-2], apart) + apart:
            groups[-2:] = [[*groups[-2], *groups[-1]]]
    heights = [
        _first(group, apart) + place * apart for group in groups for place in range(len(group))
    ]
    for place in reversed(range(len(heights))):
        heights[place] = most = min(heights[place], most)
        most -= apart
    return heights


def _first(group: Sequence[float], apart: float) -> float:
    return sum(group) / len(group) - apart * (len(group) - 1) / 2


def _last(group: Sequence[float], apart: float) -> float:
    return _first(group, apart) + apart * (len(group) - 1)


def shortened(name: str, size: float, room: float) -> str:
    """As much of a name as there is room for."""
    if _wide(name, size) <= room:
        return name
    while name and _wide(f"{name}…", size) > room:
        name = name[:-1].rstrip()
    return f"{name}…"


def _wide(text: str, size: float) -> float:
    """How wide a text is, in the units of ``size``."""
    return width(text, size / MILLIMETRES, "bold")
