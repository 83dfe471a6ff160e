"""What somebody notices on a page: whether it fits, can be used and can be read."""

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
    ("dark", {"runOnly": ["link-in-text-block"]}),
    ("light", {"rules": {"color-contrast": {"enabled": False}}}),
)
# Contrast takes axe four fifths of its time, and follows from a text's own looks and those of what
# it stands in: of all that look alike one is enough, and those seen before (``known``) are
# not looked at again. What is laid upon something else without a ground of its own is, each time.
# If axe has nothing to say of the one, as of what is cut off, it is asked about the others, too.
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
# Opens all that a press opens, what is inside of it as well; whether anything was shut. What shuts
# others when it opens is told not to. A dialog is filled when it opens: who opens one looks at it.
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
# The looks of texts, by theme, at which axe has found nothing wrong.
APPROVED: dict[str, set[str]] = {theme: set() for theme, _rules in THEMES}


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
    """What axe finds, in either theme, on the page as it is and with everything opened that can be;
    leaves it as it was, in the light theme. What it is made of is kept for the checker of HTML."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = _dim_texts(page)
    opened = page.evaluate(OPEN)
    where = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|\d+", "x", urlsplit(page.url).path)
    keep(page.content(), f"browser {where}")
    # What opens may cover texts; all else that was there before still is.
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
