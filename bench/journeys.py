"""Measure journeys of a player with a phone: taps, seconds, screens and bytes.

.venv/bin/python bench/journeys.py [slow]

Fills a site of its own with the demo and walks through it with headless Chromium on a screen of 375
x 812: as fast as the connection is, or with ``slow`` as on a phone (150 ms round trip, 1.6 Mb/s, a
processor four times slower). Typing into a field counts as one tap. Each number is printed beside
its goal and beside the same number of November 2026, before the pages were redesigned.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin

from playwright.sync_api import Browser, Locator, Page, sync_playwright
from weight import BASE, CHROMIUM, GAMES, site

PHONE: Any = {"width": 375, "height": 812}
NARROW: Any = {"width": 320, "height": 812}
SCREEN = 812
PASSWORD = "skirmish-demo"  # noqa: S105 - the demo's, on a site that nobody else reaches
SHOWN_GAME: str = GAMES["shown"]["slug"]
BYTES_A_SECOND = 1.6e6 / 8
# Milliseconds from a tap until anything on the page changes.
SHOWN = """(button) => new Promise((done) => {
    const began = performance.now();
    const seen = new MutationObserver(() => {
        seen.disconnect();
        done(performance.now() - began);
    });
    const all = { attributes: true, childList: true, characterData: true, subtree: true };
    seen.observe(document.body, all);
    button.click();
})"""
# Pixels of a page, or of a table on it, that are outside the screen.
WIDE = """() => {
    const tables = [...document.querySelectorAll("main table")];
    const ends = tables.map((table) => table.getBoundingClientRect().right);
    return Math.max(document.documentElement.scrollWidth, ...ends) - innerWidth;
}"""
QUIET = "() => !document.querySelector('.htmx-request') && document.readyState == 'complete'"


@dataclass
class Walk:
    """A player with a phone, and the cost of their journey so far."""

    page: Page
    slow: bool
    taps: int = 0
    began: float = field(default_factory=time.perf_counter)
    bytes: int = 0

    def __post_init__(self) -> None:
        self.page.set_default_timeout(60_000)
        line = self.page.context.new_cdp_session(self.page)
        line.send("Network.enable")
        line.on("Network.loadingFinished", self._count)
        self.line = line
        if self.slow:
            self.throttle(150)
            line.send("Emulation.setCPUThrottlingRate", {"rate": 4})

    def _count(self, event: dict[str, Any]) -> None:
        self.bytes += int(event["encodedDataLength"])

    def throttle(self, milliseconds: int) -> None:
        """Delay every answer and slow it down as a phone's connection does."""
        speed = {"downloadThroughput": BYTES_A_SECOND, "uploadThroughput": BYTES_A_SECOND / 2}
        told = {"offline": False, "latency": milliseconds, **speed}
        self.line.send("Network.emulateNetworkConditions", told)

    def open(self, address: str) -> None:
        """Open the first page."""
        self.page.goto(urljoin(BASE, address), wait_until="networkidle")
        self.taps, self.bytes, self.began = 0, 0, time.perf_counter()

    def tap(self, what: str | Locator) -> None:
        """Tap the first element that matches a selector."""
        (self.page.locator(what) if isinstance(what, str) else what).first.click()
        self.taps += 1
        self.settle()

    def settle(self) -> None:
        """Wait until the tap has been answered."""
        self.page.wait_for_timeout(60)
        self.page.wait_for_load_state("networkidle")
        self.page.wait_for_function(QUIET)

    def type(self, field: str, text: str) -> None:
        """Type into a field."""
        self.page.fill(field, text)
        self.taps += 1

    @property
    def seconds(self) -> float:
        """Return the seconds so far."""
        return time.perf_counter() - self.began

    def sign_in(self, name: str) -> None:
        """Sign in as a player of the demo."""
        self.open("/accounts/login/")
        self.page.fill("[name=login]", name)
        self.page.fill("[name=password]", PASSWORD)
        self.tap("main form button.btn-primary")


def found(walk: Walk, name: str) -> None:
    """Found a gang, as far as the page that asks for its name."""
    walk.type("[name=name]", name)
    walk.tap("main form button.btn-primary")
    walk.page.wait_for_selector("#summary")


def build(walk: Walk, slug: str) -> None:
    """Go from the front page to a gang whose checklist needs nothing but names."""
    walk.open("/")
    walk.tap(f"main a[href='/gangs/new/{slug}/']")
    found(walk, "The Journey")
    for _press in range(40):
        act = walk.page.locator(".summary-next a[data-rank], .summary-next button").first
        if not act.count():
            return
        rank = act.get_attribute("data-rank")
        if rank is None:
            walk.tap(act)
            continue
        # The suitable entry is visible, and is the first of the list below.
        ready = f".archetypes > button[data-of='{rank}']" if rank else ".archetypes > button"
        walk.tap(walk.page.locator(ready).last if not rank else ready)
    raise SystemExit(f"no legal gang of {slug} in forty presses")


def first_card(walk: Walk) -> float:
    """Return the distance of the first member from the top, in pixels."""
    walk.page.evaluate("scrollTo(0, 0)")
    box = walk.page.locator("article.card-member").first.bounding_box()
    return box["y"] if box else float("inf")


def fifteen(walk: Walk) -> float:
    """Return the screens that a roster of fifteen takes."""
    walk.open(f"/gangs/new/{SHOWN_GAME}/")
    found(walk, "The Fifteen")
    for _member in range(15):
        walk.tap(".archetypes > button[data-of='henchman']")
    walk.page.reload(wait_until="networkidle")
    box = walk.page.locator("#roster").bounding_box()
    return box["height"] / SCREEN if box else float("inf")


def planned_games(walk: Walk) -> list[str]:
    """Return the addresses of the player's open games, one for each campaign."""
    walk.open("/gangs/")
    gangs = "|".join(map(re.escape, walk.page.locator("main a.tile-link").all_inner_texts()))
    walk.open("/campaigns/")
    links = walk.page.locator("main a.tile-link").all()
    found = []
    for campaign in dict.fromkeys(link.get_attribute("href") or "" for link in links):
        walk.open(campaign)
        line = walk.page.locator("main li").filter(has_text="Still to be played")
        game = line.filter(has_text=re.compile(gangs)).locator("a[href*='/campaigns/games/']")
        if game.count():
            found.append((game.first.get_attribute("href") or "").partition("report/")[0])
    return found


def confirmed(walk: Walk, other: Walk, game: str) -> None:
    """Confirm the report as the other player; return the game's page after that."""
    walk.open(game)
    owners = walk.page.locator("dl.facts dd").all_inner_texts()
    other.sign_in(next(name for name in ("bob", "charlie", "dora") if name in owners))
    other.open(game)
    other.tap("button[name=confirm]")
    walk.open(game)


def first_button(begin: Callable[[], Walk], walk: Walk, game: str) -> float:
    """Return the bottom of a post-game's first button, in pixels, after the confirmation."""
    confirmed(walk, begin(), game)
    walk.tap(".finding a[href*='/postgame/']")
    walk.page.evaluate("scrollTo(0, 0)")
    box = walk.page.locator(".step-now button:visible").first.bounding_box()
    return box["y"] + box["height"] if box else float("inf")


def report(walk: Walk, game: str, fallen: int) -> None:
    """Report a game in which this many members went down."""
    walk.open(game)
    walk.tap(f"main a[href='{game}report/']")
    walk.tap(".ending.is-gang")
    rows = walk.page.locator("[id*='-fallen-']")
    for number in range(fallen):
        walk.tap(rows.nth(number).locator(".fallen-name"))
        by = rows.nth(number).locator(".choice:visible")
        if by.count():
            walk.tap(by)
    walk.tap(".act-bar button")


def shown_after(walk: Walk) -> float:
    """Return the slowest reaction to a point, a purchase and a recruit, in milliseconds.

    Every answer takes a second meanwhile.
    """
    walk.open(f"/gangs/new/{SHOWN_GAME}/")
    found(walk, "The Slow")
    walk.tap(".archetypes > button")
    walk.tap("article.card-member a[hx-get]")
    walk.tap("a[hx-target^='#picker-']")
    walk.throttle(1000)
    times = []
    for button in ("[data-step='-1']", "button[name=buy]", ".archetypes > button"):
        times.append(walk.page.locator(button).first.evaluate(SHOWN))
        walk.settle()
    return max(times)


def sideways(walk: Walk) -> int:
    """Return the pixels of the rules outside a screen of 320."""
    walk.page.set_viewport_size(NARROW)
    most = 0
    walk.open(f"/rules/{SHOWN_GAME}/")
    chapters = [
        a.get_attribute("href") for a in walk.page.locator(".rules-jump a, main nav a").all()
    ]
    for chapter in dict.fromkeys(filter(None, chapters)):
        if not chapter.startswith("/rules/"):
            continue
        walk.open(chapter)
        most = max(most, round(walk.page.evaluate(WIDE)))
    return max(0, most)


def row(name: str, number: str, goal: str, before: str, walk: Walk | None = None) -> None:
    """A row of the table; with a ``walk``, its time and transfer."""
    cost = f"{walk.seconds:7.1f} s {walk.bytes / 1024:7.0f} KiB" if walk else ""
    print(f"{name:46}{number:>9}{goal:>9}{before:>12}{cost}", flush=True)


def journeys(begin: Callable[[], Walk]) -> None:
    """Walk every journey and print its cost."""
    print(f"{'':46}{'now':>9}{'goal':>9}{'before':>12}")
    for game in GAMES["built"]:
        walk = begin()
        build(walk, game["slug"])
        name = f"{game['slug']}: taps to a legal gang"
        row(name, str(walk.taps), f"<= {game['goal']}", str(game["before"]), walk)
        row("  its first card begins at, in px", f"{first_card(walk):.0f}", "<= 150", "283-392")
    walk = begin()
    row("screens for fifteen members", f"{fifteen(walk):.2f}", "<= 2", "7.3")
    walk = begin()
    walk.sign_in("alice")
    first, second, *_others = planned_games(walk)
    report(walk, first, 0)
    row("taps to report a game, nobody down", str(walk.taps), "<= 3", "20", walk)
    report(walk, second, 2)
    row("taps to report a game, two down", str(walk.taps), "<= 8", "20 and more", walk)
    button = first_button(begin, walk, second)
    row("a post-game's first button ends at, in px", f"{button:.0f}", f"<= {SCREEN}", "below")
    row(
        "ms until anything shows, answers a second away",
        f"{shown_after(begin()):.0f}",
        "<= 100",
        "-",
    )
    row("px of rules beyond a screen of 320", str(sideways(begin())), "0", "-")


def main() -> None:
    """Print the table."""
    slow = "slow" in sys.argv[1:]
    with site(), sync_playwright() as tool:
        browser: Browser = tool.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])

        def begin() -> Walk:
            options: Any = {"viewport": PHONE, "service_workers": "block", "has_touch": True}
            return Walk(browser.new_context(**options).new_page(), slow)

        journeys(begin)
        browser.close()


if __name__ == "__main__":
    main()
