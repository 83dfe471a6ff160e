"""Questions at the table: a phone calls its player once, and an answer stays at the table."""

from __future__ import annotations

import re
import uuid

import pytest
from playwright.sync_api import Page, expect

from accounts.models import User
from campaigns.models import Table
from campaigns.table import storage
from campaigns.table.folded import fold_table
from campaigns.table.taps import Note
from tests.browser.conftest import Invite
from tests.browser.test_table import SAVES_DATA, Evening, sit_down
from tests.campaigns.table.attempts.test_answers import last_roll, shoot

pytestmark = [pytest.mark.browser, pytest.mark.long]

WESTERN = "blackwater-gulch"
# Instead of shaking and sounding, the phone notes it. It also notes presses: its driver seems to
# press all the time.
CALLED = """
    Object.assign(window, { shaken: 0, sounded: 0, pressed: false });
    addEventListener("pointerdown", () => { window.pressed = true; }, true);
    const activation = { get hasBeenActive() { return window.pressed; } };
    Object.defineProperty(navigator, "userActivation", { value: activation });
    navigator.vibrate = () => { window.shaken += 1; return true; };
    const { start } = AudioScheduledSourceNode.prototype;
    OscillatorNode.prototype.start = function () { window.sounded += 1; start.call(this); };
"""


def calls(page: Page) -> list[int]:
    """How often the phone has shaken and sounded since its page was opened."""
    found: list[int] = page.evaluate("[window.shaken, window.sounded]")
    return found


def questions(page: Page, number: int) -> None:
    """Wait until this number of questions is on the page."""
    expect(page.locator("#table-asks [data-question]")).to_have_count(number)


def touch(page: Page) -> None:
    """Press something that changes nothing."""
    page.mouse.click(2, 300)


def decline(page: Page) -> None:
    """Say in the sheet of everything else that one spends nothing in this turn."""
    page.get_by_role("button", name="More", exact=True).click()
    page.locator("#table-more").get_by_role("button", name="Spend nothing this turn").click()


def note(evening: Evening, *pages: Page) -> None:
    """Let somebody note something, and wait until both phones show it."""
    text = f"Rain {uuid.uuid4()}"
    after = storage.log_of(evening.table)[-1].seq
    told = [Note(text=text)]
    storage.say(evening.table, None, uuid.uuid4(), told, act=uuid.uuid4(), after=after, turn=1)
    for page in pages:
        expect(page.locator("#table-story")).to_contain_text(text)


def declined(evening: Evening) -> frozenset[int]:
    return fold_table(Table.objects.get(pk=evening.table.pk)).now.declined


def sit(invite: Invite) -> tuple[Evening, User, Page, Page]:
    """Seat both players. Alice attacks, and Bob is asked."""
    evening = sit_down(invite, WESTERN, scripts=(SAVES_DATA, CALLED))
    alice, bob = (phone.person.page for phone in evening.phones)
    return evening, User.objects.get(username="alice"), alice, bob


def test_phone_calls_the_player_who_is_asked_once(invite: Invite) -> None:
    evening, user, alice, bob = sit(invite)
    for page in (alice, bob):
        touch(page)
    shoot(evening.table, user)
    questions(bob, 1)
    expect(alice.locator("#table-asks")).to_contain_text("Waiting for")
    note(evening, alice, bob)
    assert (calls(bob), calls(alice)) == ([1, 0], [0, 0])
    # A question that is there when the page opens calls nobody.
    bob.reload()
    questions(bob, 1)
    touch(bob)
    note(evening, bob)
    assert calls(bob) == [0, 0]
    # Nothing has been pressed since the page was opened.
    bob.reload()
    shoot(evening.table, user)
    questions(bob, 2)
    assert calls(bob) == [0, 0]
    for choice, expected in (("Vibrates and sounds", [1, 1]), ("Stays quiet", [0, 0])):
        bob.get_by_role("button", name="More", exact=True).click()
        before = bob.locator("#table-asks [data-question]").count()
        bob.get_by_role("button", name=choice, exact=True).click()
        expect(bob.locator("#table.is-live")).to_be_visible()
        expect(bob.locator("button[name=calls][aria-pressed=true]")).to_have_text(choice)
        touch(bob)
        shoot(evening.table, user)
        questions(bob, before + 1)
        assert calls(bob) == expected, choice


def test_answer_stays_at_the_table_and_holds_until_taken_back(invite: Invite) -> None:
    evening, user, alice, bob = sit(invite)
    person = evening.bob.person
    shoot(evening.table, user)
    questions(bob, 1)
    person.look("table-question")
    person.press("Spend nothing this turn", bob.locator("#table-asks"))
    expect(bob).to_have_url(re.compile(rf"{evening.table.get_absolute_url()}#side-2$"))
    expect(bob.locator("#table.is-live")).to_be_visible()
    expect(bob.locator("#side-2")).to_have_class("panel table-side is-shown")
    questions(bob, 0)
    assert declined(evening) == {2} and not last_roll(evening.table).open
    own = bob.locator(".table-declined[data-declines='2']")
    expect(own).to_contain_text("Spending nothing this turn")
    person.look("table-declined")
    person.press("Ask me again", own)
    expect(own).to_be_hidden()
    expect(alice.locator("#table-story")).to_contain_text("to be asked again")
    assert declined(evening) == frozenset()
    with person.expecting_trouble():
        person.cut()
        decline(bob)
        expect(own).to_be_visible()
        person.cut(False)
    told = alice.locator("#table-story li").filter(has_text="spending nothing this turn")
    expect(told).to_have_count(2)
    assert declined(evening) == {2}


def test_attacker_who_spends_nothing_waits_without_dead_buttons(invite: Invite) -> None:
    evening, user, alice, bob = sit(invite)
    person = evening.alice.person
    # Bob's phone is known at the table.
    decline(bob)
    evening.bob.person.press("Ask me again")
    expect(alice.locator("#table-story")).to_contain_text("to be asked again")
    dice = shoot(evening.table, user, leads=True)
    person.open(dice)
    waits = alice.locator("[role=status]").filter(has_text="may still spend something")
    expect(waits).to_be_visible()
    person.press("Spend nothing")
    expect(alice.get_by_role("button", name="Ask me again")).to_be_visible()
    expect(waits).to_be_visible()
    assert alice.url.endswith(f"{dice}#spend")
    expect(waits).to_be_in_viewport()
    expect(alice.locator("main button:visible:disabled")).to_have_count(0)
    expect(alice.get_by_role("button", name="Count it as it is")).to_be_hidden()
    person.look("dice-waiting")
    evening.bob.person.press("Spend nothing", bob.locator("#table-asks"))
    expect(alice.locator("#spend")).to_have_count(0)
