"""The form of an attempt in a browser: typed values survive, and every choice leads to dice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlencode

import pytest
from django.urls import reverse
from playwright.sync_api import Locator, Page, expect

from campaigns.table import people, storage
from campaigns.table.taps import Out, TurnEnded
from tests.browser.conftest import FIREFOX, Invite
from tests.browser.person import Person
from tests.browser.test_morph import LATENCY, slow
from tests.browser.test_table import Evening, sit_down
from tests.campaigns.table.attempts.test_choices import starts
from tests.campaigns.table.test_storage import pushed
from tests.random_cases import one_soon
from tests.world.gangs import SLUGS

pytestmark = pytest.mark.browser

INCHES, SHOT = "cran", "shot"
FORM, DICE, PROBLEM = "#attempt", "#attempt button[value=throw]", "#attempt .message-warning"
# The space above the buttons for dice, which stay at the foot of the screen, in pixels.
SHOWN = """() => {
    const foot = document.querySelector(".attempt-go").getBoundingClientRect().top;
    const fields = document.querySelectorAll("#attempt article :is(select, input)");
    return [...fields].filter((field) => field.checkVisibility())
        .every((field) => field.getBoundingClientRect().bottom <= foot);
}"""


@pytest.fixture
def cuttable() -> bool:
    """Chromium itself can be made slow; for Firefox the line is slowed down."""
    return bool(FIREFOX)


def open_form(person: Person, evening: Evening, roll: str, **query: str) -> Page:
    """Open the form of a roll."""
    address = reverse("campaigns:table-attempt", args=[evening.table.pk, roll])
    person.open(f"{address}?{urlencode(query)}")
    return person.page


def open_shot(person: Person, evening: Evening) -> Page:
    """Open the form of a possible shot, of an ordinary member if one can shoot."""
    for figure in reversed(evening.of(1)):
        answer = person.page.request.get(
            reverse("campaigns:table-attempt", args=[evening.table.pk, SHOT]) + f"?by={figure}"
        )
        if answer.ok and 'value="throw"' in answer.text():
            return open_form(person, evening, SHOT, by=figure, action="shoot")
    raise AssertionError("nobody can shoot")


@contextmanager
def answered(page: Page) -> Iterator[None]:
    """Wait for the answer to a change of the form."""
    with page.expect_response(lambda answer: "/acts/" in answer.url):
        yield
    expect(page.locator(f"{FORM}.htmx-request")).to_have_count(0)


def offered(page: Page, name: str) -> list[str]:
    """Return the values of a list."""
    values: list[str] = page.locator(f"{FORM} select[name='{name}']").evaluate(
        "list => [...list.options].map(({ value }) => value)"
    )
    return values


def can_roll(page: Page) -> None:
    """Check that the form offers dice, or says why there are none."""
    expect(page.locator(f"{DICE}, {PROBLEM}").first).to_be_visible()
    expect(page.locator(f"{FORM} .invalid-feedback")).to_have_count(0)


@pytest.mark.long
@pytest.mark.firefox
def test_typed_values_survive_slow_odds(invite: Invite) -> None:
    """Each change asks for the odds; the answers come while the player goes on typing."""
    evening = sit_down(invite, INCHES)
    page = open_shot(evening.alice.person, evening)
    targets = offered(page, "at")
    # Of two windows only one has the focus in Firefox: so far, the other player's.
    page.bring_to_front()
    slow(evening.alice.person)
    inches = page.locator(f"{FORM} [name=is-distance]")
    with page.expect_response(lambda answer: "/acts/" in answer.url):
        page.locator(f"{FORM} select[name=at]").select_option(targets[1])
        page.wait_for_timeout(LATENCY * 300)
        inches.fill("1")
        inches.press("End")
    # Half of a number was typed when the answer came.
    expect(page.locator(f"{FORM} [name=was-at]")).to_have_value(targets[1])
    expect(inches).to_have_value("1")
    expect(inches).to_be_focused()
    inches.press_sequentially("1")
    with page.expect_response(lambda answer: "is-distance=11" in answer.url):
        page.locator(f"{FORM} [name=is-in_cover]").check()
    expect(page.locator(f"{FORM} .attempt-go")).to_be_visible()
    expect(inches).to_have_value("11")
    expect(page.locator(f"{FORM} [name=is-in_cover]")).to_be_checked()
    page.locator(DICE).click()
    expect(page.locator(".attempt-die").first).to_be_visible()
    [facts] = [one.tap.facts for one in storage.log_of(evening.table) if one.tap.kind == "rolled"]
    assert (facts["distance"], facts["in_cover"]) == (11, 1)


@pytest.mark.long
@pytest.mark.parametrize("slug", SLUGS)
def test_plain_shot_fits_one_screen(invite: Invite, slug: str) -> None:
    evening = sit_down(invite, slug)
    page = open_shot(evening.alice.person, evening)
    page.set_viewport_size({"width": 375, "height": 667})
    assert page.evaluate(SHOWN), slug
    evening.alice.person.look(f"shot-{slug}")


# The fields that move what is below them when they get or lose the focus. The buttons for dice may
# stick to the foot of the screen, so what follows them is measured.
UNSTEADY = """() => {
    for (const fold of document.querySelectorAll("#attempt article details")) fold.open = true;
    const below = document.querySelector("#attempt-said, #attempt-caution");
    const height = () => below.getBoundingClientRect().top + scrollY;
    const fields = [...document.querySelectorAll("#attempt article :is(select, input)")];
    return fields.filter((field) => below && field.checkVisibility()).filter((field) => {
        const before = height();
        field.focus();
        const during = height();
        field.blur();
        return before !== during || during !== height();
    }).map(({ name }) => name);
}"""


def forms(person: Person, evening: Evening) -> Iterator[Page]:
    """Open the form of each roll that somebody can make."""
    seen = set()
    for roll, query in starts(people.start_of(evening.table)):
        if (key := (roll.key, *query.values())) in seen:
            continue
        seen.add(key)
        address = reverse("campaigns:table-attempt", args=[evening.table.pk, roll.key])
        if person.page.request.get(f"{address}?{urlencode(query)}").ok:
            yield open_form(person, evening, roll.key, **query)


@pytest.mark.parametrize("slug", one_soon(SLUGS))
def test_button_for_dice_stays_in_place_when_a_field_loses_the_focus(
    invite: Invite, slug: str
) -> None:
    evening = sit_down(invite, slug)
    evening.alice.person.page.set_viewport_size({"width": 375, "height": 667})
    for page in forms(evening.alice.person, evening):
        assert page.evaluate(UNSTEADY) == [], page.url


@pytest.mark.parametrize("slug", one_soon(["du-sang-sur-la-lame", "blackwater-gulch"]))
def test_press_after_a_field_with_an_explanation_rolls(invite: Invite, slug: str) -> None:
    """Tick, untick, then press where the button is, as a finger does."""
    evening = sit_down(invite, slug)
    page = open_shot(evening.alice.person, evening)
    page.set_viewport_size({"width": 375, "height": 667})
    explained = page.locator("#attempt .form-check:has(+ small) input:visible").first
    for _press in range(2):
        with answered(page):
            explained.click()
    expect(page.locator(DICE)).to_be_in_viewport(ratio=1)
    box = page.locator(DICE).bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.up()
    expect(page.locator(".attempt-die").first).to_be_visible()


def test_explanations_of_fields_are_shown_on_a_phone_by_a_press(invite: Invite) -> None:
    evening = sit_down(invite, "blackwater-gulch")
    page = open_shot(evening.alice.person, evening)
    helps = page.locator("#attempt .odds-part small")
    expect(helps.first).to_be_hidden()
    page.locator(".attempt-helps > summary").click()
    expect(helps.first).to_be_visible()


def change_each(page: Page, list_: Locator) -> None:
    """Choose each value of a list."""
    name = list_.get_attribute("name") or ""
    for value in offered(page, name):
        list_ = page.locator(f"{FORM} select[name='{name}']")
        if list_.count() and value in offered(page, name) and list_.input_value() != value:
            with answered(page):
                list_.select_option(value)
            can_roll(page)
            if list_.count():
                expect(list_).to_have_value(value)


@pytest.mark.long
@pytest.mark.parametrize("slug", SLUGS)
def test_each_choice_of_each_roll_leads_to_dice(invite: Invite, slug: str) -> None:
    evening = sit_down(invite, slug)
    for page in forms(evening.alice.person, evening):
        can_roll(page)
        names = [one.get_attribute("name") for one in page.locator(f"{FORM} select").all()]
        for name in names:
            list_ = page.locator(f"{FORM} select[name='{name}']")
            if list_.count() and list_.is_visible():
                change_each(page, list_)


@pytest.mark.long
@pytest.mark.parametrize("slug", SLUGS)
def test_each_due_box_leads_to_dice(invite: Invite, slug: str) -> None:
    """Most of side 2 is out, so whatever tests its nerve falls due."""
    evening = sit_down(invite, slug)
    person = evening.bob.person
    rows = [pushed(Out(figure=key)) for key in evening.of(2)[1:]]
    storage.push(evening.table, None, rows)
    for _turn in range(2):
        person.open(evening.table.get_absolute_url())
        links = person.page.locator(".table-due a[href*='/acts/']")
        for address in [one.get_attribute("href") or "" for one in links.all()]:
            person.open(address)
            can_roll(person.page)
            if person.page.locator(DICE).count():
                person.page.locator(DICE).click()
                expect(person.page.locator("h1")).to_be_visible()
                expect(person.page.locator(FORM)).to_have_count(0)
        storage.push(evening.table, None, [pushed(TurnEnded())])


def type_first(page: Page) -> None:
    """Type or choose the first face in each box, and go on."""
    boxes, hand = page.locator("[name=dice]:enabled"), page.locator("[name=keep]")
    if hand.count():
        expect(boxes).to_have_count(page.locator("[name=keep]:not(:checked)").count())
    first = boxes.first if boxes.count() else hand.first
    expect(first).to_be_focused()
    expect(first).to_be_in_viewport(ratio=1)
    for box in boxes.all():
        if box.evaluate("box => box.localName") == "select":
            box.select_option(index=1)
        else:
            box.fill("1")
    with page.expect_navigation():
        page.locator("#attempt button[value=tell]").click()


@pytest.mark.parametrize("slug", one_soon(["zombstone", *SLUGS[:-1]]))
def test_boxes_for_dice_are_in_sight_and_focused_each_time(invite: Invite, slug: str) -> None:
    evening = sit_down(invite, slug)
    page = open_shot(evening.alice.person, evening)
    page.bring_to_front()
    page.set_viewport_size({"width": 320, "height": 568})
    page.locator("#attempt button[value=tell]").click()
    expect(page.locator("[name=dice]").first).to_be_visible()
    while "/acts/" in page.url and page.locator("[name=dice]").count():
        type_first(page)
    expect(page).to_have_url(re.compile("/dice/"))


def test_boxes_are_as_many_as_the_dice_that_are_not_kept(invite: Invite) -> None:
    evening = sit_down(invite, "zombstone")
    page = open_form(evening.alice.person, evening, "guts", by=evening.of(1)[0])
    page.locator("#attempt button[value=tell]").click()
    hand, boxes = page.locator("[name=keep]"), page.locator("[name=dice]:visible")
    expect(boxes).to_have_count(5)
    for place, face in enumerate((1, 2, 3, 4, 6)):
        boxes.nth(place).select_option(index=face)
    page.locator("#attempt button[value=tell]").click()
    expect(hand).to_have_count(5)
    for number in (1, 2):
        for place, die in enumerate(hand.all()):
            die.set_checked(place >= number)
        expect(boxes).to_have_count(number)
