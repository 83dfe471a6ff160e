"""A steady page: in the builder nothing slips away under a finger, and each change is announced."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.building import GOLD, card, found, recruit, summary, take_sample, unfold
from tests.browser.person import Person

pytestmark = pytest.mark.browser


def height_of(locator: Locator) -> float:
    """Return the element's distance from the top of the screen."""
    box = locator.bounding_box()
    assert box
    return box["y"]


def expect_message(person: Person, words: str) -> None:
    """Check that the strip shows these words, in sight."""
    strip = person.page.locator("#done")
    expect(strip).to_contain_text(words)
    expect(strip).to_be_in_viewport()


@pytest.mark.long
def test_picker_stays_in_place_and_announces_the_purchase(visitor: Person) -> None:
    take_sample(visitor, "cran")
    name = visitor.page.locator("article.card-member h3").first.inner_text()
    opened = unfold(visitor, name)
    visitor.follow("Add gear", opened)
    button = opened.locator("button[name=buy]:enabled").nth(3)
    key = button.get_attribute("value")
    button.scroll_into_view_if_needed()
    before = height_of(button)
    lines = opened.locator(".lines").first.locator("li")
    count = lines.count()
    button.click()
    expect(lines).to_have_count(count + 1)
    expect_message(visitor, f"{name} got")
    button = opened.locator(f"button[name=buy][value='{key}']")
    expect(button).to_be_enabled()
    assert abs(height_of(button) - before) <= 2, "the row slipped away"
    goods = opened.locator("form[id^=goods]")
    before = height_of(goods)
    visitor.press("Undo")
    expect(lines).to_have_count(count)
    expect_message(visitor, f"Undone: {name} got")
    assert abs(height_of(goods) - before) <= 2, "the picker slipped away"


@pytest.mark.long
def test_list_of_traits_stays_open_and_in_place(visitor: Person) -> None:
    found(visitor, GOLD, "Les Corbeaux")
    recruit(visitor, "Leader", "Aude")
    opened = unfold(visitor, "Aude")
    listed = opened.locator("details[id^=learn]")
    expect(listed).to_have_attribute("open", "")
    button = listed.locator("button[name=take]:enabled").nth(5)
    button.scroll_into_view_if_needed()
    before = height_of(listed)
    button.click()
    expect_message(visitor, "gained")
    expect(listed).to_have_attribute("open", "")
    assert abs(height_of(listed) - before) <= 2, "the list slipped away"


@pytest.mark.long
def test_handing_an_item_over_leaves_the_card_open_and_in_place(visitor: Person) -> None:
    take_sample(visitor, "blackwater-gulch")
    name = "Pike Dolan"
    opened = unfold(visitor, name)
    visitor.follow("Add gear", opened)
    expect(opened.locator("button[name=buy]").first).to_be_visible()
    choice = opened.get_by_label("What happens to Henry rifle")
    choice.scroll_into_view_if_needed()
    before = height_of(opened)
    choice.select_option(label="→ stash")
    expect_message(visitor, "Henry rifle went to the stash.")
    expect(opened.locator("button[name=buy]").first).to_be_visible()
    assert abs(height_of(opened) - before) <= 2


@pytest.mark.long
def test_closing_a_long_card_leaves_it_in_sight(visitor: Person) -> None:
    take_sample(visitor, "blackwater-gulch")
    opened = unfold(visitor, "Pike Dolan")
    visitor.follow("Add gear", opened)
    opened.locator("button[name=buy]").nth(20).scroll_into_view_if_needed()
    visitor.follow("Done", opened)
    expect(opened).not_to_contain_class("is-open")
    expect(opened).to_be_in_viewport()


@pytest.mark.long
def test_strip_announces_a_change_and_drops_a_refusal_at_the_next_step(visitor: Person) -> None:
    page = visitor.page
    found(visitor, GOLD, "Les Corbeaux")
    recruit(visitor, "Leader", "Aude")
    summary(visitor, size="1")
    opened = unfold(visitor, "Aude")
    visitor.fill("Name", "Aude la Rouge", opened)
    visitor.press("Save", opened)
    expect_message(visitor, "Aude is now called Aude la Rouge.")
    visitor.press("Dismiss", card(visitor, "Aude la Rouge"))
    expect_message(visitor, "Aude la Rouge was dismissed.")
    visitor.press("Undo")
    expect_message(visitor, "Undone: Aude la Rouge was dismissed.")
    opened = unfold(visitor, "Aude la Rouge")
    visitor.press("Take Shooter", opened)
    expect_message(visitor, "gained Shooter")
    # Another window's click was quicker: the visitor's press here is refused.
    opened.locator("button[name=drop]").evaluate("(button) => { button.value = 'lucky'; }")
    opened.locator("button[name=drop]").click()
    refusal = page.locator("article > .alert")
    expect(refusal).to_be_visible()
    recruit(visitor, "Henchman")
    summary(visitor, size="2")
    expect(refusal).to_have_count(0)


def test_typed_text_is_kept_and_saved_in_the_end(visitor: Person) -> None:
    """Another press on the card leaves the text in its field; it is saved when the player leaves
    the field.
    """
    found(visitor, "zombstone", "The Last Reel")
    recruit(visitor, "Star", "Ada")
    unfold(visitor, "Ada")
    opened = visitor.page.locator("article.card-member")
    opened.get_by_label("Name").fill("Ada the Elder")
    role = opened.get_by_label("Role")
    chosen = role.locator("option:not(:checked)").last.get_attribute("value")
    assert chosen
    role.select_option(chosen)
    visitor.follow("Add gear", opened)
    opened.locator("button[name=buy]:enabled").first.click()
    expect_message(visitor, "Ada got")
    expect(opened.get_by_label("Name")).to_have_value("Ada the Elder")
    expect(opened.get_by_label("Role")).to_have_value(chosen)
    visitor.follow("Done", opened)
    expect(opened).not_to_contain_class("is-open")
    expect(opened.locator("h3")).to_have_text("Ada the Elder")
    expect(opened).to_be_in_viewport()
