"""Printing: HTML into a PDF, and the shelf of PDFs that have been printed before."""

from __future__ import annotations

import atexit
import logging
import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.staticfiles import finders

if TYPE_CHECKING:
    import weasyprint

MOST_KEPT = 500
LONGEST_WAIT = 15

# The dozen rules that our sheets need: the whole of HTML's default stylesheet costs more than a
# third of the layout.
DEFAULTS = """
html, body, div, section, article, h1, h2, h3, p, pre, ul { display: block }
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
i { font-style: italic }
"""

_one_at_a_time = threading.Lock()


class Busy(Exception):
    """The printer has too much to do."""


@contextmanager
def printer() -> Iterator[None]:
    """Have the printer to oneself: two threads lay out slower than one after the other.

    Raises Busy when it does not become free in time.
    """
    if not _one_at_a_time.acquire(timeout=LONGEST_WAIT):
        raise Busy
    try:
        yield
    finally:
        _one_at_a_time.release()


def pdf(html: str, *, tagged: bool = False) -> bytes:
    """``html`` as a PDF; ``tagged``: one that conforms to PDF/UA. Call it as the ``printer``.

    Equal HTML gives equal bytes, since neither a date nor an identifier is written.
    """
    printed: bytes = laid_out(html).write_pdf(pdf_variant="pdf/ua-1" if tagged else None)
    return printed


def laid_out(html: str) -> weasyprint.Document:
    """``html`` as pages, not yet written down."""
    press = _press()
    page = press.page(string=html, base_url=press.base, url_fetcher=press.fetcher)
    return page.render(stylesheets=[press.style], font_config=press.fonts)


class _Press:
    """What every print shares, made at the first: the library (its import takes half a second),
    the stylesheet and the unpacked fonts."""

    def __init__(self) -> None:
        import weasyprint
        from weasyprint.text.fonts import FontConfiguration
        from weasyprint.urls import URLFetcher

        class OwnFontsOnly(URLFetcher):  # type: ignore[misc]
            """Fetches our fonts and nothing else, wherever a document points to."""

            def fetch(self, url: str, headers: Any = None) -> Any:
                if url not in allowed:
                    raise ValueError(f"Not a font of ours: {url}")
                return super().fetch(url, headers)

        defaults = weasyprint.CSS(string=DEFAULTS)

        class Page(weasyprint.HTML):  # type: ignore[misc]
            """A document with only the default styles that our sheets need."""

            def _ua_stylesheets(self, forms: bool = False) -> list[weasyprint.CSS]:
                return [defaults]

        css = stylesheet()
        fonts = css.parent / "fonts"
        allowed = {font.as_uri() for font in fonts.glob("*.woff2")}
        self.base = css.as_uri()
        self.fetcher = OwnFontsOnly(allowed_protocols=["file"])
        self.fonts = FontConfiguration()
        self.style = weasyprint.CSS(
            string=css.read_text(),
            base_url=self.base,
            url_fetcher=self.fetcher,
            font_config=self.fonts,
        )
        self.page = Page


@cache
def _press() -> _Press:
    # Both tell every step of every print.
    for name in ("weasyprint.progress", "fontTools"):
        logging.getLogger(name).setLevel(logging.WARNING)
    # The unpacked fonts lie in a temporary folder, which must go while there still is a Python.
    atexit.register(_press.cache_clear)
    return _Press()


def stylesheet() -> Path:
    """The stylesheet of all prints."""
    found = finders.find("print.css")
    assert isinstance(found, str)
    return Path(found)


# The shelf ------------------------------------------------------------------------------------


def shelf() -> Path:
    """The folder of what has been printed."""
    folder: Path = settings.DATA_DIR / "sheets"
    return folder


def kept(key: str) -> bytes | None:
    """What was printed under ``key``, None if nothing was or if it was cleared away."""
    assert re.fullmatch(r"[0-9a-f]{64}", key)
    with suppress(FileNotFoundError):
        return (shelf() / f"{key}.pdf").read_bytes()
    return None


def keep(key: str, printed: bytes) -> None:
    """Keep what was printed, whole or not at all, and clear away the oldest beyond MOST_KEPT."""
    folder = shelf()
    folder.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=folder, suffix=".new", delete=False) as new:
        new.write(printed)
    os.replace(new.name, folder / f"{key}.pdf")
    files = []
    for file in folder.iterdir():
        # Another process may clear away the same file.
        with suppress(FileNotFoundError):
            files.append((file.stat().st_mtime_ns, file))
    for _age, file in sorted(files)[: max(0, len(files) - MOST_KEPT)]:
        file.unlink(missing_ok=True)
