"""By day, by night and without a signal: what the pages look like, and that one can say so."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.building import WEST, found
from tests.browser.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.long]
GROUND = "getComputedStyle(document.body).backgroundColor"
DAY, NIGHT = "rgb(245, 239, 227)", "rgb(25, 22, 19)"
ACCENT = "getComputedStyle(document.documentElement).getPropertyValue('--accent').trim()"


def test_the_device_decides_until_somebody_does(visitor: Person) -> None:
    page = visitor.page
    page.goto("/accounts/login/")
    assert page.evaluate(GROUND) == DAY
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(GROUND) == NIGHT
    menu = page.locator(".band details.menu")
    menu.locator("summary").click()
    page.get_by_role("button", name="Light").click()
    menu.locator("summary").click()
    expect(page.get_by_role("button", name="Light")).to_have_attribute("aria-pressed", "true")
    assert page.evaluate(GROUND) == DAY
    page.emulate_media(color_scheme="light")
    page.get_by_role("button", name="Dark").click()
    menu.locator("summary").click()
    expect(page.get_by_role("button", name="Dark")).to_have_attribute("aria-pressed", "true")
    assert page.evaluate(GROUND) == NIGHT
    # On paper it is always day.
    page.emulate_media(media="print")
    assert page.evaluate(GROUND) == "rgb(255, 255, 255)"


def test_a_gang_looks_like_its_game_by_day_and_by_night(visitor: Person) -> None:
    page = visitor.page
    page.goto("/")
    house = page.evaluate(ACCENT)
    found(visitor, WEST, "The Coyotes")
    day = page.evaluate(ACCENT)
    page.emulate_media(color_scheme="dark")
    night = page.evaluate(ACCENT)
    assert len({house, day, night}) == 3


def test_without_a_signal_a_page_says_so(visitor: Person) -> None:
    page = visitor.page
    page.goto("/accounts/login/")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.reload()
    with visitor.expecting_trouble():
        visitor.context.set_offline(True)
        page.goto("/campaigns/")
        expect(page.get_by_role("heading", level=1)).to_have_text("No connection to the table")
        visitor.context.set_offline(False)
        page.get_by_role("link", name="Try again").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
    kept = page.evaluate("""async () => {
        const shelves = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
        const kept = await Promise.all(shelves.map((shelf) => shelf.keys()));
        return kept.flat().map((request) => new URL(request.url).pathname).sort();
    }""")
    # The first says whose pages are kept: there are none.
    bare = ["/static/bare.css", "/static/favicon.svg", "/static/offline.html"]
    assert kept == ["/offline.js", *bare]
