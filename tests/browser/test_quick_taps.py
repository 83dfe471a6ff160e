"""Quick taps on a slow line: every tap counts, or is refused in words."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.building import WEST, card, found, recruit, summary, unfold
from tests.browser.conftest import FIREFOX
from tests.browser.eyes import PHONE
from tests.browser.person import Person

pytestmark = [
    pytest.mark.browser,
    pytest.mark.firefox,
    pytest.mark.parametrize("size", [PHONE], ids=["phone"]),
]
# A second there and back, as in a cellar.
SLOW = 1000


@pytest.fixture
def cuttable() -> bool:
    """Chromium itself can be made slow; for Firefox the line is slowed down."""
    return bool(FIREFOX)


def slow(person: Person) -> None:
    """Delay every answer by a second from now on."""
    if person.line:
        person.line.delay = SLOW / 1000
        return
    line = person.context.new_cdp_session(person.page)
    line.send("Network.enable")
    fast = {"downloadThroughput": -1, "uploadThroughput": -1}
    line.send("Network.emulateNetworkConditions", {"offline": False, "latency": SLOW, **fast})


@pytest.mark.long
def test_fifty_quick_taps_on_a_slow_line_all_count(visitor: Person) -> None:
    """Twenty points can be spent; taps beyond them are refused in words."""
    page = visitor.page
    found(visitor, WEST, "The Coyotes")
    recruit(visitor, "Leader", "Rosa")
    summary(visitor, size="1")
    rosa = unfold(visitor, "Rosa")
    slow(visitor)
    rows = rosa.locator(".stepper-row")
    starts = [int(field.input_value()) for field in rows.locator("input").all()]
    # The buttons are pressed without scrolling, so nothing may cover them.
    rosa.locator(".steppers").evaluate("rows => rows.scrollIntoView({ block: 'center' })")
    for tap in range(50):
        rows.nth(tap % rows.count()).get_by_role("button", name="More").click(force=True)
    expect(rosa.locator("[data-left]")).to_have_text("0")
    expect(rosa.locator("[data-said]")).to_have_text("No points left: lower something else first.")
    shown = [int(field.input_value()) for field in rows.locator("input").all()]
    assert sum(shown) - sum(starts) == 20
    page.wait_for_load_state("networkidle")
    page.reload()
    rosa = unfold(visitor, "Rosa")
    kept = [int(field.input_value()) for field in rosa.locator(".stepper-row input").all()]
    assert kept == shown


@pytest.mark.long
def test_tap_shows_immediately_and_undo_removes_it(visitor: Person) -> None:
    found(visitor, WEST, "The Coyotes")
    recruit(visitor, "Leader", "Rosa")
    summary(visitor, size="1")
    rosa = unfold(visitor, "Rosa")
    slow(visitor)
    quickness = rosa.locator(".stepper-row").filter(has_text="Quickness")
    start = int(quickness.locator("input").input_value())
    shown = quickness.evaluate(
        """row => {
            row.querySelector("[data-step='1']").click();
            return row.querySelector("input").value;
        }"""
    )
    assert shown == str(start + 1)
    visitor.press("Undo")
    expect(quickness.locator("input")).to_have_value(str(start))
    summary(visitor, size="1")
    visitor.press("More Quickness", rosa)
    visitor.press("Undo")
    expect(quickness.locator("input")).to_have_value(str(start))
    visitor.press("Undo")
    summary(visitor, size="0")


@pytest.mark.long
def test_tap_that_is_being_sent_is_undone_with_one_step(visitor: Person) -> None:
    """Undo is not a second payment, which would have to be undone in its turn."""
    found(visitor, WEST, "The Coyotes")
    recruit(visitor, "Leader", "Rosa")
    rosa = unfold(visitor, "Rosa")
    slow(visitor)
    field = rosa.get_by_label("Quickness", exact=True)
    start = field.input_value()
    with visitor.page.expect_request(re.compile("/points/")):
        visitor.press("More Quickness", rosa)
    visitor.press("Undo")
    expect(field).to_have_value(start)
    expect(rosa.locator("[data-left]")).to_have_text("20")
    visitor.press("Undo")
    summary(visitor, size="0")


@pytest.mark.long
def test_typed_value_is_refused_beside_its_field_when_it_is_too_high(visitor: Person) -> None:
    found(visitor, WEST, "The Coyotes")
    recruit(visitor, "Leader", "Rosa")
    summary(visitor, size="1")
    rosa = unfold(visitor, "Rosa")
    quickness = rosa.get_by_label("Quickness", exact=True)
    quickness.fill("4")
    quickness.press("Tab")
    left = rosa.locator("[data-left]")
    expect(left).not_to_have_text("20")
    visitor.press("Assign evenly", rosa)
    expect(left).to_have_text("0")
    expect(rosa.locator("dl.statline")).to_be_visible()
    expect(rosa.get_by_role("button", name="Assign evenly")).to_be_hidden()


def test_items_bought_in_quick_succession_are_all_bought(visitor: Person) -> None:
    """Three items are pressed before the first answer is there, one of them twice."""
    found(visitor, WEST, "The Coyotes")
    recruit(visitor, "Leader", "Rosa")
    summary(visitor, size="1")
    rosa = unfold(visitor, "Rosa")
    visitor.press("Assign evenly", rosa)
    expect(rosa.locator("[data-left]")).to_have_text("0")
    visitor.follow("Add gear", rosa)
    expect(rosa.locator(".goods tbody:visible").nth(3)).to_be_visible()
    slow(visitor)
    for name in ("Bowie knife", "Knife", "Knife"):
        rosa.get_by_role("button", name=f"Buy {name}, ").click()
    owned = rosa.get_by_label("What happens to", exact=False)
    expect(owned).to_have_count(2, timeout=120_000)
    expect(card(visitor, "Rosa")).to_contain_text("Bowie knife")
    expect(card(visitor, "Rosa")).to_contain_text("2 ×")


@pytest.mark.long
def test_late_search_does_not_hide_a_purchase(visitor: Person) -> None:
    """An item bought while the list is still being searched is shown, with everything it
    changes.
    """
    page = visitor.page
    found(visitor, WEST, "The Coyotes")
    recruit(visitor, "Leader", "Rosa")
    summary(visitor, size="1")
    rosa = unfold(visitor, "Rosa")
    visitor.press("Assign evenly", rosa)
    expect(rosa.locator("[data-left]")).to_have_text("0")
    visitor.follow("Add gear", rosa)
    expect(rosa.locator(".goods tbody:visible").nth(3)).to_be_visible()
    slow(visitor)
    with page.expect_request(lambda request: "q=knife" in request.url):
        rosa.get_by_label("Search").first.fill("knife")
    rosa.get_by_role("button", name="Buy Bowie knife, ").click()
    summary(visitor, rating="103 XP")
    expect(rosa.get_by_label("What happens to Bowie knife")).to_be_visible()
