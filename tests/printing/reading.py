"""Reading prints back: the text of a PDF, and whether everything is in its place."""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import filterfalse
from typing import Any, Literal

from pypdf import PdfReader
from pypdf.generic import DictionaryObject
from weasyprint.css import AnonymousStyle
from weasyprint.formatting_structure import boxes

from printing.press import layout as press
from printing.press.jobs import Job
from printing.queue import shown_pictures
from typesetting.letters import SMALLEST, SMALLEST_LABEL, typeset

# Letters reach out of their line, and lines of one paragraph touch: this share of a line's height,
# above and below, may overlap another's.
REACH = 0.2
# Classes of labels in the stylesheets of prints.
LABELS = {"label", "k"}
# Elements that are headings, and signs that a line may end after.
HEADS = {"h1", "h2", "h3", "th"}
WORD_END = re.compile(r"[\s\-–/·,]+")
# Tolerance for rounded lengths, in CSS pixels.
SLACK = 1.0


def squeezed(text: object) -> str:
    """``text`` as it is set, without white space, so that line breaks are ignored."""
    return "".join(typeset(str(text)).split())


def text_of(pdf: bytes) -> str:
    """The text of all pages, without white space."""
    return squeezed("".join(page.extract_text() for page in _reader(pdf).pages))


def pages_of(pdf: bytes) -> list[str]:
    """The text of each page, in its lines."""
    return [page.extract_text() for page in _reader(pdf).pages]


def sizes_of(pdf: bytes) -> list[tuple[int, int]]:
    """The size of each page in whole points: A4 is (595, 842), Letter (612, 792)."""
    sheets = [page.mediabox for page in _reader(pdf).pages]
    return [(round(sheet.width), round(sheet.height)) for sheet in sheets]


def fonts_of(pdf: bytes) -> set[str]:
    """The names of a print's fonts. Raises AssertionError if a font is not embedded."""
    reader = _reader(pdf)
    names = set()
    for number in range(1, reader.trailer["/Size"]):
        font = reader.get_object(number)
        if not isinstance(font, DictionaryObject) or font.get("/Type") != "/Font":
            continue
        if "/FontFile" not in " ".join(font.get("/FontDescriptor", {})):
            # A composite font refers to the font that it is made of.
            assert font.get("/Subtype") == "/Type0", f"{font['/BaseFont']} is not embedded"
        names.add(font["/BaseFont"].removeprefix("/").partition("+")[2])
    return names


def is_tagged(pdf: bytes) -> bool:
    """Whether a print declares a structure that can be read aloud (PDF/UA), and has it."""
    catalog = _catalog(pdf)
    marked = catalog.get("/MarkInfo", {}).get("/Marked", False)
    promised = "/Metadata" in catalog and b"pdfuaid" in catalog["/Metadata"].get_data()
    return bool(marked) and promised and "/StructTreeRoot" in catalog


def title_of(pdf: bytes) -> str:
    """The title of the reader's window."""
    told = _reader(pdf).metadata
    return str(told.title) if told else ""


def language_of(pdf: bytes) -> str:
    """The language in which a print is read aloud."""
    return str(_catalog(pdf).get("/Lang", ""))


def links_of(pdf: bytes) -> list[str]:
    """The addresses that can be clicked."""
    notes = [note.get_object() for page in _reader(pdf).pages for note in page.get("/Annots", [])]
    return [str(note["/A"]["/URI"]) for note in notes if "/URI" in note.get("/A", {})]


def _reader(pdf: bytes) -> PdfReader:
    return PdfReader(io.BytesIO(pdf))


def _catalog(pdf: bytes) -> Any:
    return _reader(pdf).trailer["/Root"]


# Places and overlaps --------------------------------------------------------------------------


@dataclass(frozen=True)
class Frame:
    """The place of a box on its page, in CSS pixels."""

    left: float
    top: float
    right: float
    bottom: float
    said: str = ""

    def holds(self, other: Frame) -> bool:
        """Whether the ``other`` is inside, within the tolerance."""
        return (
            other.left >= self.left - SLACK
            and other.right <= self.right + SLACK
            and other.top >= self.top - SLACK
            and other.bottom <= self.bottom + SLACK
        )

    def meets(self, other: Frame) -> bool:
        """Whether both cover the same place."""
        beside = self.right - 0.5 <= other.left or other.right - 0.5 <= self.left
        apart = self.bottom <= other.top or other.bottom <= self.top
        return not beside and not apart


@lru_cache(maxsize=1)
def _laid_out(job: Job) -> Any:
    return press.lay_out(job, shown_pictures(job))


def printed(job: Job) -> bytes:
    """The PDF of a job, from the pages that ``troubles`` examines, so that the layout is made once.
    Only for letters that the fonts have: missing letters are found when the PDF is written."""
    pdf: bytes = _laid_out(job).write_pdf(pdf_variant="pdf/ua-1", finisher=press.join_letters)
    return pdf


def troubles(job: Job, within: Literal["margins", "paper"] = "margins") -> list[str]:
    """The faults in a job's layout, each in words with its page.

    Texts and drawings that leave the page's margins (or the ``paper``, for prints that draw marks
    into the margins), texts that leave their column of the page, texts that are cut off by a box
    that hides its overflow, and texts that overlap.
    """
    found = []
    for number, page in enumerate(_laid_out(job).pages, start=1):
        paper = page._page_box
        sheet = Frame(0, 0, paper.margin_width(), paper.margin_height())
        inside = Frame(
            paper.content_box_x(),
            paper.content_box_y(),
            paper.content_box_x() + paper.width,
            paper.content_box_y() + paper.height,
        )
        for footers in (False, True):
            parts = [part for part in paper.children if _in_margin(part) is footers]
            limit = sheet if footers or within == "paper" else inside
            texts = []
            for box, hidden_by, column in _drawn(parts, []):
                frame = _frame(box)
                if column and not (
                    column.left - SLACK <= frame.left and frame.right <= column.right + SLACK
                ):
                    found.append(f"{number}: {frame.said!r} leaves its column")
                if not limit.holds(frame):
                    found.append(f"{number}: {frame.said!r} leaves the {_name_of(limit is sheet)}")
                if any(not hiding.holds(frame) for hiding in hidden_by):
                    found.append(f"{number}: {frame.said!r} is cut off")
                if isinstance(box, boxes.TextBox):
                    texts.append(frame)
            found += [f"{number}: {a!r} on {b!r}" for a, b in _find_overlaps(texts)]
    return found


def too_small(
    job: Job,
    text: float = SMALLEST,
    label: float = SMALLEST_LABEL,
    classes: Collection[str] = LABELS,
) -> list[str]:
    """Texts smaller than ``text`` points, each with its page and size; for labels (heads of tables,
    margins, boxes with one of the label's ``classes``) the limit is ``label``."""
    found = set()
    for number, page in enumerate(_laid_out(job).pages, start=1):
        for box, labels in _letters(page._page_box, False, classes):
            points = round(box.style["font_size"] * 72 / 96, 2)
            if points < (label if labels else text):
                found.add(f"{number}: {box.text!r} in {points} pt")
    return sorted(found)


def _letters(box: Any, labels: bool, classes: Collection[str]) -> Iterator[tuple[Any, bool]]:
    """Every text inside ``box``, and whether it is a label."""
    for child in getattr(box, "children", ()):
        child = getattr(child, "_box", child)
        if isinstance(child, boxes.TextBox):
            if child.text.strip():
                yield child, labels
            continue
        element = child.element
        marked = element is not None and not set(element.get("class", "").split()).isdisjoint(
            classes
        )
        label = labels or marked or child.element_tag == "th" or _in_margin(child)
        yield from _letters(child, label, classes)


def fullness(job: Job) -> float:
    """How far down the last page is used between its margins: 0 to 1. Rulers to measure with do not
    count."""
    paper = _laid_out(job).pages[-1]._page_box
    parts = [*filterfalse(_in_margin, paper.children)]
    frames = (_frame(box) for box, _hidden, _column in _drawn(parts, []))
    ends = [frame.bottom for frame in frames if not frame.said.startswith("50 mm")]
    ends += [
        box.position_y + box.margin_top + box.border_height()
        for part in parts
        for box in boxes_of(part)
        if isinstance(box, boxes.BlockBox) and box.border_bottom_width
    ]
    return (max(ends, default=paper.content_box_y()) - paper.content_box_y()) / paper.height


def broken_words(job: Job) -> list[str]:
    """Headings and heads of tables with a broken word, each with its page."""
    found = []
    for number, page in enumerate(_laid_out(job).pages, start=1):
        for box in boxes_of(page._page_box):
            # A block inside a head is part of it; the text around it, in a box without an element
            # of its own, is not the whole.
            whole = isinstance(box, boxes.BlockContainerBox) and not isinstance(
                box.style, AnonymousStyle
            )
            if whole and box.element_tag in HEADS:
                lines = [
                    "".join(part.text for part in boxes_of(line) if isinstance(part, boxes.TextBox))
                    for line in boxes_of(box)
                    if isinstance(line, boxes.LineBox)
                ]
                # A line may end after a sign.
                said = "".join(box.element.itertext())
                if box.style["text_transform"] == "uppercase":
                    said = said.upper()
                words = [word for word in WORD_END.split(said) if word]
                if not all(any(word in line for line in lines) for word in words):
                    found.append(f"{number}: {lines}")
    return found


def split_boxes(job: Job, *classes: str) -> list[str]:
    """Boxes of these classes, and rows of tables, that are on two pages although they fit one.
    Heads of tables are repeated and do not count."""
    places: dict[Any, list[tuple[int, float, float]]] = {}
    heads: set[Any] = set()
    for number, page in enumerate(_laid_out(job).pages, start=1):
        for box in boxes_of(page._page_box):
            if isinstance(box, boxes.TableRowGroupBox) and box.is_header:
                heads |= {row.element for row in box.children}
            elif box.element is not None and isinstance(box, boxes.BlockBox | boxes.TableRowBox):
                named = {*box.element.get("class", "").split(), box.element_tag}
                if named & {*classes, "tr"} and box.element not in heads:
                    place = number, box.margin_height(), page._page_box.height
                    places.setdefault(box.element, []).append(place)
    return [
        f"{pages[0][0]}: <{element.tag} class={element.get('class')!r}>"
        for element, pages in places.items()
        if len({number for number, _high, _room in pages}) > 1
        and sum(high for _number, high, _room in pages) <= pages[0][2]
    ]


def stranded_headings(job: Job) -> list[str]:
    """Headings at the foot of a page with their content on the next, each with its page."""
    found = []
    for number, page in enumerate(_laid_out(job).pages, start=1):
        root = page._page_box.children[0]
        last = {child for parent in root.element.iter() for child in list(parent)[-1:]}
        drawn = [
            box
            for box in boxes_of(root)
            if isinstance(box, boxes.TextBox | boxes.ReplacedBox)
            or (isinstance(box, boxes.BlockBox) and box.border_bottom_width)
        ]
        lowest = max(drawn, key=lambda box: box.position_y + box.margin_height(), default=None)
        headed = lowest is not None and lowest.element_tag in {"h1", "h2", "h3"}
        if headed and lowest.element not in last:
            found.append(f"{number}: {''.join(lowest.element.itertext())!r}")
    return found


def boxes_of(box: Any) -> Iterator[Any]:
    """Every box inside ``box``, also absolutely placed boxes, in the order of the text."""
    for child in getattr(box, "children", ()):
        child = getattr(child, "_box", child)
        yield child
        yield from boxes_of(child)


def pictures_of(job: Job) -> int:
    """The number of photographs in a job, without drawings."""
    return sum(
        isinstance(box, boxes.ReplacedBox) and box.element_tag == "img"
        for page in press.lay_out(job, shown_pictures(job)).pages
        for box in boxes_of(page._page_box)
    )


def _name_of(paper: bool) -> str:
    return "paper" if paper else "margins"


def _in_margin(part: Any) -> bool:
    return isinstance(part, boxes.MarginBox)


def _drawn(
    parts: list[Any], hidden_by: list[Frame], column: Frame | None = None
) -> Iterator[tuple[Any, list[Frame], Frame | None]]:
    """Every text and picture, with the frames of boxes that could cut it off, and its column of the
    page, if any."""
    for box in parts:
        box = getattr(box, "_box", box)
        if isinstance(box, boxes.TextBox):
            if box.text.strip():
                yield box, hidden_by, column
        elif isinstance(box, boxes.ReplacedBox):
            yield box, hidden_by, column
        elif isinstance(box, boxes.ParentBox):
            inner = hidden_by
            if box.style["overflow"] != "visible":
                left, top = box.padding_box_x(), box.padding_box_y()
                right, bottom = left + box.padding_width(), top + box.padding_height()
                inner = [*hidden_by, Frame(left, top, right, bottom)]
            if box.style["column_count"] == box.style["column_width"] == "auto":
                yield from _drawn(box.children, inner, column)
                continue
            for part in box.children:
                yield from _drawn([part], inner, _content(part))


def _content(box: Any) -> Frame:
    left, top = box.content_box_x(), box.content_box_y()
    return Frame(left, top, left + box.width, top + box.height)


def _frame(box: Any) -> Frame:
    if isinstance(box, boxes.TextBox):
        # Half of the line's extra height is above the letters.
        left, top, right = (
            box.position_x,
            box.position_y + box.margin_top,
            box.position_x + box.width,
        )
        reach = box.height * REACH
        return Frame(left, top + reach, right, top + box.height - reach, box.text)
    left, top = box.content_box_x(), box.content_box_y()
    return Frame(left, top, left + box.width, top + box.height, f"<{box.element_tag}>")


def _find_overlaps(texts: list[Frame]) -> Iterator[tuple[str, str]]:
    texts = sorted(texts, key=lambda frame: frame.top)
    for i, one in enumerate(texts):
        for other in texts[i + 1 :]:
            if other.top >= one.bottom:
                break
            if one.meets(other):
                yield one.said, other.said
