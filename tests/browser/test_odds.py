"""The page of odds as a reader uses it: it answers while they choose, and has a link to share."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Invite
from tests.browser.person import Person
from tests.world.gangs import POINTS

pytestmark = [pytest.mark.browser, pytest.mark.long]

ADDRESS = f"/rules/{POINTS}/odds/?roll-key=shot"


def test_odds_follow_the_reader_s_choices(visitor: Person) -> None:
    page = visitor.page
    visitor.open(ADDRESS)
    visitor.mark_page()
    lead = page.locator(".odds-leads dd").first
    before = lead.inner_text()
    page.get_by_label("Weapon", exact=True).select_option("musket")
    expect(lead).not_to_have_text(before)
    # The number is visible from the top of the form.
    expect(lead).to_be_in_viewport()
    now = lead.inner_text()
    page.get_by_label("Cover of the target").select_option("heavy")
    expect(lead).not_to_have_text(now)
    expect(page).to_have_url(re.compile("by-item=musket"))
    visitor.look("odds")
    shared = lead.inner_text()
    visitor.open(page.url)
    expect(page.locator(".odds-leads dd").first).to_have_text(shared)


def test_keyboard_changes_a_profile_which_stays_open(visitor: Person) -> None:
    page = visitor.page
    visitor.open(ADDRESS)
    visitor.mark_page()
    part = page.locator("#odds-at")
    part.locator("summary").press("Enter")
    field = part.get_by_label("DP", exact=True)
    field.fill("3")
    field.press("Tab")
    expect(page).to_have_url(re.compile("at-is-dp=3"))
    expect(part).to_have_attribute("open", "")
    # The focus stays on the next field.
    assert page.evaluate("document.activeElement.name").startswith("at-is-")
    field = part.get_by_label("RC", exact=True)
    field.fill("99")
    field.press("Enter")
    expect(part.get_by_text("less than or equal to 6")).to_be_visible()
    expect(page.get_by_role("alert").filter(has_text="Correct the marked fields")).to_be_visible()


def test_button_computes_the_odds_without_scripts(invite: Invite) -> None:
    reader = invite(scripts=False, locale="fr-FR")
    page = reader.page
    reader.open(ADDRESS)
    before = page.locator(".odds-leads dd").first.inner_text()
    page.get_by_label("Arme", exact=True).select_option("musket")
    page.get_by_role("button", name="Calculer").click()
    expect(page.locator(".odds-leads dd").first).not_to_have_text(before)
    reader.look("odds-fr")
