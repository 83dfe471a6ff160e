"""Games of other kinds: without prices, with squads, with origins and half points."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.building import card, found, recruit, summary, unfold
from tests.browser.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.long]


def test_gang_is_built_in_a_game_without_prices(visitor: Person) -> None:
    """Roles, squads, and no mention of money."""
    page = visitor.page
    found(visitor, "Zombstone", "The Late Show")
    recruit(visitor, "Star", "Ada Quill")
    summary(visitor, size="1")
    recruit(visitor, "Extra", "Townsman", 3)
    summary(visitor, size="4")
    for word in ("rating", "left"):
        expect(page.locator(f"#summary #{word}")).to_have_count(0)
    findings = page.locator("#findings")
    expect(findings).to_contain_text("Roles 0/1")
    star = unfold(visitor, "Ada Quill")
    visitor.look("priceless-star")
    star.get_by_label("Role").select_option(label="Hero")
    visitor.press("Save", star)
    expect(star.locator("header")).to_contain_text("Hero")
    expect(findings).not_to_contain_text("Roles 0/1")
    visitor.follow("Add gear", star)
    expect(star.locator(".goods tbody:visible").nth(3)).to_be_visible()
    expect(star.locator("td.goods-price").first).to_have_text("")
    visitor.look("priceless-picker")
    star.locator("button[name=buy]:enabled").first.click()
    expect(star.locator(".lines").first.locator("li")).to_have_count(1)
    squad(visitor, "Townsman 1", "Saloon")
    expect(findings).to_contain_text("Group Saloon: 1 instead of 2 to 4 extras")
    squad(visitor, "Townsman 2", "Saloon")
    expect(findings).not_to_contain_text("Group Saloon")
    visitor.look("priceless-builder")
    visitor.follow("Sheet")
    expect(page.locator("main")).to_contain_text("Saloon")
    visitor.look("priceless-sheet")
    visitor.page.go_back()
    visitor.follow("History")
    expect(page.locator("#history")).to_contain_text("Townsman")
    assert "(0" not in page.locator("#history").inner_text()


def squad(visitor: Person, name: str, squad: str) -> None:
    """Put a member into a squad."""
    opened = unfold(visitor, name)
    visitor.fill("Group", squad, opened)
    visitor.press("Save", opened)
    expect(opened.locator("header")).to_contain_text(squad)
    visitor.follow("Done", opened)
    expect(card(visitor, name)).not_to_contain_class("is-open")


def test_gang_is_built_in_a_game_with_origins_and_half_points(visitor: Person) -> None:
    """One people for the gang, another for one member, and prices with halves."""
    page = visitor.page
    visitor.open("/gangs/new/au-un-pour-un/")
    visitor.fill("Name of the gang", "The Green Tide")
    page.get_by_label("People").select_option(label="Goblins and snotlings")
    page.get_by_text("Options of the rulebook").click()
    page.get_by_label("Half points").select_option(label="Halves count")
    visitor.look("origins-found")
    visitor.press("Create gang")
    recruit(visitor, "Chief", "Snikk")
    summary(visitor, size="1", rating="25 pts")
    recruit(visitor, "Lieutenant", "Grub")
    summary(visitor, size="2", rating="37.5 pts")
    panel = page.locator("#recruiting")
    panel.get_by_label("Underling").check()
    visitor.look("origins-recruit")
    people = panel.get_by_label("People")
    ork = people.locator("option").filter(has_text="Ork").first
    expect(ork).to_contain_text("10")
    people.select_option(value=str(ork.get_attribute("value")))
    visitor.fill("Name", "Mog", panel)
    visitor.press("Recruit", panel)
    summary(visitor, size="3", rating="47.5 pts")
    expect(card(visitor, "Mog").locator("header")).to_contain_text("Ork")
    expect(page.locator("#findings")).to_contain_text("Members of other peoples")
    visitor.look("origins-builder")
    mog = unfold(visitor, "Mog")
    mog.get_by_label("People").select_option(index=0)
    visitor.press("Save", mog)
    summary(visitor, rating="42.5 pts")
    expect(mog.locator("header")).not_to_contain_text("Ork")
    visitor.look("origins-open")
    visitor.follow("Sheet")
    expect(page.locator("main")).to_contain_text("42.5")
    visitor.look("origins-sheet")
