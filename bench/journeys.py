"""The cost of journeys through the site for players and organisers on a phone: taps, seconds,
screens and bytes.

    .venv/bin/python bench/journeys.py [slow] [game]

Fills a site of its own with the demo and walks through it with headless Chromium on a screen of 375
x 812: once on the machine's own line, and with ``slow`` on a phone's (150 ms there and back, 1.6
Mb/s, a processor four times slower). With ``game``, only a game of one's own is written. A field
that is typed into counts as one tap. Each number is printed with its goal and with the number of
the first edition of the face (November 2026).
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin

from own_game import Author, write_game
from playwright.sync_api import Browser, Locator, Page, sync_playwright
from weight import BASE, CHROMIUM, GAMES, site

PHONE: Any = {"width": 375, "height": 812}
DESK: Any = {"width": 1200, "height": 900}
NARROW: Any = {"width": 320, "height": 812}
SCREEN = 812
PASSWORD = "skirmish-demo"  # noqa: S105 - the demo's, on a site that nobody else reaches
SHOWN_GAME: str = GAMES["shown"]["slug"]
BYTES_A_SECOND = 1.6e6 / 8
# Milliseconds from a tap to the first change of the page.
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
# Pixels by which a page, or a table on it, is wider than the screen.
WIDE = """() => {
    const tables = [...document.querySelectorAll("main table")];
    const ends = tables.map((table) => table.getBoundingClientRect().right);
    return Math.max(document.documentElement.scrollWidth, ...ends) - innerWidth;
}"""
QUIET = "() => !document.querySelector('.htmx-request') && document.readyState == 'complete'"


@dataclass
class Walk:
    """A player with a phone, and the cost of their way."""

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
        """Delay every answer, and send it as slowly as a phone's line."""
        speed = {"downloadThroughput": BYTES_A_SECOND, "uploadThroughput": BYTES_A_SECOND / 2}
        told = {"offline": False, "latency": milliseconds, **speed}
        self.line.send("Network.emulateNetworkConditions", told)

    def open(self, address: str) -> None:
        """Begin at a page."""
        self.page.goto(urljoin(BASE, address), wait_until="networkidle")
        self.taps, self.bytes, self.began = 0, 0, time.perf_counter()

    def tap(self, what: str | Locator) -> None:
        """Press the first element that a selector finds."""
        (self.page.locator(what) if isinstance(what, str) else what).first.click()
        self.taps += 1
        self.settle()

    def settle(self) -> None:
        """Wait until a press has been answered."""
        self.page.wait_for_timeout(60)
        self.page.wait_for_load_state("networkidle")
        self.page.wait_for_function(QUIET)

    def type(self, field: str, text: str) -> None:
        """Type into a field."""
        self.page.fill(field, text)
        self.taps += 1

    @property
    def seconds(self) -> float:
        """Return the seconds since the beginning."""
        return time.perf_counter() - self.began

    def sign_in(self, name: str) -> None:
        """Sign in as one of the demo's players."""
        self.open("/accounts/login/")
        self.page.fill("[name=login]", name)
        self.page.fill("[name=password]", PASSWORD)
        self.tap("main form button.btn-primary")


def found(walk: Walk, name: str) -> None:
    """Found a new gang, on the page that asks for its name."""
    walk.type("[name=name]", name)
    walk.tap("main form button.btn-primary")
    walk.page.wait_for_selector("#summary")


def build(walk: Walk, slug: str) -> None:
    """Build from the front page to a gang whose checklist lacks nothing but names."""
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
        # Suitable members are in sight, the first of the list below.
        filling = walk.page.locator("#filling button")
        if filling.count():
            walk.tap(filling)
            continue
        ready = f".archetypes > button[data-of='{rank}']" if rank else ".archetypes > button"
        walk.tap(walk.page.locator(ready).last if not rank else ready)
    raise SystemExit(f"no legal gang of {slug} in forty presses")


def first_card(walk: Walk) -> float:
    """Return the distance of the first member from the top, in pixels."""
    walk.page.evaluate("scrollTo(0, 0)")
    box = walk.page.locator("article.card-member").first.bounding_box()
    return box["y"] if box else float("inf")


def fifteen(walk: Walk) -> float:
    """Return how many screens a roster of fifteen members takes."""
    walk.open(f"/gangs/new/{SHOWN_GAME}/")
    found(walk, "The Fifteen")
    for _member in range(15):
        walk.tap(".archetypes > button[data-of='henchman']")
    walk.page.reload(wait_until="networkidle")
    box = walk.page.locator("#roster").bounding_box()
    return box["height"] / SCREEN if box else float("inf")


def planned_games(walk: Walk) -> list[str]:
    """Return the addresses of the player's games that are still to be played, one for each
    campaign.
    """
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
    """Confirm the report as the other player, and open the game's page."""
    walk.open(game)
    owners = walk.page.locator("dl.facts dd").all_inner_texts()
    other.sign_in(next(name for name in ("bob", "charlie", "dora") if name in owners))
    other.open(game)
    other.tap("button[name=confirm]")
    walk.open(game)


def first_button(begin: Callable[[], Walk], walk: Walk, game: str) -> float:
    """Return the lower edge of a post-game's first button, in pixels, after the other player has
    confirmed.
    """
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
    """Return the milliseconds until a point, a purchase and a recruit show a change, the slowest of
    the three, while every answer takes a second.
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


def organise(walk: Walk) -> dict[str, int]:
    """Return the taps of an organiser: for a round's results besides one for each, for a corrected
    semi-final, and from the last result to the next season."""
    walk.sign_in("alice")
    walk.open("/campaigns/")
    campaign = walk.page.locator("main a.tile-link").first.get_attribute("href") or ""
    swiss = start_stage(walk, campaign, "swiss")
    taps = {"round": enter_results(walk, swiss)}
    cup = start_stage(walk, campaign, "knock-out")
    enter_results(walk, cup)
    walk.open(cup)
    walk.tap("button[name=as_proposed]")
    taps["semi-final"] = correct_semi_final(walk, cup)
    walk.open(campaign)
    walk.tap(f"main a[href^='{campaign}settings/']")
    walk.tap(f"main a[href^='{campaign}seasons/next/']")
    walk.tap("main form button.btn-primary")
    taps["season"] = walk.taps
    return taps


def start_stage(walk: Walk, campaign: str, stage_format: str) -> str:
    """Start a stage of all gangs in one day, make its first round, and return its address."""
    walk.open(f"{campaign}league/new/{stage_format}/")
    walk.page.fill("[name=name]", stage_format)
    walk.page.fill("[name=days]", "0")
    walk.tap("main form button.btn-primary")
    address = walk.page.url
    walk.tap("main a[href$='/draw/']")
    walk.tap("main form button.btn-primary")
    return address


def enter_results(walk: Walk, stage: str) -> int:
    """Enter the results of a stage's round, and return the taps besides one for each result."""
    walk.open(stage)
    walk.tap("main a[href$='/results/']")
    choices = walk.page.locator("main select[name$='-result']")
    for number in range(choices.count()):
        choices.nth(number).select_option(index=1)
    walk.tap("button[name=check]")
    walk.tap("button[name=enter]")
    return walk.taps


def correct_semi_final(walk: Walk, cup: str) -> int:
    """Correct the result of a semi-final, and let the right gangs meet in the final."""
    walk.open(cup)
    walk.tap("main details summary")
    walk.tap("main details[open] a[href*='/fixtures/']")
    walk.tap("main a[href*='/games/']")
    walk.tap("main a[href*='/games/'][href$='/report/']")
    walk.tap(".ending.is-gang:not(:has(input:checked))")
    walk.type("[name=why]", "The other gang won")
    walk.tap(".act-bar button")
    walk.page.goto(cup, wait_until="networkidle")
    walk.tap("main a[href$='/follow/']")
    walk.tap("main form button.btn-primary")
    return walk.taps


def sideways(walk: Walk) -> int:
    """Return the pixels by which the rules are wider than a screen of 320."""
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


def write_own_game(walk: Walk) -> None:
    """Write and publish a game on a desk's screen, and print the presses, pages and minutes."""
    walk.sign_in("alice")
    walk.page.set_viewport_size(DESK)
    walk.open("/editor/")
    author = Author(walk.page)
    author.begin()
    write_game(author, "Ferry Wars")
    row("presses to a published game of one's own", str(author.presses), "<= 60", "270")
    row("pages to a published game of one's own", str(author.pages), "-", "182")
    # A person reads and thinks, too: this is the site's part of the 45 minutes.
    row("minutes of the site's for that", f"{author.minutes:.1f}", "<= 45", "-")


def row(name: str, number: str, goal: str, before: str, walk: Walk | None = None) -> None:
    """Return one line of the table; with a ``walk``, including its time and its bytes."""
    cost = f"{walk.seconds:7.1f} s {walk.bytes / 1024:7.0f} KiB" if walk else ""
    print(f"{name:46}{number:>9}{goal:>9}{before:>12}{cost}", flush=True)


def journeys(begin: Callable[[], Walk]) -> None:
    """Walk every way, and print its cost."""
    print(f"{'':46}{'now':>9}{'goal':>9}{'before':>12}")
    for game in GAMES["built"]:
        walk = begin()
        build(walk, game["slug"])
        name = f"{game['slug']}: taps to a legal gang"
        row(name, str(walk.taps), f"<= {game['goal']}", str(game.get("before", "-")), walk)
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
    taps = organise(begin())
    row("taps for a round, besides one a result", str(taps["round"]), "<= 3", "2 a result")
    row("taps for a corrected semi-final", str(taps["semi-final"]), "<= 10", "impossible")
    row("taps from a campaign to its next season", str(taps["season"]), "<= 3", "impossible")
    write_own_game(begin())
    row("px of rules beyond a screen of 320", str(sideways(begin())), "0", "-")


def main() -> None:
    """Print the table."""
    slow = "slow" in sys.argv[1:]
    with site(), sync_playwright() as tool:
        browser: Browser = tool.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])

        def begin() -> Walk:
            options: Any = {"viewport": PHONE, "service_workers": "block", "has_touch": True}
            return Walk(browser.new_context(**options).new_page(), slow)

        if "game" in sys.argv[1:]:
            write_own_game(begin())
        else:
            journeys(begin)
        browser.close()


if __name__ == "__main__":
    main()
