"""Double clicks, two tabs, a lost connection: everyday accidents, in which nothing is lost."""

from __future__ import annotations

import errno
from unittest.mock import Mock
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from gangs.ledger import writer
from tests.browser.building import WEST, card, found, recruit, summary, take_sample, unfold
from tests.browser.person import Person

pytestmark = pytest.mark.browser


def test_double_click_recruits_one_member(visitor: Person) -> None:
    found(visitor, WEST, "The Coyotes")
    # Before the scripts are loaded, the second click can hit the page that answers the first.
    visitor.page.wait_for_load_state()
    button = visitor.page.locator("#recruiting").get_by_role("button", name="Recruit")
    button.dblclick()
    summary(visitor, size="1")
    visitor.page.wait_for_load_state("networkidle")
    expect(visitor.page.locator("article.card-member")).to_have_count(1)
    visitor.page.reload()
    summary(visitor, size="1")


def test_second_tab_gets_a_message_and_loses_nothing(visitor: Person) -> None:
    first = visitor.page
    found(visitor, WEST, "The Coyotes")
    recruit(visitor, "Leader", "Rosa")
    summary(visitor, size="1")
    second = visitor.context.new_page()
    second.goto(first.url)
    visitor.page = second
    opened = unfold(visitor, "Rosa")

    visitor.page = first
    recruit(visitor, "Henchman", "Kid")
    summary(visitor, size="2")

    visitor.page = second
    visitor.fill("Name", "Rosa Vane", opened)
    visitor.press("Save", opened)
    told = second.get_by_text("changed elsewhere in the meantime")
    expect(told).to_be_in_viewport()
    expect(opened.get_by_label("Name")).to_have_value("Rosa Vane")
    visitor.look("second-tab")
    visitor.press("Save", opened)
    expect(card(visitor, "Rosa Vane")).to_be_visible()
    second.reload()
    summary(visitor, size="2")
    expect(card(visitor, "Kid")).to_be_visible()


@pytest.mark.long
def test_page_keeps_its_scroll_position_when_a_card_is_replaced(visitor: Person) -> None:
    take_sample(visitor, "blackwater-gulch")
    opened = unfold(visitor, "Doc Abernathy")
    visitor.fill("Name", "Doc", opened)
    button = opened.get_by_role("button", name="Save")
    button.scroll_into_view_if_needed()
    before = visitor.page.evaluate("window.scrollY")
    button.click()
    expect(card(visitor, "Doc")).to_be_visible()
    visitor.page.wait_for_timeout(200)
    assert visitor.page.evaluate("window.scrollY") == before


@pytest.mark.long
def test_pressed_button_stays_under_the_finger(visitor: Person) -> None:
    take_sample(visitor, "blackwater-gulch")
    button = visitor.page.locator("#recruiting").get_by_role("button", name="Recruit")
    button.scroll_into_view_if_needed()
    for size in ("6", "7"):
        before = button.bounding_box()
        button.click()
        summary(visitor, size=size)
        visitor.page.wait_for_timeout(200)
        after = button.bounding_box()
        assert before and after and abs(before["y"] - after["y"]) < 2


def test_lost_connection_loses_no_input(visitor: Person) -> None:
    page = visitor.page
    found(visitor, WEST, "The Coyotes")
    banner = page.locator("#offline")
    expect(banner).to_be_hidden()
    # A page whose scripts are still on their way has another trouble.
    page.wait_for_load_state("load")
    with visitor.expecting_trouble():
        visitor.context.set_offline(True)
        recruit(visitor, "Leader", "Rosa")
        expect(banner).to_be_visible()
        expect(banner).to_contain_text("What you typed is still here")
        visitor.look("no-connection")
        visitor.context.set_offline(False)
    panel = page.locator("#recruiting")
    expect(panel.get_by_label("Name")).to_have_value("Rosa")
    visitor.press("Recruit", panel)
    summary(visitor, size="1")
    expect(card(visitor, "Rosa")).to_be_visible()
    expect(banner).to_be_hidden()


@pytest.mark.long
def test_site_that_cannot_store_anything_keeps_the_typed_text(
    visitor: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = visitor.page
    found(visitor, WEST, "The Coyotes")
    full = OSError(errno.ENOSPC, "No space left on device")
    with monkeypatch.context() as broken, visitor.expecting_trouble():
        broken.setattr(writer, "_take_version", Mock(side_effect=full))
        recruit(visitor, "Leader", "Rosa")
        banner = page.locator("#offline")
        expect(banner).to_contain_text("The site cannot store anything at the moment")
        visitor.look("nothing-stored")
    panel = page.locator("#recruiting")
    expect(panel.get_by_label("Name")).to_have_value("Rosa")
    visitor.press("Recruit", panel)
    summary(visitor, size="1")
    expect(card(visitor, "Rosa")).to_be_visible()
    expect(banner).to_be_hidden()


@pytest.mark.long
def test_error_page_sends_the_form_again(visitor: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    page = visitor.page
    found(visitor, WEST, "The Coyotes")
    address = page.url
    full = OSError(errno.ENOSPC, "No space left on device")
    visitor.open(f"{urlsplit(address).path}about/")
    visitor.fill("Name of the gang", "The “Drowned” & co")
    with monkeypatch.context() as broken, visitor.expecting_trouble():
        broken.setattr(writer, "_take_version", Mock(side_effect=full))
        visitor.press("Save")
        expect(page.get_by_role("heading", name="Not at the moment")).to_be_visible()
        visitor.look("not-at-the-moment")
    visitor.press("Send it again")
    expect(page.get_by_role("heading", name="The “Drowned” & co")).to_be_visible()
    assert page.url == address
