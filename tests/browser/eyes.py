"""Checks of a page by eye: it fits, can be used and can be read."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from playwright.sync_api import Page

from tests.kept_html import keep

Size = tuple[int, int]
PHONE: Size = (375, 740)
TABLET: Size = (768, 1024)
DESKTOP: Size = (1440, 900)
SIZES = (PHONE, TABLET, DESKTOP)

# Each of these selects faults at the current size of the screen.
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
# After a change of size, letters and layout take a moment, which ends with the second picture
# drawn. A fault that remains after a few looks is real.
SETTLED = """() => document.fonts.ready.then(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))"""
LOOKS = 10
PATIENCE = 100
# All style sheets are from this site, so axe has none to fetch by itself.
AXE = """(rules) => axe.run({...rules, resultTypes: ["violations"], preload: false})"""
# The dark theme differs only in colours.
THEMES: tuple[tuple[Literal["dark", "light"], dict[str, object]], ...] = (
    ("dark", {"runOnly": ["link-in-text-block"]}),
    ("light", {"rules": {"color-contrast": {"enabled": False}}}),
)
# Contrast takes axe four fifths of its time, and depends only on the style of a text and its
# surroundings: of all texts that look alike one is enough, and looks seen before (``known``) are
# skipped. Texts that lie on something else without a background of their own are checked each time.
# If axe has no result for the chosen text, such as one that is cut off, it checks the others, too.
CONTRAST = """async (known) => {
    const seen = new Set(known), grounds = new Map([[null, ["", false]]]), alike = new Map();
    const ground = (e) => {
        if (!grounds.has(e)) {
            const { backgroundColor, backgroundImage, opacity, position, transform, filter } =
                getComputedStyle(e);
            const [below, floats] = ground(e.parentElement);
            const own = [backgroundColor, backgroundImage, opacity, filter].join();
            const covers = backgroundColor.startsWith("rgb(") && opacity === "1";
            const moved = /absolute|fixed|sticky/.test(position) || transform !== "none";
            const looks = own === "rgba(0, 0, 0, 0),none,1,none" ? below : `${own};${below}`;
            grounds.set(e, [looks, !covers && (moved || floats)]);
        }
        return grounds.get(e);
    };
    const off = (e) => Boolean(e?.matches(":disabled, [aria-disabled=true]"));
    for (const e of document.body.querySelectorAll("*")) {
        const text = [...e.childNodes].map((n) => n.nodeType === 3 ? n.data : "").join("").trim();
        const field = e.matches("select, textarea, input:not([type=checkbox], [type=radio])");
        if (!e.checkVisibility() || !(text || field)) continue;
        const { color, fontSize, fontWeight, textShadow } = getComputedStyle(e);
        const { width, right, bottom } = e.getBoundingClientRect();
        const nowhere = width <= 1 || right <= 0 || bottom + scrollY <= 0;
        const [below, floats] = ground(e);
        const looks = [e.tagName, e.type, e.className, color, fontSize, fontWeight, textShadow,
            off(e), off(e.closest("label")?.control), text.length > 1, nowhere, below].join("|");
        if (floats && !nowhere) alike.set(e, [e]);
        else if (!seen.has(looks)) alike.set(looks, [...alike.get(looks) ?? [], e]);
    }
    const violations = [], judged = new Set();
    const judge = async (include) => {
        if (!include.length) return;
        const found = await axe.run({ include }, { runOnly: ["color-contrast"], preload: false,
            resultTypes: ["passes", "violations"], elementRef: true });
        for (const { nodes } of [...found.passes, ...found.violations])
            for (const { element } of nodes) judged.add(element);
        for (const { nodes } of found.violations) for (const node of nodes) delete node.element;
        violations.push(...found.violations);
    };
    const all = [...alike.values()];
    await judge(all.map(([first]) => first));
    await judge(all.filter(([first]) => !judged.has(first)).flatMap(([, ...others]) => others));
    const told = [...alike.keys()].filter((looks) => typeof looks === "string");
    return { found: { violations }, known: told };
}"""
# Opens everything that a press opens, including what is inside it; returns whether anything was
# closed. Parts that close others when they open are kept from doing so. A dialog is filled when it
# opens, because its reader looks at it.
OPEN = """() => {
    window.opened = { at: [scrollX, scrollY], folds: [], popovers: [] };
    const shut = "details:not([open]), [popover]:not(:popover-open)";
    for (const e of document.querySelectorAll(shut)) {
        if (!e.parentElement.checkVisibility()) continue;
        if (e.localName === "details") {
            opened.folds.push([e, e.getAttribute("name")]);
            e.removeAttribute("name");
            e.open = true;
        } else {
            opened.popovers.push([e, e.getAttribute("popover")]);
            e.setAttribute("popover", "manual");
            e.showPopover();
        }
    }
    return opened.folds.length + opened.popovers.length > 0;
}"""
SHUT = """() => {
    for (const [e, name] of opened.folds) {
        e.open = false;
        if (name !== null) e.setAttribute("name", name);
    }
    for (const [e, kind] of opened.popovers) {
        e.hidePopover();
        e.setAttribute("popover", kind);
    }
    scrollTo(...opened.at);
    delete window.opened;
}"""
# Styles of text in which axe has found nothing wrong, by theme.
APPROVED: dict[str, set[str]] = {theme: set() for theme, _rules in THEMES}


def faults_of(page: Page) -> list[str]:
    """Return the faults of the page at this size, once its layout has settled."""
    for look in range(LOOKS):
        if look:
            page.wait_for_timeout(PATIENCE)
        page.evaluate(SETTLED)
        found: list[str] = page.evaluate(FAULTS)
        if not found:
            break
    return found


def barriers_of(page: Page) -> list[str]:
    """Return axe's findings in both themes, on the page as it is and with everything opened; leave
    it as it was, in the light theme. The HTML is kept for its checker.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = _dim_texts(page)
    opened = page.evaluate(OPEN)
    where = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|\d+", "x", urlsplit(page.url).path)
    keep(page.content(), f"browser {where}")
    # Opened parts may cover texts; everything else that was there before must still be visible.
    found += _mistakes(page)
    if opened:
        found += [f"everything opened, {dim}" for dim in _dim_texts(page)]
    page.evaluate(SHUT)
    return found


def _dim_texts(page: Page) -> list[str]:
    found = []
    for theme, _rules in THEMES:
        page.emulate_media(color_scheme=theme)
        contrast = page.evaluate(CONTRAST, [*APPROVED[theme]])
        if not contrast["found"]["violations"]:
            APPROVED[theme].update(contrast["known"])
        found += _told(theme, contrast["found"])
    return found


def _mistakes(page: Page) -> list[str]:
    found = []
    for theme, rules in THEMES:
        page.emulate_media(color_scheme=theme)
        found += _told(theme, page.evaluate(AXE, rules))
    return found


def _told(theme: str, results: dict[str, Any]) -> list[str]:
    seen = AxeResults(results)
    return [f"axe, {theme} theme: {seen.generate_report()}"] if seen.violations_count else []


def picture(page: Page, name: str) -> None:
    """Keep a screenshot in the folder named by SCREENSHOTS; do nothing when it is not set."""
    folder = os.environ.get("SCREENSHOTS")
    if not folder:
        return
    width = (page.viewport_size or {"width": 0})["width"]
    Path(folder).mkdir(parents=True, exist_ok=True)
    # By default Playwright adds a style that hides the caret, which the site's policy forbids.
    page.screenshot(
        path=Path(folder) / f"{name}-{width}.png",
        full_page=True,
        caret="initial",
        animations="allow",
    )
