"""The author's desk: a whole game in few presses, its odds, and the focus after each new row."""

from __future__ import annotations

import pytest
from playwright.sync_api import ViewportSize, expect

from accounts.models import User
from bench.own_game import Author, write_game
from tests.browser.conftest import Invite
from tests.browser.person import PASSWORD

pytestmark = [pytest.mark.browser, pytest.mark.long]

MOST_PRESSES = 60
DESK: ViewportSize = {"width": 1200, "height": 900}
FOCUSED = "() => document.activeElement.id"


def test_game_is_written_in_few_presses_and_has_its_odds(invite: Invite) -> None:
    User.objects.create_user("alice", password=PASSWORD)
    person = invite()
    page = person.page
    page.set_viewport_size(DESK)
    person.sign_in("alice")
    person.open("/editor/")
    author = Author(page)
    author.begin()
    write_game(author, "Ferry Wars")
    assert author.presses <= MOST_PRESSES
    expect(page.locator("main")).to_contain_text("version 1 is published")
    person.look("desk-published")
    person.follow("read its rules")
    page.locator("main a[href*='/odds/']").first.click()
    expect(page.locator("main")).to_contain_text("Out of action")
    person.look("desk-odds")


def test_new_row_has_the_focus(invite: Invite) -> None:
    User.objects.create_user("alice", password=PASSWORD)
    person = invite()
    page = person.page
    person.sign_in("alice")
    person.open("/editor/")
    author = Author(page)
    author.follow("New rulebook")
    author.enter("Name of the game*", "Ferry Wars")
    author.press("Start")
    author.follow("Traits and skills")
    author.follow("Add a trait")
    author.enter("Name*", "Nimble")
    author.enter("What it does*", "Climbs.")
    author.press("Add it")
    expect(page.get_by_role("link", name="Nimble", exact=True)).to_be_visible()
    assert page.evaluate(FOCUSED) == "row-nimble"
    # The next stop of the keyboard is the row's link.
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Nimble", exact=True)).to_be_focused()
    author.press("Undo the last change")
    author.press("Redo the undone change")
    author.follow("Traits and skills")
    author.paste("Bold\t5\tClimbs higher.")
    assert page.evaluate(FOCUSED) == "row-bold"
