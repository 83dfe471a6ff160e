"""The builder in a browser that runs no scripts: every page is complete."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.building import WEST, card, found, recruit, summary, unfold
from tests.browser.conftest import Invite
from tests.browser.eyes import TABLET

pytestmark = [
    pytest.mark.browser,
    pytest.mark.firefox,
    pytest.mark.parametrize("size", [TABLET], ids=["tablet"]),
]


def test_gang_is_built_without_scripts(invite: Invite) -> None:
    visitor = invite(scripts=False)
    page = visitor.page
    found(visitor, WEST, "The Slow Riders")
    recruit(visitor, "Leader", "Rosa")
    summary(visitor, rating="100 XP", size="1")
    rosa = unfold(visitor, "Rosa")
    visitor.fill("Name", "Rosa Vane", rosa)
    rosa.get_by_label("Profession").select_option(label="Doctor")
    visitor.press("Save", rosa)
    rosa = card(visitor, "Rosa Vane")
    expect(rosa.locator("header")).to_contain_text("Leader · Doctor")
    visitor.press("More Strength", rosa)
    expect(rosa).to_contain_text("Points to assign: 19")
    visitor.look("no-scripts-open")

    visitor.follow("Add gear", rosa)
    expect(page.locator("h1")).to_have_text("Gear for Rosa Vane")
    visitor.fill("Search", "bowie")
    visitor.press("Search")
    expect(page.locator(".goods tbody:visible")).to_have_count(1)
    visitor.look("no-scripts-picker")
    visitor.press("Buy Bowie knife, 3 gold")
    summary(visitor, rating="103 XP")
    chosen = card(visitor, "Rosa Vane").get_by_label("What happens to Bowie knife")
    chosen.select_option(label="→ stash")
    visitor.press("OK", card(visitor, "Rosa Vane"))
    expect(page.locator("#stash")).to_contain_text("Bowie knife")
    visitor.press("Undo")
    expect(page.locator("#stash")).not_to_contain_text("Bowie knife")
    visitor.press("Undo")
    summary(visitor, rating="100 XP", size="1")
