"""Late answers: they change the builder's page around the reader's actions in the meantime."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Locator, expect

from tests.browser.building import GOLD, WEST, card, found, recruit, summary, take_sample, unfold
from tests.browser.conftest import FIREFOX, Invite
from tests.browser.eyes import PHONE
from tests.browser.person import Person
from tests.browser.test_table import sit_down

pytestmark = [
    pytest.mark.browser,
    pytest.mark.firefox,
    pytest.mark.parametrize("size", [PHONE], ids=["phone"]),
]
# The delay of an answer in seconds.
LATENCY = 0.8


@pytest.fixture
def cuttable() -> bool:
    """Chromium itself can be made slow; for Firefox the line is slowed down."""
    return bool(FIREFOX)


def slow(person: Person) -> None:
    """Delay every answer from now on."""
    if person.line:
        person.line.delay = LATENCY
        return
    line = person.context.new_cdp_session(person.page)
    line.send("Network.enable")
    fast = {"downloadThroughput": -1, "uploadThroughput": -1}
    line.send(
        "Network.emulateNetworkConditions", {"offline": False, "latency": LATENCY * 1000, **fast}
    )


def mark(element: Locator) -> None:
    """Mark this element, to notice later whether another one took its place."""
    element.evaluate("element => { element.mark = true; }")


def is_marked(element: Locator) -> bool:
    return bool(element.evaluate("element => element.mark === true"))


def caret(field: Locator) -> Any:
    """Return whether the field has the focus, its text and its selection."""
    return field.evaluate(
        "f => [document.activeElement === f, f.value, f.selectionStart, f.selectionEnd]"
    )


def armed(visitor: Person) -> Locator:
    """Return an open card with an open picker, on a slow line."""
    found(visitor, WEST, "The Coyotes")
    recruit(visitor, "Leader", "Ada")
    summary(visitor, size="1")
    opened = unfold(visitor, "Ada")
    visitor.press("Assign evenly", opened)
    expect(opened.locator("[data-left]")).to_have_text("0")
    visitor.follow("Add gear", opened)
    expect(opened.locator(".goods tbody:visible").nth(3)).to_be_visible()
    slow(visitor)
    return opened


def test_morph_keeps_half_typed_text_its_caret_and_its_field(visitor: Person) -> None:
    opened = armed(visitor)
    name, notes = opened.get_by_label("Name"), opened.get_by_label("Notes")
    notes.fill("scarred")
    mark(name)
    # The second waits for its turn, and keeps its text although the focus goes elsewhere.
    for item in ("Bowie knife", "Knife"):
        opened.get_by_role("button", name=f"Buy {item}, ").click()
    name.focus()
    name.press("End")
    name.press_sequentially(" the Elder")
    for _ in range(4):
        name.press("ArrowLeft")
    before = caret(name)
    assert before == [True, "Ada the Elder", 9, 9]
    # On a busy machine both may be there already.
    for place in range(2):
        expect(opened.locator("li[id^=item-]").nth(place)).to_be_visible()
        assert caret(name) == before and is_marked(name)
    name.press_sequentially("y")
    expect(name).to_have_value("Ada the Eylder")
    expect(notes).to_have_value("scarred")


@pytest.mark.long
def test_morph_keeps_unfolded_folded_and_scrolled_parts(visitor: Person) -> None:
    take_sample(visitor, "cran")
    name = visitor.page.locator("article.card-member h3").first.inner_text()
    opened = unfold(visitor, name)
    visitor.follow("Add gear", opened)
    expect(opened.locator("button[name=buy]").first).to_be_visible()
    slow(visitor)
    opened.locator("button[name=buy]:enabled").first.click()
    states: dict[str, bool] = visitor.page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll("#builder details[id]")].map(
            (details) => [details.id, details.open = !details.open]))"""
    )
    legend = visitor.page.locator("#legend details")
    legend.evaluate("details => { details.open = true; }")
    tabs = opened.locator(".kind-tabs")
    tabs.evaluate("strip => { strip.scrollLeft = 60; }")
    where = tabs.evaluate("strip => strip.scrollLeft")
    legend.evaluate("details => details.scrollIntoView({ block: 'center', behavior: 'instant' })")
    before = legend.bounding_box()
    expect(visitor.page.locator("#done")).to_contain_text(f"{name} got")
    after: dict[str, bool] = visitor.page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll("#builder details[id]")].map(
            (details) => [details.id, details.open]))"""
    )
    stayed = states.keys() & after.keys()
    assert any(key.startswith("worth-") for key in stayed)
    assert {key: states[key] for key in stayed} == {key: after[key] for key in stayed}
    assert legend.evaluate("details => details.open")
    assert tabs.evaluate("strip => strip.scrollLeft") == where
    now = legend.bounding_box()
    assert before and now and abs(before["y"] - now["y"]) <= 2, "the page slipped away"


@pytest.mark.long
def test_morph_empties_the_sent_form_except_for_text_typed_since(
    visitor: Person,
) -> None:
    found(visitor, GOLD, "Les Corbeaux")
    slow(visitor)
    name = visitor.page.locator("#recruiting").get_by_label("Name")
    recruit(visitor, "Leader", "Aude")
    summary(visitor, size="1")
    expect(name).to_have_value("")
    recruit(visitor, "Henchman", "Bastien")
    name.fill("Colin")
    summary(visitor, size="2")
    expect(name).to_have_value("Colin")
    chosen = visitor.page.locator("#recruiting input[name=rank]:checked")
    expect(chosen).to_have_count(1)
    expect(card(visitor, "Bastien")).to_be_visible()


@pytest.mark.long
def test_morph_keeps_a_card_open_that_was_opened_meanwhile(visitor: Person) -> None:
    take_sample(visitor, "blackwater-gulch")
    first = unfold(visitor, "Pike Dolan")
    expect(first.get_by_label("Name")).to_be_visible()
    slow(visitor)
    recruit(visitor, "Henchman", "Bo")
    second = unfold(visitor, "Doc Abernathy")
    expect(card(visitor, "Bo")).to_be_visible()
    for opened in (first, second):
        expect(opened).to_contain_class("is-open")
    visitor.press("Duplicate", second)
    expect(visitor.page.locator("article.card-member")).to_have_count(7)
    for opened in (first, second):
        expect(opened).to_contain_class("is-open")


@pytest.mark.long
def test_morph_announces_a_repeated_message_again(visitor: Person) -> None:
    """A change with the same words as the one before is announced once more."""
    found(visitor, WEST, "The Coyotes")
    slow(visitor)
    strip = visitor.page.locator("#done")
    mark(strip)
    strip.evaluate(
        """strip => {
            window.heard = [];
            new MutationObserver(() => heard.push(strip.innerText.trim()))
                .observe(strip, { childList: true, subtree: true, characterData: true });
        }"""
    )
    for count in ("1", "2"):
        recruit(visitor, "Henchman")
        summary(visitor, size=count)
    assert is_marked(strip), "a live region that is replaced may say nothing"
    heard = visitor.page.evaluate("heard")
    assert len(heard) >= 2 and all("Henchman" in words for words in heard)


FINISH = "document.getAnimations().forEach((animation) => animation.finish())"


def test_message_of_every_change_is_seen_and_heard_however_old_the_page_is(
    visitor: Person,
) -> None:
    """The message disappears at the end of an animation. The next one starts it again."""
    found(visitor, WEST, "The Coyotes")
    page = visitor.page
    strip, heard = page.locator("#done > .summary-said"), page.locator("#heard")
    for count in ("1", "2", "3"):
        recruit(visitor, "Henchman")
        summary(visitor, size=count)
        expect(strip).to_be_visible()
        expect(heard).to_contain_text("Henchman")
        page.evaluate(FINISH)
        expect(strip).to_be_hidden()
    visitor.press("Undo", page.locator("#summary"))
    expect(strip).to_contain_text("Undone")
    expect(strip).to_be_visible()
    visitor.look("redo")
    page.evaluate(FINISH)
    visitor.press("Redo", page.locator("#summary"))
    summary(visitor, size="3")
    expect(strip).to_be_visible()


def test_edit_in_a_message_leads_the_focus_to_the_member(visitor: Person) -> None:
    found(visitor, WEST, "The Coyotes")
    recruit(visitor, "Henchman", "Bo")
    visitor.follow("Edit", visitor.page.locator("#done"))
    opened = card(visitor, "Bo")
    expect(opened).to_contain_class("is-open")
    expect(opened).to_be_focused()


def test_back_shows_the_gang_as_it_is_now(visitor: Person) -> None:
    found(visitor, WEST, "The Coyotes")
    page = visitor.page
    address = page.url
    # As browsers do that keep no pages: what they once fetched is shown again.
    page.evaluate("addEventListener('unload', () => {})")
    visitor.open("/gangs/")
    other = visitor.context.new_page()
    other.goto(address)
    panel = other.locator("#recruiting")
    panel.get_by_label("Henchman", exact=False).check()
    panel.get_by_label("Name").fill("Bo")
    panel.get_by_role("button", name="Recruit").click()
    expect(other.locator("#size")).to_have_text("1")
    other.close()
    page.go_back()
    summary(visitor, size="1")
    recruit(visitor, "Henchman", "Cy")
    summary(visitor, size="2")


@pytest.mark.long
def test_morph_keeps_a_dragged_row_under_the_finger(visitor: Person) -> None:
    """An answer that adds another row while one is dragged moves nothing away."""
    found(visitor, WEST, "The Coyotes")
    recruit(visitor, "Henchman", "Bo", count=7)
    summary(visitor, size="7")
    visitor.page.reload()
    slow(visitor)
    page = visitor.page
    rows = page.locator("#roster > article")
    panel = page.locator("#recruiting")
    panel.get_by_label("Henchman", exact=False).check()
    panel.get_by_label("Name").fill("Al")
    handle = page.get_by_role("button", name="Move Bo 1", exact=True)
    handle.scroll_into_view_if_needed()
    box, below = handle.bounding_box(), rows.nth(2).bounding_box()
    assert box and below
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    panel.evaluate("form => form.requestSubmit()")
    page.mouse.move(box["x"] + 5, below["y"] + below["height"], steps=5)
    dragged = page.locator("article.is-dragged")
    expect(rows).to_have_count(8)
    expect(dragged).to_have_count(1)
    names = rows.locator("h3").all_inner_texts()
    assert names[:3] == ["Bo 2", "Bo 3", "Bo 1"] and names[-1] == "Al"
    with page.expect_response("**/members/order/"):
        page.mouse.up()
    expect(dragged).to_have_count(0)
    expect(page.locator(".grip:focus")).to_have_count(1)
    page.reload()
    assert rows.locator("h3").all_inner_texts()[:3] == ["Bo 2", "Bo 3", "Bo 1"]


@pytest.mark.long
def test_morph_keeps_text_typed_while_odds_are_fetched(invite: Invite) -> None:
    """On the page of an attempt at the table: a distance, and the choices and numbers entered
    next.
    """
    evening = sit_down(invite, "blackwater-gulch")
    alice = evening.alice.person
    page = alice.page
    page.bring_to_front()
    alice.open(reverse("campaigns:table-figure", args=[evening.table.pk, evening.of(1)[0]]))
    acts = [link.get_attribute("href") for link in page.locator("a[href*='/acts/']").all()]
    numbers = page.locator("#attempt article input[type=number]:visible")
    for act in acts:
        alice.open(str(act))
        if numbers.count() and page.locator(".odds-leads").count():
            break
    number, tick = numbers.first, page.locator("#attempt article input[type=checkbox]").first
    mark(number)
    slow(alice)
    with page.expect_response(re.compile("/acts/")):
        tick.check()
        page.wait_for_timeout(100)
        number.fill("11")
    expect(page.locator(".htmx-request")).to_have_count(0)
    expect(number).to_have_value("11")
    expect(number).to_be_focused()
    expect(tick).to_be_checked()
    assert is_marked(number)
    with page.expect_response(re.compile("=11&")):
        number.press("Tab")
    expect(page.locator(".htmx-request")).to_have_count(0)
    expect(number).to_have_value("11")
    assert is_marked(number)
