"""Drawing charts: SVG by pygal, to be shown as images of their own.

A line is known by its letter, its dashes and the shape of its marks; colour only helps. Nothing in
the drawing moves, runs or comes from elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from string import ascii_uppercase
from typing import Any, Literal
from xml.etree.ElementTree import Element

import pygal
from pygal.style import Style

from campaigns.statistics.charts import Figures, Series, spread, thinned
from rules.engine.costing import Points

# How it looks by day and by night, but for the colours below.
SHEET = Path(__file__).with_name("chart.css")
Size = Literal["wide", "narrow", "paper"]
LETTERS = ascii_uppercase
DASHES = ("", "9 5", "2 4", "12 4 2 4", "5 3", "14 6", "6 3 1 3 1 3", "1 7")
# What is drawn around the middle of a point, within a square of ten.
SHAPES = (
    "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0Z",
    "M-4 -4H4V4H-4Z",
    "M0 -5L5 4H-5Z",
    "M0 -5.5L5.5 0L0 5.5L-5.5 0Z",
    "M0 5L5 -4H-5Z",
    "M-5 -1.7H-1.7V-5H1.7V-1.7H5V1.7H1.7V5H-1.7V1.7H-5Z",
    "M-5 -3L-3 -5L0 -2L3 -5L5 -3L2 0L5 3L3 5L0 2L-3 5L-5 3L-2 0Z",
    "M0 -5.5L1.6 -1.8L5.5 -1.7L2.4 .8L3.5 4.7L0 2.4L-3.5 4.7L-2.4 .8L-5.5 -1.7L-1.6 -1.8Z",
)
LIGHT = ("#0b5d5e", "#a31621", "#2b4a73", "#7a4b00", "#6b2f7b", "#1c6234", "#8a2456", "#4a453e")
SIZES: dict[Size, tuple[int, int]] = {"wide": (860, 480), "narrow": (360, 520), "paper": (860, 240)}
# Columns that there is room for, and how many of them are labelled.
COLUMNS: dict[Size, tuple[int, int]] = {"wide": (60, 8), "narrow": (30, 3), "paper": (60, 6)}
# Beside the lines: for letters, or for whole names.
BESIDE: dict[Size, int] = {"wide": 56, "narrow": 56, "paper": 240}
# Lines that end so close to each other, as a share of the height, share a label.
CLOSE = 0.05


@dataclass(frozen=True)
class Drawing:
    """A chart to be drawn, with all words in it. ``labels``: of the columns; ``lowest`` and
    ``highest`` of all gangs, so that charts of some of them can be compared."""

    title: str
    figures: Figures
    labels: tuple[str, ...]
    lowest: Points
    highest: Points


def render_svg(drawing: Drawing, size: Size) -> bytes:
    """The chart as SVG: always the same for the same figures. On ``paper`` it has neither title nor
    legend nor letters, but room for names at the lines' ends."""
    paper = size == "paper"
    most, labelled = COLUMNS[size]
    labels = dict(zip(drawing.figures.columns, drawing.labels, strict=True))
    figures = thinned(drawing.figures, most)
    width, height = SIZES[size]
    chart = pygal.Line(
        width=width,
        height=height,
        title=None if paper else drawing.title,
        show_legend=not paper,
        style=_style(size),
        no_prefix=True,
        js=[],
        css=["file://style.css", "file://graph.css", f"file://{SHEET}"],
        disable_xml_declaration=True,
        range=(drawing.lowest, max(drawing.highest, drawing.lowest + 1)),
        legend_at_bottom=True,
        legend_at_bottom_columns=2 if size == "wide" else 1,
        legend_box_size=10,
        truncate_legend=38,
        truncate_label=-1,
        print_labels=True,
        show_minor_x_labels=False,
        show_minor_y_labels=True,
        dots_size=4,
        margin=8,
        margin_right=BESIDE[size],
    )
    chart.x_labels = [labels[column] for column in figures.columns]
    chart.x_labels_major = [chart.x_labels[at] for at in spread(len(figures.columns), labelled)]
    chart.value_formatter = lambda value: f"{value:g}"
    chart.y_labels = _steps(drawing.lowest, drawing.highest)
    close = CLOSE * max(drawing.highest - drawing.lowest, 1)
    ends = {} if paper else _ends(figures.series, close)
    for place, row in enumerate(figures.series):
        last = len(row.values) - 1
        values: list[Any] = list(row.values)
        if row.who in ends:
            values[last] = {"value": values[last], "label": ends[row.who]}
        dash = {"width": 2.5, "dasharray": DASHES[place % len(DASHES)]}
        chart.add(f"{LETTERS[place]}  {row.name}", values, stroke_style=dash)
    chart.add_xml_filter(_tidied)
    return str(chart.render()).encode()


def _steps(lowest: Points, highest: Points) -> list[int]:
    """Whole numbers around all that is drawn, not too many of them."""
    span = max(highest - lowest, 1)
    steps = (digit * 10**power for power in count() for digit in (1, 2, 5))
    step = next(step for step in steps if span / step <= 10)
    start = math.floor(lowest / step) * step
    return list(range(start, math.ceil(highest) + step, step))


def _ends(series: Sequence[Series], close: float) -> dict[str, str]:
    """The letters to stand at the lines' ends; of lines that end together at one of them, and no
    more than there is room for."""
    letters: dict[str, list[str]] = {}
    top = math.inf
    for row, letter in sorted(zip(series, LETTERS, strict=False), key=lambda pair: -pair[0].last):
        if top - row.last > close:
            first, top = row.who, row.last
        letters.setdefault(first, []).append(letter)
    ends = {}
    for first, here in letters.items():
        more = f" +{len(here) - 2}" if len(here) > 3 else ""
        ends[first] = " ".join(sorted(here)[:2] if more else sorted(here)) + more
    return ends


def _style(size: Size) -> Style:
    """Fonts of the reader's machine, and the colours of the lines by day."""
    small = 14 if size == "narrow" else 13
    return Style(
        background="transparent",
        plot_background="transparent",
        font_family="system-ui, sans-serif",
        title_font_size=17,
        label_font_size=small,
        major_label_font_size=small,
        legend_font_size=small,
        value_label_font_size=15,
        value_font_size=6,
        opacity="1",
        stroke_opacity="1",
        transition="0s",
        colors=LIGHT,
    )


def _tidied(root: Any) -> Any:
    """Without scripts, comments and what only a script would show; every mark in its shape."""
    for parent in list(root.iter()):
        for child in list(parent):
            comment = not isinstance(child.tag, str)
            hidden = "tooltip" in child.get("class", "").split()
            if comment or hidden or child.tag in ("script", "desc"):
                parent.remove(child)
    _shape(root, None)
    root.attrib.pop("id", None)
    return root


def _shape(node: Element, place: int | None) -> None:
    """Draw the mark of each line around its points, and before its name in the legend."""
    names = node.get("class", "").split()
    for name in names:
        head, _, number = name.partition("-")
        if head in ("serie", "color") and number.isdigit():
            place = int(number)
    if place is not None and node.tag in ("circle", "rect"):
        x, y = _middle(node)
        node.attrib.clear()
        node.tag = "path"
        node.set("d", SHAPES[place % len(SHAPES)])
        node.set("transform", f"translate({x:.1f} {y:.1f})")
        node.set("class", f"color-{place} mark")
    for child in node:
        _shape(child, place)


def _middle(node: Element) -> tuple[float, float]:
    if node.tag == "circle":
        return float(node.get("cx", 0)), float(node.get("cy", 0))
    half = float(node.get("width", 0)) / 2
    return float(node.get("x", 0)) + half, float(node.get("y", 0)) + half
