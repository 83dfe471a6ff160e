"""The structure of a print, as a screen reader walks through it."""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from pypdf import PdfReader
from weasyprint.formatting_structure import boxes

from printing.press import layout as press
from printing.press.jobs import Job
from printing.queue import shown_pictures
from tests.printing.reading import boxes_of

HEADINGS = ("h1", "h2", "h3")


def faults(job: Job) -> list[str]:
    """A print's faults against PDF/UA, in words: headings that skip a level, table cells without
    heads, figures without a description, and parts read in another order than printed."""
    document = press.lay_out(job, shown_pictures(job))
    pdf: bytes = document.write_pdf(pdf_variant="pdf/ua-1")
    elements = list(_elements(pdf))
    return [*_headings(elements), *_cells(elements), *_figures(elements), *_order(document)]


def _elements(pdf: bytes) -> Iterator[tuple[str, Any]]:
    """Every element of the structure tree in its order, with its kind, without elements that
    contain only another element of the same kind."""
    root = PdfReader(io.BytesIO(pdf)).trailer["/Root"]["/StructTreeRoot"]

    def walk(node: Any, above: str) -> Iterator[tuple[str, Any]]:
        kind = node.get("/S", "")
        if kind and kind != above:
            yield kind, node
        children = node.get("/K", [])
        for child in children if isinstance(children, list) else [children]:
            found = child.get_object() if hasattr(child, "get_object") else child
            if isinstance(found, dict):
                yield from walk(found, kind)

    yield from walk(root, "")


def _headings(elements: list[tuple[str, Any]]) -> Iterator[str]:
    levels = [int(kind[2:]) for kind, _node in elements if kind[:2] == "/H" and kind[2:].isdigit()]
    if not levels or levels[0] != 1:
        yield f"the first heading is {levels[:1]}"
    yield from (f"{two} follows on {one}" for one, two in pairwise(levels) if two > one + 1)


def _cells(elements: list[tuple[str, Any]]) -> Iterator[str]:
    heads = {node.get("/ID") for kind, node in elements if kind == "/TH"}
    for kind, node in elements:
        if kind == "/TD":
            named = node.get("/A", {}).get("/Headers", [])
            if not named or not set(named) <= heads:
                yield f"a cell has the heads {list(named)}"


def _figures(elements: list[tuple[str, Any]]) -> Iterator[str]:
    for kind, node in elements:
        if kind == "/Figure" and not str(node.get("/Alt", "")).strip():
            yield "a figure says nothing"


def _order(document: Any) -> Iterator[str]:
    """Faults in the order of headings: on a page, each must be below the heading before it or to
    the right of it."""
    for number, page in enumerate(document.pages, start=1):
        found = [
            (box.content_box_x(), box.content_box_y(), _text_of(box))
            for box in boxes_of(page._page_box)
            if isinstance(box, boxes.BlockBox) and box.element_tag in HEADINGS
        ]
        for (x, y, said), (next_x, next_y, next_said) in pairwise(found):
            if next_y < y - 1 and next_x < x + 1:
                yield f"{number}: {next_said!r} is read after {said!r}"


def _text_of(box: Any) -> str:
    return "".join(part.text for part in boxes_of(box) if isinstance(part, boxes.TextBox))
