"""Take the pictures of pages in the documents, from the demo.

.venv/bin/python bench/pictures.py [NAME …]

Fills a site of its own with the demo, opens its pages as alice on a phone with headless Chromium,
and writes ``docs/pictures/NAME.png`` and, for French pages, ``NAME-fr.png``: all of them, or the
given ones. Pictures of paper, and those of several pages side by side, are made by hand.
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
# A screenshot looks the same with this many colours.
COLOURS = 128


def keep(page: Page, name: str, *, whole: bool = False) -> None:
    """Write a picture of the page as it is shown."""
    page.evaluate("document.fonts.ready")
    page.wait_for_timeout(300)
    shot = Image.open(io.BytesIO(page.screenshot(full_page=whole))).convert("RGB")
    small = shot.quantize(COLOURS, dither=Image.Dither.NONE)
    small.save(ROOT / "docs" / "pictures" / f"{name}.png", optimize=True)


def follow(page: Page, ending: str) -> None:
    """Follow the link whose address ends like this."""
    href = page.locator(f"main a[href^='/campaigns/'][href$='{ending}']").first.get_attribute(
        "href"
    )
    page.goto(urljoin(BASE, href or ""))


def open_gang(page: Page) -> None:
    """Open the gang of the user in the pictures' game."""
    page.goto(f"{BASE}/gangs/")
    page.locator(".tile-gang a, main a[href^='/gangs/']").filter(has_text=GAME["gang"]).click()


def open_campaign(page: Page) -> None:
    """Open the campaign of the pictures' game."""
    page.goto(f"{BASE}/campaigns/")
    page.locator("main a").filter(has_text=GAME["campaign"]).first.click()


def gang(page: Page) -> None:
    """Open a gang in the builder."""
    open_gang(page)


def campaign(page: Page) -> None:
    """Open a campaign's page."""
    open_campaign(page)


def charts(page: Page) -> None:
    """Open a campaign's charts."""
    open_campaign(page)
    follow(page, "/charts/")


def night(page: Page) -> None:
    """Open the next night and its answers."""
    open_campaign(page)
    page.locator("main a[href*='/campaigns/nights/']").first.click()


def pairing(page: Page) -> None:
    """Open the proposed pairings with their reasons."""
    night(page)
    follow(page, "/pairings/")
    page.locator("main form button").last.click()
    page.locator("main form .btn-primary").first.scroll_into_view_if_needed()


def planned_game(page: Page) -> None:
    """Open the next game to play."""
    night(page)
    page.locator("main a[href*='/campaigns/games/']").first.click()


def report(page: Page) -> None:
    """Open a game's report form."""
    planned_game(page)
    follow(page, "/report/")


def postgame(page: Page) -> None:
    """Open a post-game with its answers, as a correction."""
    open_campaign(page)
    follow(page, "/chronicle/")
    page.locator("main a[href*='/campaigns/games/']").first.click()
    page.locator("main a[href*='/postgame/']").first.click()
    page.locator("form[action$='/correct/'] button").first.click()
    step = page.locator("details:has(.die)").first
    step.evaluate("each => { each.open = true; each.scrollIntoView({ block: 'center' }); }")


def table(page: Page) -> None:
    """Open a game in progress."""
    planned_game(page)
    page.locator("form[action$='/play/'] button").first.click()
    page.wait_for_url("**/tables/**")


def correction(page: Page) -> None:
    """Show the effects of other dice in a gang's past."""
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
    """Open a table of the rules, with chances."""
    page.goto(f"{BASE}/rules/{GAME['slug']}/tables/")
    page.locator("main table").first.evaluate("each => each.scrollIntoView({ block: 'center' })")


def components(page: Page) -> None:
    """Show the page of components in both themes."""
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        page.goto(f"{BASE}/components/")
        keep(page, f"components-{theme}", whole=True)
    page.emulate_media(color_scheme="light")


# Functions by the picture's name. Those that write their own files are named by a prefix.
PICTURES: dict[str, Callable[[Page], None]] = {
    "phone": gang,
    "campaign-phone": campaign,
    "charts-phone": charts,
    "night": night,
    "pairing": pairing,
    "report": report,
    "postgame": postgame,
    "table": table,
    "rules": rules,
    "components": components,
    "correction": correction,
    "builder": gang,
    "campaign": campaign,
}
# Wide pictures for the README; in English only, like the document of components.
ON_DESK = {"builder", "campaign"}


def take(browser: Browser, names: list[str], locale: str = "en-GB", ending: str = "") -> None:
    """Take these pictures with a browser in that language; ``ending`` follows each name."""
    context = browser.new_context(
        viewport=PHONE,  # type: ignore[arg-type]
        device_scale_factor=2,
        reduced_motion="reduce",
        service_workers="block",
        locale=locale,
    )
    page = context.new_page()
    page.goto(f"{BASE}/accounts/login/")
    page.fill("[name=login]", "alice")
    page.fill("[name=password]", "skirmish-demo")
    page.press("[name=password]", "Enter")
    page.wait_for_load_state()
    for name in names:
        page.set_viewport_size(DESK if name in ON_DESK else PHONE)  # type: ignore[arg-type]
        PICTURES[name](page)
        if name != "components":
            keep(page, f"{name}{ending}")
        print(f"{name}{ending}")


def main() -> None:
    """Take the given pictures, or all."""
    names = sys.argv[1:] or [*PICTURES]
    if unknown := {*names} - {*PICTURES}:
        raise SystemExit(f"No such pictures: {', '.join(sorted(unknown))}")
    in_french = [name for name in names if name not in {*ON_DESK, "components"}]
    # Use a site for each language: taking a picture changes the next one.
    for these, locale, ending in ((names, "en-GB", ""), (in_french, "fr-FR", "-fr")):
        with site(debug=True), sync_playwright() as tool:
            browser = tool.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            take(browser, these, locale, ending)


if __name__ == "__main__":
    main()
