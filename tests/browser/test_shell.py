"""The frame of every page on a phone: one line above, a bar below, nothing hidden behind them."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.building import WEST, found
from tests.browser.conftest import Invite
from tests.browser.eyes import DESKTOP
from tests.browser.person import Person
from tests.browser.test_table import DUELS, sit_down
from tests.random_cases import one_soon

pytestmark = pytest.mark.browser
ONE_LINE = 56
# The lowest place that the focus reaches; null while it is in the band, which the bar belongs to.
BOTTOM = """(at => at.closest("main, .foot") && at.getBoundingClientRect().bottom)(
    document.activeElement)"""


def bar(page: Page) -> dict[str, float]:
    """Return the place of the bar at the foot of the screen."""
    box = page.locator(".band-links").bounding_box()
    assert box is not None
    return dict(box)


def test_phone_has_one_line_at_the_top_and_a_bar_at_the_bottom(visitor: Person) -> None:
    page = visitor.page
    visitor.open("/")
    links = page.locator(".band-links a")
    assert links.all_inner_texts() == ["Gangs", "Campaigns", "Home", "Rules"]
    assert page.locator(".band-links [aria-current]").all_inner_texts() == ["Home"]
    head = page.locator(".band").bounding_box()
    assert head and head["y"] == 0 and head["height"] <= ONE_LINE
    assert bar(page)["y"] + bar(page)["height"] == (page.viewport_size or {})["height"]
    assert min((link.bounding_box() or {"height": 0})["height"] for link in links.all()) >= 44
    visitor.follow("Rules")
    assert page.locator(".band-links [aria-current]").all_inner_texts() == ["Rules"]
    visitor.look("shell")
    page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
    assert bar(page)["y"] < 5
    page.emulate_media(media="print")
    expect(page.locator(".band")).to_be_hidden()


@pytest.mark.long
def test_bar_hides_nothing(visitor: Person) -> None:
    page = visitor.page
    visitor.open("/")
    last = page.locator(".foot a").last
    last.focus()
    page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")
    box = last.bounding_box()
    assert box and box["y"] + box["height"] <= bar(page)["y"]
    # The keyboard goes through the whole page: the element with the focus is always above the bar.
    page.evaluate("window.scrollTo(0, 0)")
    page.locator(".band summary").focus()
    for _ in range(20):
        page.keyboard.press("Tab")
        bottom = page.evaluate(BOTTOM)
        assert bottom is None or bottom <= bar(page)["y"]


@pytest.mark.parametrize("scripts", one_soon([True, False]))
def test_menu_changes_the_language_and_the_theme(invite: Invite, scripts: bool) -> None:
    person = invite(scripts=scripts)
    page = person.page
    person.open("/rules/")
    menu = page.locator(".band details.menu")
    menu.locator("summary").click()
    menu.get_by_role("button", name="Français").click()
    expect(page.locator("html")).to_have_attribute("lang", "fr")
    menu.locator("summary").click()
    menu.locator("[name=theme][value=dark]").click()
    expect(page.locator("meta[name=color-scheme]")).to_have_attribute("content", "dark")
    assert page.url.endswith("/rules/")


@pytest.mark.long
def test_head_contains_the_way_back(visitor: Person) -> None:
    page = visitor.page
    found(visitor, WEST, "The Coyotes")
    gang = page.url
    visitor.open(f"{gang}about/")
    back = page.locator("main .crumbs").get_by_role("link")
    box = back.bounding_box()
    assert box and box["y"] == 0 and box["height"] >= 44
    expect(page.locator(".brand")).not_to_be_visible()
    back.click()
    expect(page).to_have_url(re.compile(f"{gang}$"))


@pytest.mark.long
def test_table_replaces_the_bar_at_the_foot_of_the_screen(invite: Invite) -> None:
    page = sit_down(invite, DUELS).alice.person.page
    page.set_viewport_size({"width": 375, "height": 812})
    expect(page.locator(".band-links")).not_to_be_visible()
    box = page.locator(".table-bar").bounding_box()
    assert box and box["y"] + box["height"] == 812
