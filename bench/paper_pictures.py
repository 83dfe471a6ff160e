"""The documents' pictures of paper, printed by the demo.

    .venv/bin/python bench/paper_pictures.py [NAME …]

Fills a site of its own with the demo, has it print as for alice, and writes
``docs/pictures/NAME.png``: one page, or three side by side. It uses pdftoppm (poppler-utils).
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from pictures import COLOURS, open_campaign, open_gang, sign_in
from PIL import Image
from playwright.sync_api import Page, sync_playwright
from weight import BASE, CHROMIUM, GAMES, ROOT, site

DESK = "#e8e4d6"
EDGE = "#8c8670"
# The width of a page beside others and of a page by itself, and the space around pages, in pixels.
BESIDE, ALONE, GAP = 492, 596, 23
# The most seconds that a print may take.
PATIENCE = 120


def fetch(page: Page, path: str) -> bytes:
    """Return an illustrated print, once the site has it. Raises TimeoutError."""
    for _second in range(PATIENCE):
        answer = page.request.get(
            f"{BASE}{path}?style=illustrated", headers={"Accept": "text/html"}
        )
        if answer.headers["content-type"] == "application/pdf":
            return answer.body()
        time.sleep(1)
    raise TimeoutError(path)


def draw(pdf: bytes, number: int, width: int) -> Image.Image:
    """Draw a page of a print, in this width."""
    with tempfile.TemporaryDirectory() as folder:
        (file := Path(folder) / "print.pdf").write_bytes(pdf)
        first = ["-f", str(number), "-l", str(number), "-singlefile"]
        scaled = ["-scale-to-x", str(2 * width), "-scale-to-y", "-1", "-png"]
        subprocess.run(["pdftoppm", *first, *scaled, file, file.with_suffix("")], check=True)
        with Image.open(file.with_suffix(".png")) as large:
            drawn = large.convert("RGB")
    return drawn.resize(
        (width, round(drawn.height * width / drawn.width)), Image.Resampling.LANCZOS
    )


def lay_out(pages: list[Image.Image]) -> Image.Image:
    """Lay pages side by side on a desk."""
    height = max(page.height for page in pages)
    size = (GAP + sum(page.width + GAP for page in pages), height + 2 * GAP)
    desk, left = Image.new("RGB", size, DESK), GAP
    for page in pages:
        edge = Image.new("RGB", (page.width + 2, page.height + 2), EDGE)
        desk.paste(edge, (left - 1, GAP - 1))
        desk.paste(page, (left, GAP))
        left += page.width + GAP
    return desk


def path_of(page: Page) -> str:
    """Return the path of the open page."""
    return page.url.removeprefix(BASE)


def sheet(page: Page) -> Image.Image:
    """The sheet of a gang that has played."""
    open_gang(page)
    return draw(fetch(page, f"{path_of(page)}sheet.pdf"), 1, ALONE)


def paper(page: Page) -> Image.Image:
    """A sheet, the cards of another gang, and a wanted poster."""
    open_gang(page)
    gang = path_of(page)
    open_gang(page, GAMES["paper"]["gang"])
    prints = (f"{gang}sheet.pdf", f"{path_of(page)}cards.pdf", f"{gang}posters.pdf")
    return lay_out([draw(fetch(page, path), 1, BESIDE) for path in prints])


def yearbook(page: Page) -> Image.Image:
    """The first pages of a campaign's yearbook."""
    open_campaign(page)
    pdf = fetch(page, f"{path_of(page)}yearbook.pdf")
    return lay_out([draw(pdf, number, BESIDE) for number in (1, 2, 3)])


def blank(page: Page) -> Image.Image:
    """The three kinds of blank forms of a game."""
    pdf = fetch(page, f"/rules/{GAMES['paper']['slug']}/blank.pdf")
    return lay_out([draw(pdf, number, BESIDE) for number in (1, 2, 4)])


PICTURES: dict[str, Callable[[Page], Image.Image]] = {
    "sheet": sheet,
    "paper": paper,
    "yearbook": yearbook,
    "blank": blank,
}


def main() -> None:
    """Make the pictures that are named, or all."""
    names = sys.argv[1:] or [*PICTURES]
    if unknown := {*names} - {*PICTURES}:
        raise SystemExit(f"No such pictures: {', '.join(sorted(unknown))}")
    with site(), sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(locale="en-GB", service_workers="block")
        sign_in(page)
        for name in names:
            drawn = PICTURES[name](page).quantize(COLOURS, dither=Image.Dither.NONE)
            drawn.save(ROOT / "docs" / "pictures" / f"{name}.png", optimize=True)
            print(name)


if __name__ == "__main__":
    main()
