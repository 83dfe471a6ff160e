"""A post-game on a phone: one step at a time, its button in sight, the dice that land."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import FIREFOX, Invite
from tests.browser.person import Person
from tests.browser.test_deep_postgame import Night
from tests.random_cases import two
from tests.world.gangs import SLUGS

pytestmark = [pytest.mark.browser, pytest.mark.firefox]

PHONE = (375, 812)
NEXT = re.compile("^(Roll for me|Stays captive|Nobody this time|Done)$|: Take$")


@pytest.fixture
def size() -> tuple[int, int]:
    """Return the phone for which the first screen is made."""
    return PHONE


def begin(invite: Invite, slug: str, *, scripts: bool) -> Person:
    """Start the post-game of a game in which two of the winners went down."""
    night = Night(slug)
    book = night.campaign.book.campaign
    fallen = [one.id for one in night.gang.roster.members[1:3]]
    place = night.play(book.results[0].key, dict.fromkeys(fallen, book.marks[0].key))
    alice = invite(scripts=scripts)
    alice.sign_in("alice")
    alice.open(place)
    return alice


def first_button(person: Person) -> Locator:
    """Return the button of the step that waits, which a phone shows without scrolling."""
    now = person.page.locator(".step-now")
    expect(now).to_have_count(1)
    button = now.get_by_role("button", name=NEXT)
    if not button.count():
        button = now.locator(".picker-name + button, form .btn").locator("visible=true")
    return button.first


@pytest.mark.long
@pytest.mark.parametrize("slug", two(SLUGS))
def test_button_of_each_step_is_visible_without_scrolling(invite: Invite, slug: str) -> None:
    alice = begin(invite, slug, scripts=True)
    page = alice.page
    for number in range(20):
        if page.get_by_role("link", name="See what changes").count():
            break
        button = first_button(alice)
        page.evaluate("scrollTo(0, 0)")
        box = button.bounding_box()
        assert box and box["y"] + box["height"] <= PHONE[1], f"{button.inner_text()}: {box}"
        if number < 2:
            alice.look(f"step-{slug}-{number}")
            page.evaluate("scrollTo(0, 0)")
        with page.expect_response(re.compile("/answer/$")):
            button.click()
        page.wait_for_load_state("networkidle")
        page.wait_for_timeout(100)
        top = page.locator("#play").bounding_box()
        assert top and top["y"] < PHONE[1] / 2, "what comes next is in sight"
    expect(page.get_by_role("link", name="See what changes")).to_be_in_viewport()
    alice.look(f"step-{slug}-answered")


@pytest.mark.long
def test_keyboard_goes_on_where_the_answered_step_was(invite: Invite) -> None:
    """Each answer replaces the step, and often its section: the next Tab leads into the new one."""
    alice = begin(invite, "blackwater-gulch", scripts=True)
    page = alice.page
    for _ in range(2):
        page.locator(".step-now").get_by_role("button", name="Roll for me").focus()
        with page.expect_response(re.compile("/answer/$")):
            page.keyboard.press("Enter")
        assert alice.focus_settles_in("#play"), "lost the focus when the step was answered"


@pytest.mark.long
@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
def test_dice_land_large_with_their_chance(invite: Invite, scripts: bool) -> None:
    alice = begin(invite, "blackwater-gulch", scripts=scripts)
    page = alice.page
    expect(page.locator(".landed")).to_have_count(0)
    alice.press("Roll for me", page.locator(".step-now"))
    landed = page.locator(".landed")
    expect(landed).to_be_in_viewport()
    expect(landed.locator(".die")).to_have_count(2)
    expect(landed).to_contain_text(re.compile(r"chance \d+%"))
    width = landed.locator(".chance-bar rect").get_attribute("width")
    assert f"chance {width}%" in landed.inner_text()
    die = landed.locator(".die").first
    moves = """die => {
        const { animationName, animationDuration } = getComputedStyle(die);
        return [animationName, animationDuration];
    }"""
    assert die.evaluate(moves)[0] == "none"
    # Firefox's driver cannot change this setting later.
    if not FIREFOX:
        page.emulate_media(reduced_motion="no-preference")
        assert die.evaluate(moves) == ["land", "0.15s"]
        page.emulate_media(reduced_motion="reduce")
    # Earlier rolls are folded, and can be opened.
    page.locator(":is(.step-now, .step-done) > details > summary").last.click()
    expect(page.get_by_text("rolled here").first).to_be_visible()
