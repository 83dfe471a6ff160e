"""A gang's pages on a phone: tabs lead from page to page, and the members come first."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from accounts.models import User
from tests.browser.building import WEST, found, recruit, take_sample
from tests.browser.conftest import Invite
from tests.browser.eyes import Size
from tests.browser.person import PASSWORD, Person
from tests.world.gangs import make_big_gang

PHONE: Size = (375, 812)
# The lowest place, in pixels, at which the first member's card may begin.
FIRST_CARD = 150
TABS = ["Roster", "Sheet", "Play", "History"]

pytestmark = [pytest.mark.browser, pytest.mark.parametrize("size", [PHONE], ids=["phone"])]


def top(page: Page, selector: str) -> float:
    """Return the place, in pixels, at which the element begins."""
    box = page.locator(selector).first.bounding_box()
    assert box is not None
    return box["y"]


@pytest.mark.long
def test_a_visitor_sees_the_members_first(visitor: Person) -> None:
    page = visitor.page
    found(visitor, WEST, "The Coyotes of the Long and Winding Valley")
    assert top(page, "#roster > *") <= FIRST_CARD
    recruit(visitor, "Leader")
    expect(page.locator(".card-member")).to_have_count(1)
    visitor.open(page.url)
    assert top(page, ".card-member") <= FIRST_CARD
    take_sample(visitor, "blackwater-gulch")
    visitor.open(page.url)
    assert top(page, ".card-member") <= FIRST_CARD
    visitor.look("gang-visitor")


@pytest.mark.long
def test_an_owner_sees_the_members_first(invite: Invite) -> None:
    alice = User.objects.create_user("alice", password=PASSWORD)
    gang = make_big_gang(alice, 15)
    person = invite()
    person.sign_in("alice")
    person.open(gang.get_absolute_url())
    assert top(person.page, ".card-member") <= FIRST_CARD
    person.open("/gangs/new/blackwater-gulch/")
    person.fill("Name of the gang", "The Coyotes")
    person.press("Create gang")
    expect(person.page.locator("h1")).to_have_text("The Coyotes")
    assert top(person.page, "#roster > *") <= FIRST_CARD
    links = person.page.locator(".band-links a")
    assert links.all_inner_texts() == ["Gangs", "Campaigns", "Tonight", "Rules"]


@pytest.mark.long
def test_tabs_lead_from_page_to_page(visitor: Person) -> None:
    page = visitor.page
    found(visitor, WEST, "The Coyotes")
    heights = set()
    for tab in TABS:
        visitor.follow(tab, page.locator(".gang-tabs"))
        current = page.locator(".gang-tabs [aria-current=page]")
        expect(current).to_have_text(tab)
        assert page.locator(".gang-tabs .tabs a").all_inner_texts() == TABS
        heights.add(top(page, ".gang-tabs .tabs"))
        visitor.look(f"gang-{tab}")
    assert len(heights) == 1


@pytest.mark.long
def test_summary_of_a_gang_is_above_the_bar(visitor: Person) -> None:
    page = visitor.page
    found(visitor, WEST, "The Coyotes")
    numbers = page.locator("#summary").bounding_box()
    assert numbers and numbers["y"] + numbers["height"] == top(page, ".band-links")
    page.locator(".foot a").last.focus()
    page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")
    last = page.locator(".foot a").last.bounding_box()
    assert last and last["y"] + last["height"] <= top(page, "#summary")


@pytest.mark.long
def test_first_button_leads_to_recruiting_until_the_gang_may_play(visitor: Person) -> None:
    page = visitor.page
    first = page.locator(".gang-head .btn").first
    found(visitor, WEST, "The Coyotes")
    expect(first).to_have_attribute("href", "#recruit")
    take_sample(visitor, "blackwater-gulch")
    expect(first).to_have_count(0)
    ready = page.locator("#ready a")
    expect(ready).to_have_text(["Print…", "Play", "Share"])
    visitor.look("ready")
