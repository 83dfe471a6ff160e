"""The page that checks a game's dice in the browser: it accepts true throws and finds false
ones.
"""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.urls import reverse
from playwright.sync_api import Locator, expect

from campaigns.models import Table, TableThrow
from campaigns.table import storage
from campaigns.table.taps import Rolled
from tests.browser.conftest import Invite
from tests.browser.person import Person
from tests.browser.test_table import DUELS, Evening, sit_down
from tests.campaigns.table.test_storage import pushed

pytestmark = [pytest.mark.browser, pytest.mark.long]


def throw(person: Person, evening: Evening) -> None:
    """Record a test that changes nothing at the table."""
    address = reverse("campaigns:table-attempt", args=[evening.table.pk, "any_quality"])
    person.open(f"{address}?by={evening.of(1)[0]}")
    person.page.locator("button[name=how][value=throw]").click()
    expect(person.page.locator(".attempt-die").first).to_be_visible()


def undo_last(asking: Person, agreeing: Person, evening: Evening) -> None:
    """Undo the site's newest roll: one player asks for it, and the other agrees on their phone."""
    for person in (asking, agreeing):
        person.open(evening.table.get_absolute_url())
    asking.page.get_by_role("button", name="Undo this roll").first.click()
    asked = agreeing.page.locator("#table-questions")
    expect(asked).to_contain_text("alice asks to undo a roll of the site")
    expect(agreeing.page.locator("#table-story del")).to_have_count(0)
    expect(asking.page.locator("#table-questions")).to_contain_text("You ask to undo")
    agreeing.look("undo-asked")
    asked.get_by_role("button", name="Undo the roll").click()
    for person in (asking, agreeing):
        expect(person.page.locator("#table-story del")).not_to_have_count(0)
        expect(person.page.locator("#table-questions li")).to_have_count(0)


def jump(evening: Evening, side: int, outcome: str, **more: bool) -> None:
    """Record a jump with dice that the application did not throw."""
    faces = ((3, 4),)
    tap = Rolled(roll="jump", by=evening.of(side)[0], faces=faces, outcome=outcome, **more)
    row = pushed(tap).model_copy(update={"act": uuid4(), "device": uuid4()})
    storage.push(Table.objects.get(pk=evening.table.pk), None, [row])


def end(person: Person, evening: Evening) -> None:
    """End the game."""
    person.open(evening.table.get_absolute_url())
    person.page.get_by_role("button", name="End the game").click()
    person.page.locator("button[name=taps][value*='\"over\"']").first.click()
    expect(person.page.locator("h1")).to_have_text("Report the result")


def find_verdict(person: Person, evening: Evening) -> Locator:
    """Return the page's verdict on the throws at the table."""
    assert evening.table.game is not None
    person.open(reverse("campaigns:game-throws", args=[evening.table.game.pk]))
    return person.page.locator("[data-check]").first


@pytest.mark.firefox
def test_browser_checks_the_throws_of_a_game(invite: Invite) -> None:
    evening = sit_down(invite, DUELS)
    alice, bob = evening.alice.person, evening.bob.person
    assert evening.table.game is not None
    page = reverse("campaigns:game-throws", args=[evening.table.game.pk])
    for person, gang, word in ((alice, 0, "wild horses"), (bob, 1, "bœuf 'n' \"$\"")):
        person.open(page)
        field = person.page.get_by_label("Word of")
        field = field.nth(gang if person is alice else 0)
        field.fill(word)
        field.locator("xpath=ancestor::form").get_by_role("button", name="Save").click()
        expect(person.page.locator("main")).to_contain_text("Word of")
    for _time in range(3):
        throw(alice, evening)
    undo_last(alice, bob, evening)
    jump(evening, 1, "passed", thrown=False)
    jump(evening, 2, "failed", by_phone=True)
    end(alice, evening)
    line = find_verdict(alice, evening)
    expect(line).to_have_class("finding finding-good")
    expect(alice.page.locator("#luck .luck-list li")).to_have_count(2)
    expect(line).to_contain_text("Checked by your browser")
    expect(line).to_contain_text("This browser was shown the same fingerprint before")
    expect(line).to_contain_text("Undone: 3.")
    marked = alice.page.locator("[data-throw]").filter(has_text="undone by alice")
    expect(marked).to_have_count(1)
    expect(marked).to_have_attribute("data-throw", "3")
    expect(marked).to_contain_text("(turn 1, bob agreed)")
    expect(alice.page.locator("#undone")).to_contain_text("1 roll that the site made")
    expect(alice.page.locator("[data-throw='3']")).to_contain_text("wild horses")
    alice.look("throws")
    # A reader who was never at the table has nothing to compare with.
    bob.page.evaluate("localStorage.clear()")
    line = find_verdict(bob, evening)
    expect(line).to_contain_text("Checked by your browser")
    expect(line).not_to_contain_text("same fingerprint before")
    # A die that was changed later, a missing throw, another seed.
    last = TableThrow.objects.get(number=3)
    [[sides, face], *others] = last.dice
    last.dice = [[sides, face % sides + 1], *others]
    last.save()
    line = find_verdict(alice, evening)
    expect(line).to_have_class("finding finding-error")
    expect(line).to_contain_text("Does not match the seed: 3.")
    expect(alice.page.locator("[data-throw='3']")).to_have_class("is-wrong")
    alice.look("throws-wrong")
    TableThrow.objects.filter(number=1).delete()
    expect(find_verdict(alice, evening)).to_contain_text("Rolls are missing!")
    Table.objects.filter(pk=evening.table.pk).update(dice_secret="another")
    line = find_verdict(alice, evening)
    expect(line).to_contain_text("This browser was shown another fingerprint before!")
    expect(line).to_contain_text("Does not match the seed: 2, 3.")
