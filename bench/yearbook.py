"""The processor time of a yearbook, compared with its words only.

    .venv/bin/python bench/yearbook.py [OUT.pdf]

The book of a season of eight gangs and twelve nights (four games each night, a tale of every other
game) is laid out, and so are its words as plain paragraphs, in the library's own style: that is the
lowest cost of so much text. Both are done in the same run, in turn, and the ratio of each round is
printed: median [least-most]. The cost of rendering the book before it is printed, and the peak
memory of a fresh process that prints one, follow.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from html import unescape
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parent.parent))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "skirmish.settings")
os.environ.setdefault("DEBUG", "1")
os.environ.setdefault("LOG_LEVEL", "WARNING")

import django

django.setup()

import weasyprint  # noqa: E402
from pypdf import PdfReader  # noqa: E402
from weasyprint.text.fonts import FontConfiguration  # noqa: E402

from printing.paper.orders import Order  # noqa: E402
from printing.press import layout as press  # noqa: E402
from printing.press.jobs import Job  # noqa: E402
from printing.season import yearbook as prints_yearbook  # noqa: E402
from tests.printing.season.evenings import season  # noqa: E402
from tests.world.gangs import GOLD, shipped  # noqa: E402

ROUNDS = 5
GANGS, NIGHTS, GAMES = 8, 12, 4
ORDER = Order("en", style="illustrated")


def job() -> Job:
    """Render the book again, with empty caches."""
    names = [f"The {word} of the Rust Creek" for word in "ABCDEFGH"]
    found = season(shipped(GOLD), names, NIGHTS * GAMES, a_night=GAMES)
    return Job(prints_yearbook.html(found, ORDER), styles=prints_yearbook.STYLES)


def paragraphs(html: str) -> str:
    """Return only the words of the book, with each of its paragraphs, cells and lines as a
    paragraph.
    """
    body = html[html.index("<body") :]
    parts = re.split(r"</(?:p|h1|h2|h3|li|td|th|title|text)>", re.sub(r"\s+", " ", body))
    words = [re.sub(r"<[^>]*>", " ", part).strip() for part in parts]
    told = "".join(f"<p>{word}</p>" for word in words if unescape(word).strip())
    return f'<!doctype html><html lang="en"><head><title>Words</title></head><body>{told}</body>'


def timed(work: Callable[[], object]) -> float:
    # Processor time: on a busy machine, the load of other programs does not count.
    start = time.process_time()
    work()
    return time.process_time() - start


def told(numbers: list[float]) -> str:
    return f"{median(numbers):.2f} [{min(numbers):.2f}-{max(numbers):.2f}]"


def compare(out: Path | None) -> None:
    book = job()
    words, fonts = paragraphs(book.html), FontConfiguration()

    def base() -> object:
        return weasyprint.HTML(string=words).write_pdf(font_config=fonts, pdf_variant="pdf/ua-1")

    printed = press.pdf(book)
    base()
    rounds = [(timed(base), timed(lambda: press.pdf(book)), timed(job)) for _ in range(ROUNDS)]
    pages = len(PdfReader(io.BytesIO(printed)).pages)
    print(f"{GANGS} gangs, {NIGHTS} nights: {pages} pages, {len(printed)} bytes")
    print(f"  its words alone   {told([plain for plain, _print, _draw in rounds])} s")
    for name, place in (("the book, printed", 1), ("the book, drawn", 2)):
        times = [row[place] for row in rounds]
        ratios = [row[place] / row[0] for row in rounds]
        print(f"  {name:17s} {told(times)} s   x {told(ratios)}")
    if out:
        out.write_bytes(printed)


def one() -> None:
    """Print one book and its peak memory."""
    pdf = press.pdf(job())
    status = Path("/proc/self/status").read_text()
    peak = next(int(line.split()[1]) for line in status.splitlines() if "VmHWM" in line)
    print(f"{len(PdfReader(io.BytesIO(pdf)).pages)} pages: {peak / 1024:.0f} MiB at the peak")


if __name__ == "__main__":
    if sys.argv[1:2] == ["one"]:
        one()
    else:
        compare(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
        subprocess.run([sys.executable, __file__, "one"], check=True)
