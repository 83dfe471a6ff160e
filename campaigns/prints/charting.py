"""Charts on paper: the drawings of the site's charts, dressed for the press.

The press reads no style sheets inside a drawing, so every line and every word says itself how it is
drawn. Lines are told apart by letters, dashes and marks, in black as in colour.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from campaigns.statistics.chart_svg import DASHES, LETTERS, LIGHT, SHAPES, Drawing, render_svg

SVG = "{http://www.w3.org/2000/svg}"
FONT = "Fira Sans, Fira Sans More"
GREY, FAINT = "#666666", "#cccccc"
# Above the plot is room for half a letter, below it for the labels of the columns.
ABOVE, BELOW = 12, 24


def colours(*, ink: bool) -> tuple[str, ...]:
    """The colours of the lines; all black to save ink."""
    return ("#000000",) * len(LIGHT) if ink else LIGHT


def chart(drawing: Drawing, description: str, *, ink: bool) -> SafeString:
    """The chart as a drawing inside a print, without title and legend. ``description``: what it
    shows, in words, for those who do not see it."""
    ElementTree.register_namespace("", SVG.strip("{}"))
    root = ElementTree.fromstring(render_svg(drawing, "wide"))  # noqa: S314 (our own drawing)
    width, top, bottom = _frame(root)
    plain = Element(f"{SVG}svg", {"viewBox": f"0 {top} {width} {bottom - top}"})
    title = ElementTree.SubElement(plain, f"{SVG}title")
    title.text = description
    for plot in root.iter(f"{SVG}g"):
        if "plot" in plot.get("class", "").split():
            plain.append(plot)
    _dress(plain, (), 0, colours(ink=ink))
    for parent in list(plain.iter()):
        for child in list(parent):
            # Grounds, which are the paper; and what only a pointer would show.
            hover = child.tag == f"{SVG}title" and parent is not plain
            if hover or child.get("class") == "background":
                parent.remove(child)
    return mark_safe(ElementTree.tostring(plain, encoding="unicode"))  # noqa: S308 (escaped there)


def swatch(place: int, *, ink: bool) -> SafeString:
    """A piece of the line at this place, with its mark: for the legend."""
    colour = colours(ink=ink)[place % len(LIGHT)]
    return format_html(
        '<svg viewBox="0 0 44 12" width="11mm" height="3mm"><title>{3}</title>'
        '<path d="M0 6h44" fill="none"'
        ' stroke="{0}" stroke-width="2" stroke-dasharray="{1}"/>'
        '<path d="{2}" transform="translate(22 6)" fill="{0}"/></svg>',
        colour,
        DASHES[place % len(DASHES)] or "none",
        SHAPES[place % len(SHAPES)],
        LETTERS[place],
    )


def _frame(root: Element) -> tuple[float, float, float]:
    """The width of the drawing, and where its plot begins and ends."""
    width = float(root.get("viewBox", "").split()[2])
    plot = next(node for node in root.iter(f"{SVG}g") if node.get("class") == "plot")
    _x, y = plot.get("transform", "").removeprefix("translate(").rstrip(")").split(",")
    base = next(node for node in plot if node.get("class") == "background")
    return width, float(y) - ABOVE, float(y) + float(base.get("height", "0")) + BELOW


def _dress(node: Element, around: tuple[str, ...], place: int, inks: tuple[str, ...]) -> None:
    """Say how this and all inside it is drawn. ``around``: the classes of what it is in; ``place``:
    of the line that it belongs to."""
    names = node.get("class", "").split()
    for name in names:
        head, _, number = name.partition("-")
        if head in ("serie", "color") and number.isdigit():
            place = int(number)
    node.attrib.pop("style", None)
    node.attrib.update(_attributes(node.tag, names, around, place, inks))
    for child in node:
        _dress(child, (*around, *names), place, inks)


def _attributes(
    tag: str, names: list[str], around: tuple[str, ...], place: int, inks: tuple[str, ...]
) -> Iterator[tuple[str, str]]:
    """How something of these classes is drawn."""
    colour, dashes = inks[place % len(inks)], DASHES[place % len(DASHES)]
    if tag == f"{SVG}text":
        yield from {"font-family": FONT, "fill": "#000000", "font-size": "15"}.items()
        if "y" in around:
            yield "text-anchor", "end"
        elif "x" in around:
            yield "text-anchor", "middle"
        else:
            yield "font-weight", "600"
    elif "mark" in names:
        yield from {"fill": colour, "stroke": "#ffffff", "stroke-width": "1"}.items()
    elif "line" in names and "series" in around:
        yield from {"fill": "none", "stroke": colour, "stroke-width": "2.2"}.items()
        if dashes:
            yield "stroke-dasharray", dashes
    elif "line" in names:
        ink = FAINT if "guide" in names else GREY
        yield from {"fill": "none", "stroke": ink, "stroke-width": "1"}.items()
