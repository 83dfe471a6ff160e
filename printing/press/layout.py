"""Lay out a job, and print it as a PDF (``printing.press.program`` does so)."""

from __future__ import annotations

import atexit
import gc
import logging
import os
import re
import warnings
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from printing.press.jobs import NO_PICTURES, Job, picture_address
from typesetting.letters import DRAWN, typeset
from typesetting.scripts import FAMILIES, FONTS

if TYPE_CHECKING:
    import weasyprint

STYLES = Path(__file__).resolve().parents[2] / "static/print"
# The fonts that a stylesheet names, and the fonts they expand to, with more letters for names.
# Their order matters: see fonts.css.
NAMED = '"Fira Sans More", "Fira Sans"'
ALL = ", ".join(
    f'"{family}"'
    for family in (
        "Fira Sans More",
        "Fira Sans Vietnamese",
        "Fira Sans",
        "Fira Sans Cyrillic",
        "Fira Sans Cyrillic More",
        "Fira Sans Greek",
        "Fira Sans Greek More",
        "Skirmish Signs",
        "Noto Emoji",
        *FAMILIES,
    )
)
# The stylesheet of drawn letters.
EMOJI = "emoji"
SVG = "{http://www.w3.org/2000/svg}"
# A drawing inside a stylesheet. It can point only to files that may be fetched.
DRAWING = "data:image/svg+xml,"
# An estimate this close to whole pages leaves a doubt whether there is one more.
DOUBT = 0.08
# A last page that is used less than this should be avoided.
SCRAP = 1 / 3
# The class of boxes to fill in by hand, which reach down to the foot of their page.
FILL = "fill"
# Characters that XML does not allow, though a pasted name may contain them.
NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# The dozen rules that our prints need: the full default stylesheet of HTML costs more than a third
# of the layout.
DEFAULTS = """
html, body, div, section, article, h1, h2, h3, p, pre, ul, ol, figure, figcaption { display: block }
li { display: block }
table { display: table; box-sizing: border-box; border-spacing: 0 }
caption { display: table-caption }
thead { display: table-header-group }
tbody { display: table-row-group }
tr { display: table-row }
td, th { display: table-cell; vertical-align: inherit; text-align: inherit }
colgroup { display: table-column-group }
col { display: table-column }
head, style, title, meta { display: none }
h1, h2, h3, th, b { font-weight: 600 }
.no-glyph { font-family: "Fira Sans", sans-serif; font-weight: 400 }
.no-glyph { border: .3pt solid; padding: 0 .3mm }
i { font-style: italic }
"""


def pdf(
    job: Job, pictures: Mapping[str, bytes] = NO_PICTURES, variant: str | None = "pdf/ua-1"
) -> bytes:
    """Return the job as a PDF, by default one that conforms to PDF/UA. ``pictures``: those that it
    shows, by their names.

    Equal jobs give equal bytes, since neither a date nor an identifier is written.
    """
    before = len(_press().unknown)
    with _uncollected():
        printed: bytes = lay_out(job, pictures).write_pdf(
            pdf_variant=variant, finisher=join_letters
        )
        if len(_press().unknown) > before:
            # Only now is it known which letters no font has: they are drawn as their codes.
            printed = lay_out(job, pictures).write_pdf(pdf_variant=variant, finisher=join_letters)
    return printed


def join_letters(_document: weasyprint.Document, file: Any) -> None:
    """Leave out the empty strings between the letters of a line.

    PDFium, which Chrome shows PDFs with, ignores a distance after an empty string at the end of an
    array, so that values after an inch sign would leave their columns.
    """
    for part in file.objects:
        if lines := getattr(part, "stream", None):
            part.stream = [_without_empty_strings(line) for line in lines]


def _without_empty_strings(line: Any) -> Any:
    is_text = isinstance(line, bytes) and line.endswith(b"] TJ")
    return line.replace(b"<>", b" ") if is_text else line


@contextmanager
def _uncollected() -> Iterator[None]:
    """Suspend garbage collection: searching the boxes of a print for garbage takes a tenth of its
    time, and all of them are in use until it is done.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def lay_out(job: Job, pictures: Mapping[str, bytes] = NO_PICTURES) -> weasyprint.Document:
    """Return the job as pages, not yet written to a file."""
    press = _press()
    press.pictures = {picture_address(name): content for name, content in pictures.items()}
    page = press.page(job.html)
    if press.unknown & set(job.html):
        body = page.etree_element.find("body")
        for element in [] if body is None else list(body.iter()):
            _draw_codes(element, press.unknown)
    drawn = [EMOJI] if max(job.html, default="") >= DRAWN else []
    styles = [press.style(name) for name in (*job.styles, *drawn)]

    def rendered(*rules: weasyprint.CSS) -> weasyprint.Document:
        document = page.render(stylesheets=[*styles, *rules], font_config=press.fonts)
        for one in document.pages if FILL in job.html else ():
            _fill(one._page_box)
        return document

    if not job.tries:
        document = rendered()
        if job.tighter and len(document.pages) > 1 and _used(document.pages[-1]) < SCRAP:
            saved = rendered(press.rules(job.tighter))
            document = saved if len(saved.pages) < len(document.pages) else document
        return document
    document = cache(lambda place: rendered(press.rules(job.tries[place])))

    def pages(place: int) -> int:
        return len(document(place).pages)

    def about_pages(place: int) -> int:
        least, most = (ceil(job.lengths[place] + doubt) for doubt in (-DOUBT, DOUBT))
        return least if least == most else pages(place)

    if job.lengths:
        best = _roomiest(len(job.tries), about_pages)
        if pages(best) == about_pages(best):
            return document(best)
    return document(_roomiest(len(job.tries), pages))


def _roomiest(tries: int, pages: Callable[[int], int]) -> int:
    """Return the first of the ``tries`` that takes no more pages than the last."""
    fewest = pages(tries - 1)
    return bisect_left(range(tries - 1), True, key=lambda place: pages(place) <= fewest)


def _used(page: weasyprint.Page) -> float:
    """Return the used share of a page's height, from its top: 0 to 1."""
    used: float = page._page_box.children[0].margin_height() / page._page_box.height
    return used


def _fill(page: Any) -> None:
    """Stretch the last box of a page to the foot of the page if it is there to fill in by hand. No
    stylesheet can say that, and measuring everything above it would take much longer.
    """
    bottom = page.content_box_y() + page.height
    boxes = page.children[:1]
    while boxes:
        last = boxes[-1]
        if last.element is not None and FILL in last.element.get("class", "").split():
            free = bottom - last.position_y - last.margin_height()
            last.height += max(0, free)
            return
        boxes = [box for box in getattr(last, "children", ()) if box.is_in_normal_flow()]


def parse_markup(html: str) -> Element:
    """Parse the markup of a job into the tree that HTML's own parser would make, and typeset its
    text.

    Raises ElementTree.ParseError if it is not well-formed XML.
    """
    # User input in it is escaped, so it cannot declare anything.
    root = ElementTree.fromstring(NOT_XML.sub("", html))  # noqa: S314
    for drawing in list(root.iter("svg")):
        for element in drawing.iter():
            element.tag = SVG + element.tag.removeprefix(SVG)
    for element in root.iter():
        if element.text and element.tag != "style":
            element.text = typeset(element.text)
        if element.tail:
            element.tail = typeset(element.tail)
    return root


def _draw_codes(element: Element, unknown: set[str]) -> None:
    """Replace every ``unknown`` letter of an element's own text by its code in a box."""
    children = list(element)
    texts = [element.text or "", *(child.tail or "" for child in children)]
    if SVG in element.tag or not any(unknown & set(text) for text in texts):
        return
    for child in children:
        element.remove(child)
    element.text = ""
    within: list[Element | None] = [None, *children]
    for before, text in zip(within, texts, strict=True):
        if before is not None:
            before.tail = ""
            element.append(before)
        for letter in text:
            if letter in unknown:
                box = Element("span", {"class": "no-glyph"})
                # A line may break after it.
                box.text, box.tail = f"{ord(letter):04X}", "\u200b"
                element.append(box)
            elif len(element):
                element[-1].tail = (element[-1].tail or "") + letter
            else:
                element.text += letter


class _Unknown(logging.Filter):
    """Collect the letters that no font has, from the library's warnings while it draws."""

    def __init__(self, letters: set[str]) -> None:
        super().__init__()
        self._letters = letters

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is passed on: warnings about such letters are not."""
        if not str(record.msg).startswith(".notdef"):
            return True
        assert isinstance(record.args, tuple)
        self._letters.add(str(record.args[0]))
        return False


def stylesheets() -> Collection[Path]:
    """Return the stylesheets of all prints."""
    return sorted(STYLES.glob("*.css"))


class _Press:
    """The state that all prints share, made for the first one: the library (its import takes half a
    second), the stylesheets and the unpacked fonts.
    """

    def __init__(self) -> None:
        # Read when the fonts are looked up: of a machine's fonts only those of some scripts exist.
        os.environ["FONTCONFIG_FILE"] = str(STYLES / "fonts.conf")
        import cssselect2

        with warnings.catch_warnings():
            # It warns that there are no fonts except ours.
            warnings.filterwarnings("ignore", "No fonts configured", UserWarning)
            import weasyprint
        from weasyprint.text.fonts import FontConfiguration
        from weasyprint.urls import URLFetcher, URLFetcherResponse

        press = self

        class OwnFilesOnly(URLFetcher):  # type: ignore[misc]
            """Fetch our fonts, the job's pictures and drawings, and no other address in a
            document.
            """

            def fetch(self, url: str, headers: Any = None) -> Any:
                if url in press.pictures:
                    return URLFetcherResponse(url, press.pictures[url])
                if url not in allowed and not url.startswith(DRAWING):
                    raise ValueError(f"Not a file of ours: {url}")
                return super().fetch(url, headers)

        defaults = weasyprint.CSS(string=DEFAULTS)

        class Page(weasyprint.HTML):  # type: ignore[misc]
            """A document read as XML, with only the default styles that our prints need."""

            def __init__(self, html: str) -> None:
                self.base_url = press.base
                self.url_fetcher = press.fetcher
                self.media_type = "print"
                self.wrapper_element = cssselect2.ElementWrapper.from_html_root(parse_markup(html))
                self.etree_element = self.wrapper_element.etree_element

            def _ua_stylesheets(self, forms: bool = False) -> list[weasyprint.CSS]:
                return [defaults]

        allowed = {font.as_uri() for font in FONTS.glob("*.woff2")}
        self.base = (STYLES / "sheet.css").as_uri()
        self.pictures: Mapping[str, bytes] = NO_PICTURES
        self.unknown: set[str] = set()
        logging.getLogger("weasyprint").addFilter(_Unknown(self.unknown))
        self.fetcher = OwnFilesOnly(allowed_protocols=["file", "data"])
        self.fonts = FontConfiguration()
        self.page = Page
        self._weasyprint = weasyprint
        self._styles: dict[str, weasyprint.CSS] = {}

    def style(self, name: str) -> weasyprint.CSS:
        """Return a stylesheet, read once."""
        if name not in self._styles:
            self._styles[name] = self._weasyprint.CSS(
                string=_text(name).replace(NAMED, ALL),
                base_url=self.base,
                url_fetcher=self.fetcher,
                font_config=self.fonts,
            )
        return self._styles[name]

    def rules(self, text: str) -> weasyprint.CSS:
        """Return the extra rules of a job as a stylesheet."""
        return self._weasyprint.CSS(string=text, url_fetcher=self.fetcher)


def _text(name: str) -> str:
    """Return a stylesheet with its imports in their places."""
    text = (STYLES / f"{name}.css").read_text()
    return re.sub(r'@import "(\w+)\.css";', lambda found: _text(found[1]), text)


@cache
def _press() -> _Press:
    # Both log every step of every print.
    for name in ("weasyprint.progress", "fontTools"):
        logging.getLogger(name).setLevel(logging.WARNING)
    # The unpacked fonts are in a temporary folder, which must be deleted before Python shuts down.
    atexit.register(_press.cache_clear)
    return _Press()
