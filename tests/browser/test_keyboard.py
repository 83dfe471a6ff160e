"""The keyboard: everything can be reached, the focus is visible and never lost."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.building import WEST, card, found, recruit, summary, take_sample, unfold
from tests.browser.eyes import DESKTOP
from tests.browser.person import Person

pytestmark = [pytest.mark.browser, pytest.mark.parametrize("size", [DESKTOP], ids=["desktop"])]

MOST_STEPS = 60


def walk_to(person: Person, name: str, *, exact: bool = True) -> None:
    """Press Tab until the button or link of this name has the focus, which must be visible all the
    way.
    """
    wanted = person.page.locator("main").get_by_text(name, exact=exact)
    person.page.wait_for_load_state()
    for _ in range(MOST_STEPS):
        person.page.keyboard.press("Tab")
        assert person.focus_settles_in("body"), "the focus cannot be seen"
        label = " ".join(person.page.evaluate("document.activeElement.textContent").split())
        if label == name if exact else name in label:
            return
    raise AssertionError(f"no way to {name} by keyboard ({wanted.count()} on the page)")


@pytest.mark.long
def test_the_first_tab_skips_to_the_content(visitor: Person) -> None:
    visitor.open("/")
    visitor.page.keyboard.press("Tab")
    expect(visitor.page.get_by_role("link", name="Skip to the content")).to_be_focused()
    visitor.page.keyboard.press("Enter")
    expect(visitor.page.locator("#main")).to_be_focused()
    visitor.page.keyboard.press("Tab")
    inside = visitor.page.evaluate("document.activeElement.closest('main') !== null")
    assert inside, "the skip link leads nowhere"


def test_keyboard_recruits_and_changes_a_member(visitor: Person) -> None:
    page = visitor.page
    found(visitor, WEST, "The Coyotes")
    # The first link leads down to the form, whose button is the second.
    for _ in range(2):
        walk_to(visitor, "Recruit")
        page.keyboard.press("Enter")
    summary(visitor, size="1")
    assert visitor.focus_settles_in("#recruit"), "lost the focus when the panel was replaced"
    page.keyboard.press("Tab")
    assert visitor.focus_is_seen()

    page.locator(".gang-tabs a").first.focus()
    walk_to(visitor, "Edit Leader")
    page.keyboard.press("Enter")
    opened = card(visitor, "Leader")
    expect(opened).to_contain_class("is-open")
    assert visitor.focus_settles_in(".card-member.is-open"), "lost the focus when the card opened"

    walk_to(visitor, "+")
    page.keyboard.press("Enter")
    expect(opened).to_contain_text("Points to assign: 19")
    assert visitor.focus_settles_in(".stepper"), "lost the focus when the points changed"
    page.keyboard.press("Enter")
    expect(opened).to_contain_text("Points to assign: 18")


@pytest.mark.long
def test_self_sending_list_waits_for_the_keyboard(visitor: Person) -> None:
    page = visitor.page
    take_sample(visitor, "blackwater-gulch")
    opened = unfold(visitor, "Pike Dolan")
    choice = opened.get_by_label("What happens to Henry rifle")
    choice.focus()
    for _ in range(5):
        page.keyboard.press("ArrowDown")
    expect(choice).to_have_value("stash")
    expect(opened.locator(".lines").first).to_contain_text("Henry rifle")
    page.keyboard.press("Tab")
    expect(page.locator("#stash")).to_contain_text("Henry rifle")
    expect(opened).not_to_contain_text("Henry rifle")


@pytest.mark.long
def test_escape_closes_the_menu(visitor: Person) -> None:
    found(visitor, WEST, "The Coyotes")
    recruit(visitor, "Leader")
    menu = visitor.page.locator(".band details.menu")
    menu.locator("summary").focus()
    visitor.page.keyboard.press("Enter")
    expect(menu.get_by_role("link", name="Export")).to_be_visible()
    visitor.look("builder-menu")
    visitor.page.keyboard.press("Escape")
    expect(menu.get_by_role("link", name="Export")).to_be_hidden()
    expect(menu.locator("summary")).to_be_focused()


@pytest.mark.long
def test_keyboard_leads_from_the_front_page_to_a_sheet(visitor: Person) -> None:
    """A ready-made gang of the first game, one more recruit, and a look at the sheet."""
    page = visitor.page
    visitor.open("/")
    walk_to(visitor, "ready-made gangs", exact=False)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#ready-made$"))
    walk_to(visitor, "Use this gang", exact=False)
    page.keyboard.press("Enter")
    size = page.locator("#summary #size")
    before = int(size.inner_text())
    walk_to(visitor, "Sheet")
    walk_to(visitor, "Recruit")
    page.keyboard.press("Enter")
    expect(size).to_have_text(str(before + 1))
    visitor.press("Undo")
    expect(size).to_have_text(str(before))
    page.locator(".gang-tabs a").first.focus()
    walk_to(visitor, "Sheet")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/sheet/$"))
    walk_to(visitor, "Print")
