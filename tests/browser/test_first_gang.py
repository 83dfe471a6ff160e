"""A visitor builds a first gang without an account, then makes one and keeps the gang."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.building import GOLD, WEST, card, found, recruit, summary, unfold
from tests.browser.eyes import DESKTOP, PHONE
from tests.browser.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.firefox]


def test_visitor_builds_a_gang_and_keeps_it_after_signing_up(visitor: Person) -> None:
    page = visitor.page
    visitor.open("/")
    visitor.look("front")
    page.get_by_role("link", name=WEST).first.click()
    visitor.look("found")
    found(visitor, WEST, "The Coyotes")
    visitor.look("builder-empty")
    visitor.mark_page()

    recruit(visitor, "Leader", "Rosa")
    summary(visitor, rating="100 XP", size="1")
    said = page.locator("#done")
    expect(said).to_contain_text("Rosa added.")
    expect(said).to_be_in_viewport()
    assert "Everything is in order" not in page.locator("#findings").inner_text()
    recruit(visitor, "Henchman", "Kid", 3)
    summary(visitor, rating="250 XP", size="4")
    recruit(visitor, "Henchman")
    summary(visitor, rating="300 XP", size="5")

    name_and_call(visitor)
    spread_points(visitor)
    arm(visitor)
    undo(visitor)
    assert visitor.is_same_page(), "the page was loaded anew"

    visitor.follow("Sign up to keep it.")
    visitor.look("sign-up")
    visitor.sign_up("rosa")
    # Back at the gang, where the visitor left off.
    expect(page.locator("#messages")).to_contain_text("The Coyotes is saved to your account.")
    visitor.look("signed-up")
    expect(card(visitor, "Rosa")).to_be_visible()
    visitor.follow("History")
    expect(page.locator("#history")).to_contain_text("Rosa")
    visitor.look("history")


def name_and_call(visitor: Person) -> None:
    """Name a henchman and choose the leader's profession."""
    findings = visitor.page.locator("#findings")
    expect(findings).to_contain_text("Professions 0/1")
    opened = unfold(visitor, "Henchman")
    visitor.fill("Name", "Silent Bill", opened)
    visitor.press("Save", opened)
    expect(card(visitor, "Silent Bill")).to_be_visible()
    opened = unfold(visitor, "Rosa")
    opened.get_by_label("Profession").select_option(label="Gunslinger")
    visitor.press("Save", opened)
    expect(opened.locator("header")).to_contain_text("Leader · Gunslinger")
    expect(findings).to_contain_text("Professions 1/1")
    left = findings.locator(".tasks > li:not(.is-done)").count()
    expect(visitor.page.locator("#to-do")).to_have_text(f"{left}")


def spread_points(visitor: Person) -> None:
    """Press the buttons for points up and down; the remaining points are counted."""
    rosa = card(visitor, "Rosa")
    quickness = rosa.locator(".stepper-row").filter(has_text="Quickness")
    start = int(quickness.locator("input").input_value())
    for step in (1, 2, 3):
        visitor.press("More Quickness", rosa)
        expect(quickness.locator("input")).to_have_value(str(start + step))
    visitor.press("Less Quickness", rosa)
    expect(quickness.locator("input")).to_have_value(str(start + 2))
    expect(rosa).to_contain_text("Points to assign: 18")
    # Sent together, a moment after the last press.
    expect(visitor.page.locator("#findings")).to_contain_text("Attribute points 2/60")
    visitor.look("builder-open")


def arm(visitor: Person) -> None:
    """Search the picker, buy, hand over, put into the stash."""
    rosa = card(visitor, "Rosa")
    visitor.follow("Add gear", rosa)
    expect(rosa.locator(".goods tbody:visible").nth(3)).to_be_visible()
    visitor.look("picker")
    rosa.get_by_label("Search").first.press_sequentially("bowie", delay=120)
    expect(rosa.locator(".goods tbody:visible")).to_have_count(1)
    visitor.look("picker-searched")
    visitor.press("Buy Bowie knife, 3 gold", rosa)
    summary(visitor, rating="303 XP")
    # She is strong enough for one: it is still there, among the items that cannot be taken.
    expect(rosa.locator(".cannot tbody").filter(has_text="Bowie knife")).to_be_visible()
    expect(rosa.get_by_label("Search").first).to_have_value("bowie")
    chosen = rosa.get_by_label("What happens to Bowie knife")
    chosen.select_option(label="→ Silent Bill")
    expect(card(visitor, "Silent Bill")).to_contain_text("Bowie knife")
    expect(rosa.get_by_label("What happens to Bowie knife")).to_have_count(0)
    # His card was left open, and shows the item handed to him.
    bill = card(visitor, "Silent Bill")
    expect(bill).to_contain_class("is-open")
    bill.get_by_label("What happens to Bowie knife").select_option(label="→ stash")
    expect(visitor.page.locator("#stash")).to_contain_text("Bowie knife")


def undo(visitor: Person) -> None:
    """Undo the last three steps."""
    visitor.press("Undo")
    expect(card(visitor, "Silent Bill")).to_contain_text("Bowie knife")
    expect(visitor.page.locator("#stash")).not_to_contain_text("Bowie knife")
    visitor.press("Undo")
    # The picker on her card mentions the knife all the time.
    said = visitor.page.locator("#done")
    expect(said).to_have_text("Undone: Bowie knife was handed to Silent Bill.")
    expect(card(visitor, "Rosa")).to_contain_text("Bowie knife")
    visitor.press("Undo")
    summary(visitor, rating="300 XP", size="5")


@pytest.mark.long
@pytest.mark.parametrize("size", [DESKTOP], ids=["desktop"])
def test_summary_counts_the_purse_down(visitor: Person) -> None:
    page = visitor.page
    found(visitor, GOLD, "Les Corbeaux")
    summary(visitor, left="12 / 12 Po", size="0")
    visitor.mark_page()
    recruit(visitor, "Leader", "Aude")
    summary(visitor, left="8 / 12 Po", rating="4 Po")
    recruit(visitor, "Second", "Brice")
    summary(visitor, left="6 / 12 Po", size="2")
    recruit(visitor, "Henchman", "Gars", 4)
    summary(visitor, left="2 / 12 Po", size="6")
    aude = unfold(visitor, "Aude")
    visitor.press("Take Lucky", aude)
    summary(visitor, left="1 / 12 Po")
    visitor.press("Take Shooter", aude)
    summary(visitor, left="0 / 12 Po")
    summary(visitor, count="Legal", rating="12 Po")
    recruit(visitor, "Henchman")
    summary(visitor, left="-1 / 12 Po")
    expect(page.locator("#findings")).to_contain_text("over the 12 Po")
    visitor.look("builder-over")
    visitor.press("Undo")
    summary(visitor, count="Legal")
    assert visitor.is_same_page()


@pytest.mark.long
@pytest.mark.parametrize("size", [PHONE], ids=["phone"])
def test_a_die_names_a_member_and_enter_goes_to_the_next(visitor: Person) -> None:
    page = visitor.page
    found(visitor, WEST, "The Coyotes")
    recruit(visitor, "Leader")
    recruit(visitor, "Henchman", count=2)
    summary(visitor, size="3")
    gang = page.url.partition("#")[0].partition("?")[0]
    visitor.open(f"{gang}names/")
    fields = page.locator(".names-row input")
    expect(fields).to_have_count(3)
    visitor.mark_page()
    page.locator(".names-row button").first.click()
    expect(fields.first).not_to_have_value("")
    assert visitor.is_same_page(), "the die needed the server"
    fields.nth(1).fill("Silent Bill")
    fields.nth(1).press("Enter")
    expect(fields.nth(2)).to_be_focused()
    fields.nth(2).fill("Kid")
    visitor.look("names")
    fields.nth(2).press("Enter")
    expect(card(visitor, "Silent Bill")).to_be_visible()
    expect(card(visitor, "Kid")).to_be_visible()
