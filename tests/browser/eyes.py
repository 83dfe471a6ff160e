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

# What each of these finds is wrong at the size of screen the page has then.
FAULTS = """() => {
    const all = (selector) => [...document.querySelectorAll(selector)];
    const visible = (selector) => all(selector).filter((e) => e.checkVisibility());
    const box = (e) => e.getBoundingClientRect();
    const found = {
        "wider than the screen, by pixels":
            [document.documentElement.scrollWidth - window.innerWidth].filter((more) => more > 0),
        "fields without a label":
            visible("input, select, textarea, button")
                .filter((e) => e.type !== "hidden")
                .filter((e) => !(e.labels?.length || e.ariaLabel || e.textContent.trim())),
        "cut off at the edge":
            visible(".summary-bar :is(dd, button, a)")
                .filter((e) => box(e).right > window.innerWidth - 6),
        "buttons too small for a finger":
            visible(".stepper button").filter((e) => Math.min(box(e).width, box(e).height) < 40),
    };
    return Object.entries(found)
        .filter(([, places]) => places.length)
        .map(([fault, places]) => `${fault}: ${places.map((e) => e.outerHTML ?? e).join(" ")}`);
}"""
# Letters and layout of another size take a moment, which ends with the second picture drawn of it.
# What is still wrong after a few looks is wrong.
SETTLED = """() => document.fonts.ready.then(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))"""
LOOKS = 10
PATIENCE = 100
# Style sheets are all of this site, so there is none that axe would have to fetch by itself.
AXE = """(rules) => axe.run({...rules, resultTypes: ["violations"], preload: false})"""
# By night only colours are others.
THEMES: tuple[tuple[Literal["dark", "light"], dict[str, object]], ...] = (
    ("dark", {"runOnly": ["color-contrast", "link-in-text-block"]}),
    ("light", {}),
)


def faults_of(page: Page) -> list[str]:
    """What is wrong with the page at this size, once it has settled there."""
    for look in range(LOOKS):
        if look:
            page.wait_for_timeout(PATIENCE)
        page.evaluate(SETTLED)
        found: list[str] = page.evaluate(FAULTS)
        if not found:
            break
    return found


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
