"""The documents' pictures of pages, taken of the demo.

    .venv/bin/python bench/pictures.py [NAME …]

Fills a site of its own with the demo, opens its pages as alice on a phone with headless Chromium,
and writes ``docs/pictures/NAME.png``, and ``NAME-fr.png`` of the French pages: all of them, or
those that are named. ``paper_pictures.py`` makes pictures of paper.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable
from urllib.parse import urljoin

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright
from weight import BASE, CHROMIUM, GAMES, ROOT, site

PHONE = {"width": 375, "height": 760}
DESK = {"width": 1280, "height": 860}
GAME: dict[str, str] = GAMES["shown"]
# A screenshot has few colours: a palette of this size looks like all of them.
COLOURS = 128
# Waits until all images in sight have arrived; others may wait until somebody scrolls, or opens the
# part of the page that hides them.
ARRIVE = """Promise.all([...document.images]
    .filter(image => !image.complete && image.checkVisibility()
        && image.getBoundingClientRect().top < innerHeight)
    .map(image => new Promise(done => { image.onload = image.onerror = done; })))"""
# Between two pictures beside each other, in pixels.
GAP = 40
# The button that begins to play a game, or the link to its table.
PLAY = "form[action$='/play/'] button, main a.btn[href^='/campaigns/tables/']"


def shoot(page: Page, *, whole: bool = False) -> Image.Image:
    """Take a picture of the page."""
    page.evaluate("document.fonts.ready")
    page.evaluate(ARRIVE)
    page.wait_for_timeout(300)
    return Image.open(io.BytesIO(page.screenshot(full_page=whole))).convert("RGB")


def keep(name: str, shot: Image.Image) -> None:
    """Write a picture."""
    small = shot.quantize(COLOURS, dither=Image.Dither.NONE)
    small.save(ROOT / "docs" / "pictures" / f"{name}.png", optimize=True)


def follow(page: Page, ending: str) -> None:
    """Follow the link with an address that ends like this."""
    href = page.locator(f"main a[href^='/campaigns/'][href$='{ending}']").first.get_attribute(
        "href"
    )
    page.goto(urljoin(BASE, href or ""))


def sign_in(page: Page) -> None:
    """Sign in as the demo's first player."""
    page.goto(f"{BASE}/accounts/login/")
    page.fill("[name=login]", "alice")
    page.fill("[name=password]", "skirmish-demo")
    page.press("[name=password]", "Enter")
    page.wait_for_load_state()


def open_gang(page: Page, name: str = GAME["gang"]) -> None:
    """Open the first player's gang of this name; without one, that in the game of the pictures."""
    page.goto(f"{BASE}/gangs/")
    page.locator(".tile-gang a, main a[href^='/gangs/']").filter(has_text=name).click()


def open_campaign(page: Page) -> None:
    """Open the campaign in the game of the pictures."""
    page.goto(f"{BASE}/campaigns/")
    page.locator("main a").filter(has_text=GAME["campaign"]).first.click()


def gang(page: Page) -> None:
    """Show a gang in the builder."""
    open_gang(page)


def campaign(page: Page) -> None:
    """Show a campaign's own page."""
    open_campaign(page)


def charts(page: Page) -> None:
    """Show charts of a campaign."""
    open_campaign(page)
    follow(page, "/charts/")


def night(page: Page) -> None:
    """Show the next night with its attendance."""
    open_campaign(page)
    page.locator("main a[href*='/campaigns/nights/']").first.click()


def pairing(page: Page) -> None:
    """Show proposed pairings with their reasons."""
    night(page)
    follow(page, "/pairings/")
    page.locator("main form button").last.click()
    page.locator("main form .btn-primary").first.scroll_into_view_if_needed()


def planned_game(page: Page) -> None:
    """Show the next planned game."""
    night(page)
    page.locator("main a[href*='/campaigns/games/']").first.click()


def report(page: Page) -> None:
    """Show a game that is being reported."""
    planned_game(page)
    follow(page, "/report/")


def postgame(page: Page) -> None:
    """Show a post-game with its answers, one of them corrected."""
    open_campaign(page)
    follow(page, "/chronicle/")
    page.locator("main a[href*='/campaigns/games/']").first.click()
    page.locator("main a[href*='/postgame/']").first.click()
    page.locator("form[action$='/correct/'] button").first.click()
    step = page.locator("details:has(.die)").first
    step.evaluate("each => { each.open = true; each.scrollIntoView({ block: 'center' }); }")


def table(page: Page) -> None:
    """Show a game at its table."""
    planned_game(page)
    page.locator(PLAY).first.click()
    page.wait_for_url("**/tables/**")


def offline(page: Page) -> Image.Image:
    """Show a table without a network beside its taps as a code."""
    table(page)
    # The time at which the phone has saved the game.
    saved = page.locator("[data-along-state]").filter(has_text=re.compile(r"\d"))
    saved.wait_for(timeout=120_000)
    page.context.set_offline(True)
    for number, figure in enumerate(page.locator(".table-side.is-shown .table-figure").all()[:4]):
        figure.locator("button.table-life" if number == 1 else "button.table-act").click()
    page.locator(".table-wait").wait_for()
    left = shoot(page)
    handing_over = page.locator("details:has([data-picture])")
    handing_over.locator("summary").click()
    page.locator("[data-picture] svg").wait_for()
    page.locator("#table-along").evaluate("each => each.scrollIntoView()")
    right = shoot(page)
    page.context.set_offline(False)
    both = Image.new("RGB", (2 * left.width + GAP, left.height), "white")
    both.paste(left)
    both.paste(right, (left.width + GAP, 0))
    return both


def correction(page: Page) -> None:
    """Show the effects of other dice on a gang's past."""
    open_gang(page)
    page.goto(f"{page.url.rstrip('/')}/history/")
    batch = (
        page.locator("#history > li").filter(has_text=re.compile("Game played|Partie jouée")).last
    )
    follow_in = batch.locator("a[href*='/history/']").first.get_attribute("href")
    page.goto(urljoin(page.url, follow_in or ""))
    page.locator("main form input:not([type=hidden])").last.fill("1 1")
    page.locator("main form .btn-primary").click()


def rules(page: Page) -> None:
    """Show a table of the rules, with chances."""
    page.goto(f"{BASE}/rules/{GAME['slug']}/tables/")
    page.locator("main table").first.evaluate("each => each.scrollIntoView({ block: 'center' })")


def components(page: Page) -> None:
    """Show the components of pages, in both themes."""
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        page.goto(f"{BASE}/components/")
        keep(f"components-{theme}", shoot(page, whole=True))
    page.emulate_media(color_scheme="light")


# By the name of the picture; functions that keep several are named by the beginning of their names.
# Most functions only open a page, and ``take`` takes its picture; some return a picture instead.
PICTURES: dict[str, Callable[[Page], Image.Image | None]] = {
    "phone": gang,
    "campaign-phone": campaign,
    "charts-phone": charts,
    "night": night,
    "pairing": pairing,
    "report": report,
    "postgame": postgame,
    "table": table,
    "offline": offline,
    "rules": rules,
    "components": components,
    "correction": correction,
    "builder": gang,
    "campaign": campaign,
}
# For the README, where there is room; in English only, like the document of components.
ON_DESK = {"builder", "campaign"}


def take(browser: Browser, names: list[str], locale: str = "en-GB", ending: str = "") -> None:
    """Take the pictures of these names for a reader whose browser asks for that language;
    ``ending`` is appended to each name.
    """
    context = browser.new_context(
        viewport=PHONE,  # type: ignore[arg-type]
        device_scale_factor=2,
        reduced_motion="reduce",
        locale=locale,
    )
    page = context.new_page()
    sign_in(page)
    for name in names:
        page.set_viewport_size(DESK if name in ON_DESK else PHONE)  # type: ignore[arg-type]
        shot = PICTURES[name](page)
        if name != "components":
            keep(f"{name}{ending}", shot or shoot(page))
        print(f"{name}{ending}")


def main() -> None:
    """Take the pictures that are named, or all."""
    names = sys.argv[1:] or [*PICTURES]
    if unknown := {*names} - {*PICTURES}:
        raise SystemExit(f"No such pictures: {', '.join(sorted(unknown))}")
    in_french = [name for name in names if name not in {*ON_DESK, "components"}]
    # Each language has a separate site: taking a picture changes the content of the next.
    for these, locale, ending in ((names, "en-GB", ""), (in_french, "fr-FR", "-fr")):
        with site(debug=True), sync_playwright() as tool:
            browser = tool.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            take(browser, these, locale, ending)


if __name__ == "__main__":
    main()
