"""What somebody notices on a page: whether it fits, can be used and can be read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from playwright.sync_api import Page

Size = tuple[int, int]
PHONE: Size = (375, 740)
TABLET: Size = (768, 1024)
DESKTOP: Size = (1440, 900)
SIZES = (PHONE, TABLET, DESKTOP)

UNLABELLED = """() => [...document.querySelectorAll("input, select, textarea, button")]
    .filter((e) => e.type !== "hidden" && e.checkVisibility())
    .filter((e) => !(e.labels?.length || e.ariaLabel || e.textContent.trim()))
    .map((e) => e.outerHTML)"""
WIDER = """() => Math.max(0, document.documentElement.scrollWidth - window.innerWidth)"""
STEPPERS = """() => [...document.querySelectorAll(".stepper button")]
    .map((e) => e.getBoundingClientRect())
    .filter((box) => box.width && Math.min(box.width, box.height) < 40).length"""
CUT_OFF = """() => [...document.querySelectorAll(".summary-bar :is(dd, button, a)")]
    .filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > window.innerWidth - 6)
    .map((e) => e.outerHTML)"""
# Letters and layout of another size take a moment: what is still wrong after a few looks is wrong.
SETTLED = """() => document.fonts.ready.then(
    () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100))))"""
LOOKS = 10
FAULTS = (
    (WIDER, "wider than the screen"),
    (UNLABELLED, "fields without a label"),
    (CUT_OFF, "cut off at the edge"),
    (STEPPERS, "buttons too small for a finger"),
)
# Style sheets are all of this site, so there is none that axe would have to fetch by itself.
AXE = """(rules) => axe.run({...rules, resultTypes: ["violations"], preload: false})"""
# By night only colours are others.
THEMES: tuple[tuple[Literal["dark", "light"], dict[str, object]], ...] = (
    ("dark", {"runOnly": ["color-contrast", "link-in-text-block"]}),
    ("light", {}),
)


def faults_of(page: Page) -> list[str]:
    """What is wrong with the page at this size, once it has settled there."""
    for _ in range(LOOKS):
        page.evaluate(SETTLED)
        found = _faults_now(page)
        if not found:
            break
    return found


def _faults_now(page: Page) -> list[str]:
    found = [(page.evaluate(question), fault) for question, fault in FAULTS]
    return [f"{fault}: {told}" for told, fault in found if told]


def barriers_of(page: Page) -> list[str]:
    """What axe finds, in either theme; leaves the page in the light one."""
    found = []
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    for theme, rules in THEMES:
        page.emulate_media(color_scheme=theme)
        seen = AxeResults(page.evaluate(AXE, rules))
        if seen.violations_count:
            found.append(f"axe, {theme} theme: {seen.generate_report()}")
    return found


def picture(page: Page, name: str) -> None:
    """Keep a screenshot in the folder named by SCREENSHOTS; does nothing when none is."""
    folder = os.environ.get("SCREENSHOTS")
    if not folder:
        return
    width = (page.viewport_size or {"width": 0})["width"]
    Path(folder).mkdir(parents=True, exist_ok=True)
    # By default a style is put in to hide the caret, which the site's policy forbids.
    page.screenshot(
        path=Path(folder) / f"{name}-{width}.png",
        full_page=True,
        caret="initial",
        animations="allow",
    )
