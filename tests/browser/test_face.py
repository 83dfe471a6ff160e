"""The look of pages in the light and the dark theme, without a signal, and with a theme chosen by
the reader.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.building import WEST, found
from tests.browser.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.long]
GROUND = "getComputedStyle(document.body).backgroundColor"
DAY, NIGHT = "rgb(245, 239, 227)", "rgb(25, 22, 19)"
ACCENT = "getComputedStyle(document.documentElement).getPropertyValue('--accent').trim()"


def test_theme_follows_the_device_until_the_reader_chooses(visitor: Person) -> None:
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
    # Paper is always light.
    page.emulate_media(media="print")
    assert page.evaluate(GROUND) == "rgb(255, 255, 255)"


def test_gang_has_the_look_of_its_game_in_both_themes(visitor: Person) -> None:
    page = visitor.page
    page.goto("/")
    house = page.evaluate(ACCENT)
    found(visitor, WEST, "The Coyotes")
    day = page.evaluate(ACCENT)
    page.emulate_media(color_scheme="dark")
    night = page.evaluate(ACCENT)
    assert len({house, day, night}) == 3


def test_page_says_so_when_there_is_no_signal(visitor: Person) -> None:
    page = visitor.page
    page.goto("/accounts/login/")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.reload()
    with visitor.expecting_trouble():
        visitor.context.set_offline(True)
        page.goto("/campaigns/")
        expect(page.get_by_role("heading", level=1)).to_have_text("No connection")
        visitor.context.set_offline(False)
        page.get_by_role("link", name="Try again").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
    kept = page.evaluate("""async () => {
        const shelves = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
        const kept = await Promise.all(shelves.map((shelf) => shelf.keys()));
        return kept.flat().map((request) => new URL(request.url).pathname).sort();
    }""")
    # The first file names the reader whose pages are kept: there are none.
    bare = ["/static/bare.css", "/static/favicon.svg"]
    assert kept == ["/offline.js", "/offline/", *bare]
