"""Compare pages with kept pictures that a person has looked at.

    RENEW_PICTURES=1 .venv/bin/python -m pytest -m papers -n 0

keeps the current pages; look at ``git diff`` before committing. A picture that differs
is written to var/papers/, beside the kept picture and the difference.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

import pypdfium2
from PIL import Image, ImageChops, ImageFilter

KEPT = Path(__file__).parent / "kept"
DIFFERENCES = Path(__file__).parents[2] / "var" / "papers"
DOTS_PER_INCH = 60
GREYS = 16
# Another version of the font library may shift a letter slightly: pictures are blurred a little,
# and only clearly lighter or darker pixels count.
BLUR = 1.5
CLEARLY = 32
TOLERANCE = 0.002


def render_pages(pdf: bytes, dots_per_inch: int = DOTS_PER_INCH) -> Iterator[Image.Image]:
    """The pages in shades of grey."""
    document = pypdfium2.PdfDocument(pdf)
    try:
        for page in document:
            yield page.render(scale=dots_per_inch / 72, grayscale=True).to_pil().convert("L")
            page.close()
    finally:
        document.close()


def same_picture(pdf: bytes, name: str, tolerance: float = TOLERANCE, pages: int = 99) -> None:
    """Assert that the first ``pages`` pages look like kept/<name>-<page>.png.

    ``tolerance``: the share of a page's pixels that may be clearly lighter or darker.
    Raises AssertionError with the pages that differ, and the paths of their pictures.
    """
    shown = list(render_pages(pdf))[:pages]
    if os.environ.get("RENEW_PICTURES"):
        _keep(name, shown)
    wrong = []
    kept = sorted(KEPT.glob(f"{name}-[0-9]*.png"), key=_number)
    for number, (now, file) in enumerate(zip_longest(shown, kept), start=1):
        if now is None or file is None:
            wrong.append(f"page {number} is {'not printed' if now is None else 'new'}")
            continue
        before = Image.open(file).convert("L")
        share = difference(before, now)
        if share > tolerance:
            _show(f"{name}-{number}", before, now)
            wrong.append(f"page {number} differs in {share:.2%} of its pixels")
    assert not wrong, f"{name}: {'; '.join(wrong)}. Look into {DIFFERENCES}"


def difference(one: Image.Image, other: Image.Image) -> float:
    """The share of pixels that are clearly lighter or darker in one picture than in the other."""
    if one.size != other.size:
        return 1.0
    return sum(_apart(one, other).histogram()[CLEARLY:]) / (one.width * one.height)


def _number(file: Path) -> int:
    return int(file.stem.rpartition("-")[2])


def _apart(one: Image.Image, other: Image.Image) -> Image.Image:
    blur = ImageFilter.BoxBlur(BLUR)
    return ImageChops.difference(one.filter(blur), other.filter(blur))


def _keep(name: str, shown: list[Image.Image]) -> None:
    KEPT.mkdir(exist_ok=True)
    for old in KEPT.glob(f"{name}-[0-9]*.png"):
        old.unlink()
    for number, page in enumerate(shown, start=1):
        page.quantize(GREYS).save(KEPT / f"{name}-{number}.png", optimize=True)


def _show(name: str, before: Image.Image, now: Image.Image) -> None:
    DIFFERENCES.mkdir(parents=True, exist_ok=True)
    before.save(DIFFERENCES / f"{name}-kept.png")
    now.save(DIFFERENCES / f"{name}-now.png")
    if before.size == now.size:
        apart = _apart(before, now).point(lambda grey: 0 if grey >= CLEARLY else 255)
        apart.save(DIFFERENCES / f"{name}-differs.png")
