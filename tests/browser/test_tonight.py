"""A player's home page on a phone: the next night is answered without leaving the page, with
scripts and without, and an organiser answers for everyone.
"""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from accounts.models import User
from campaigns.club.nights import schedule
from campaigns.models import Attendance, Game
from tests.browser.conftest import Invite
from tests.browser.person import PASSWORD, Person
from tests.world.campaigns import make_campaign, make_game, make_night, make_player

pytestmark = [pytest.mark.browser, pytest.mark.firefox]


@pytest.fixture
def night(transactional_db: None):
    """Return a night in a week, on which alice and bob have a game; bob runs the campaign."""
    alice, bob = (User.objects.create_user(name, password=PASSWORD) for name in ("alice", "bob"))
    campaign = make_campaign(bob)
    gangs = [make_player(campaign, user) for user in (alice, bob)]
    found = make_night(campaign, place="The back room")
    game = make_game(campaign, bob, *gangs, day=schedule.day_of(found))
    Game.objects.filter(pk=game.pk).update(night=found)
    return found


def phone(invite: Invite, name: str, *, scripts: bool = True) -> Person:
    person = invite(scripts=scripts)
    person.page.set_viewport_size({"width": 375, "height": 812})
    person.sign_in(name)
    return person


def test_next_night_is_answered_on_the_home_page(invite: Invite, night) -> None:
    alice = phone(invite, "alice")
    page = alice.page
    expect(page.locator("h1")).to_have_text("Next night")
    expect(page.get_by_role("button", name=re.compile("^Play"))).to_be_visible()
    expect(page.get_by_role("link", name=re.compile("^Report"))).to_be_visible()
    alice.mark_page()
    alice.press("I’m in")
    expect(page.get_by_role("button", name="I’m in")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".coming-counts")).to_contain_text("Going 1")
    # The focus stays on the pressed button.
    expect(page.get_by_role("button", name="I’m in")).to_be_focused()
    alice.press("Maybe")
    expect(page.locator(".coming-counts")).to_contain_text("Going 0 · Maybe 1")
    assert alice.is_same_page(), "the page was loaded anew"
    assert Attendance.objects.get().answer == "maybe"
    alice.look("tonight")


@pytest.mark.parametrize("scripts", [True, False])
def test_reader_stays_at_the_answer_on_the_page_of_a_night(invite: Invite, night, scripts) -> None:
    alice = phone(invite, "alice", scripts=scripts)
    page = alice.page
    alice.open(night.get_absolute_url())
    alice.press("I’m in")
    pressed = page.get_by_role("button", name="I’m in")
    expect(pressed).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".coming-counts")).to_contain_text("Going\u00a01")
    if scripts:
        expect(pressed).to_be_focused()
    expect(pressed).to_be_in_viewport()


@pytest.mark.long
def test_news_is_shown_once_when_the_reader_is_no_longer_busy(invite: Invite, night) -> None:
    """The page is fetched once for each piece of news; it changes when the reader has finished."""
    bob = phone(invite, "bob")
    page, answers = bob.page, []
    bob.open(night.get_absolute_url())
    page.on("response", lambda got: answers.append(got.status) if "since=" in got.url else None)
    page.locator("main summary").first.focus()
    alice = User.objects.get(username="alice")
    schedule.answer(night, alice.gangs.get(), "yes", actor=alice)
    expect(page.locator("#heard")).to_contain_text("Something changed.", timeout=120_000)
    while len(answers[answers.index(200) :]) < 3:
        page.wait_for_timeout(100)
    assert answers[answers.index(200) :][:3] == [200, 204, 204]
    expect(page.locator(".coming-counts").first).to_contain_text("Going 0")
    page.evaluate("document.activeElement.blur()")
    expect(page.locator(".coming-counts").first).to_contain_text("Going 1", timeout=120_000)


@pytest.mark.long
def test_next_night_is_answered_without_scripts(invite: Invite, night) -> None:
    alice = phone(invite, "alice", scripts=False)
    alice.press("Can’t make it")
    expect(alice.page).to_have_url(re.compile("/tonight/$"))
    pressed = alice.page.get_by_role("button", name="Can’t make it")
    expect(pressed).to_have_attribute("aria-pressed", "true")


@pytest.mark.long
def test_organiser_answers_for_everyone(invite: Invite, night) -> None:
    bob = phone(invite, "bob")
    bob.open(night.get_absolute_url())
    bob.follow("Answer for everyone")
    rows = bob.page.locator(".answer-row")
    expect(rows).to_have_count(2)
    rows.nth(0).get_by_text("Is coming", exact=True).click()
    rows.nth(1).get_by_text("Isn’t coming", exact=True).click()
    bob.look("answers")
    bob.press("Save answers")
    expect(bob.page.locator(".coming-counts")).to_contain_text(
        "Going\u00a01 · Maybe\u00a00 · Can’t\u00a01"
    )
    bob.open(reverse("campaigns:night-new", args=[night.campaign_id]))
    bob.look("night-new")


@pytest.mark.long
def test_empty_home_page_shows_its_drawings(invite: Invite) -> None:
    User.objects.create_user("alice", password=PASSWORD)
    alice = phone(invite, "alice")
    expect(alice.page.locator(".empty-state svg")).to_have_count(2)
    alice.look("tonight-empty")
