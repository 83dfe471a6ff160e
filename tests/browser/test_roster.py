"""A roster in rows: fifteen members on two screens, opened by a tap, ordered by finger or keys."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from accounts.models import User
from gangs.models import Gang
from tests.browser.building import WEST, found, recruit, unfold
from tests.browser.conftest import Invite
from tests.browser.eyes import Size
from tests.browser.person import PASSWORD, Person
from tests.world.gangs import make_big_gang

PHONE: Size = (375, 812)
pytestmark = [
    pytest.mark.browser,
    pytest.mark.firefox,
    pytest.mark.long,
    pytest.mark.parametrize("size", [PHONE], ids=["phone"]),
]


def owner_of(invite: Invite, members: int, *, scripts: bool = True) -> tuple[Person, Gang]:
    """Seat Alice in front of one of her gangs."""
    gang = make_big_gang(User.objects.create_user("alice", password=PASSWORD), members)
    alice = invite(scripts=scripts)
    alice.sign_in("alice")
    alice.open(gang.get_absolute_url())
    return alice, gang


def names(page: Page) -> list[str]:
    """Return the names in the list, from its top."""
    return page.locator("#roster h3").all_inner_texts()


def stored_names(gang: Gang) -> list[str]:
    """Return the stored names, in their order."""
    return [member.name for member in Gang.objects.get(pk=gang.pk).roster.members]


def row(page: Page, place: int) -> Locator:
    """Return a row of the list."""
    return page.locator("#roster > article").nth(place)


def test_fifteen_members_fit_on_two_screens(invite: Invite) -> None:
    alice, _gang = owner_of(invite, 15)
    page = alice.page
    last = row(page, 14).bounding_box()
    assert last and last["y"] + last["height"] <= 2 * PHONE[1]
    expect(page.locator(".dot")).to_have_count(15)
    alice.look("roster-rows")


def test_tap_anywhere_on_a_row_opens_it(invite: Invite) -> None:
    alice, _gang = owner_of(invite, 15)
    page = alice.page
    expect(row(page, 2).locator(".statline")).not_to_be_visible()
    row(page, 2).click(position={"x": 120, "y": 10})
    opened = page.locator("article.is-open")
    expect(opened.locator("h3")).to_have_text(names(page)[2])
    # The name is the first thing that can be changed.
    assert opened.locator("input:not([type=hidden])").first.get_attribute("name") == "name"
    alice.follow("Done", opened)
    expect(page.locator("article.is-open")).to_have_count(0)


@pytest.mark.parametrize("scripts", [True, False])
def test_reader_chooses_between_rows_and_cards(invite: Invite, scripts: bool) -> None:
    alice, gang = owner_of(invite, 7, scripts=scripts)
    page = alice.page
    menu = page.locator(".band details.menu")
    expect(page.locator("#roster")).to_contain_class("as-rows")
    menu.locator("summary").click()
    alice.follow("Members as cards")
    expect(page.locator("#roster.as-rows")).to_have_count(0)
    expect(row(page, 0).locator(".statline")).to_be_visible()
    alice.open(gang.get_absolute_url())
    expect(page.locator("#roster.as-rows")).to_have_count(0)
    menu.locator("summary").click()
    alice.follow("Members as rows")
    expect(page.locator("#roster")).to_contain_class("as-rows")


def test_six_members_are_shown_as_cards(invite: Invite) -> None:
    alice, _gang = owner_of(invite, 6)
    expect(alice.page.locator("#roster.as-rows")).to_have_count(0)


def test_a_row_is_dragged_to_its_place(invite: Invite) -> None:
    alice, gang = owner_of(invite, 8)
    page = alice.page
    before = names(page)
    handle = page.get_by_role("button", name=f"Move {before[1]}", exact=True)
    start, end = handle.bounding_box(), row(page, 5).bounding_box()
    assert start and end
    x = start["x"] + start["width"] / 2
    page.mouse.move(x, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(x, end["y"] + end["height"] - 5, steps=12)
    with page.expect_response("**/members/order/"):
        page.mouse.up()
    wanted = [before[0], *before[2:6], before[1], *before[6:]]
    assert names(page) == stored_names(gang) == wanted


def test_keys_move_a_row(invite: Invite) -> None:
    alice, gang = owner_of(invite, 8)
    page = alice.page
    before = names(page)
    page.get_by_role("button", name=f"Move {before[1]}", exact=True).focus()
    with page.expect_response("**/members/order/"):
        page.keyboard.press("ArrowUp")
    wanted = [before[1], before[0], *before[2:]]
    assert names(page) == stored_names(gang) == wanted
    assert alice.focus_settles_in(".grip")
    page.keyboard.press("ArrowDown")
    expect(row(page, 0).locator("h3")).to_have_text(before[0])


def test_buttons_move_a_card_without_scripts(invite: Invite) -> None:
    alice, gang = owner_of(invite, 8, scripts=False)
    before = names(alice.page)
    expect(alice.page.locator(".grip")).to_have_count(0)
    opened = unfold(alice, before[1])
    alice.press("Move up", opened)
    assert names(alice.page) == stored_names(gang) == [before[1], before[0], *before[2:]]


def test_a_refused_move_is_put_back(invite: Invite) -> None:
    alice, gang = owner_of(invite, 8)
    page = alice.page
    before = names(page)
    other = invite()
    other.sign_in("alice")
    other.open(gang.get_absolute_url())
    recruit(other, "Henchman", "Newcomer")
    expect(other.page.locator("#roster > article")).to_have_count(9)
    page.get_by_role("button", name=f"Move {before[1]}", exact=True).focus()
    page.keyboard.press("ArrowUp")
    expect(page.locator("#said")).to_contain_text("changed elsewhere")
    assert names(page)[:8] == before


def test_new_gang_shows_its_members_as_cards(visitor: Person) -> None:
    found(visitor, WEST, "The Coyotes")
    recruit(visitor, "Leader")
    expect(visitor.page.locator("#roster .statline").first).to_be_visible()
    visitor.look("roster-cards")
