"""Forged tap numbers: a phone loses no tap whose number another player has used."""

from __future__ import annotations

import json
import uuid
import zlib
from base64 import urlsafe_b64encode
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Page, Request, Route, expect

from accounts.models import User
from campaigns.table import storage, taps
from tests.browser.conftest import Invite
from tests.browser.test_table import SOON, Evening, Phone, life, sit_down
from tests.world.gangs import SLUGS

pytestmark = pytest.mark.browser

KEPT = """() => JSON.parse(localStorage.getItem(
    `skirmish.table.${document.getElementById("table").action}`))"""
UNSENT = """async () => {
    const { taps } = await import("/static/outbox.js");
    return (await taps()).length;
}"""
WAITING = """async () => {
    const { table } = await import("/static/table/queue.js");
    return JSON.parse(JSON.stringify(table.queue));
}"""
TAKE_OVER = """async (rows) => {
    const { takeOver } = await import("/static/table/sync.js");
    takeOver(rows);
}"""
TAKEN = "Something else was noted here under the same number."


def phone_data(page: Page) -> dict[str, Any]:
    """Return the data that a page keeps about its phone."""
    found: dict[str, Any] = page.evaluate(KEPT)
    return found


def forge(evening: Evening, page: Page, *numbers: int, text: str = "forged") -> None:
    """Record taps of bob under the next numbers of a page's phone."""
    device = uuid.UUID(phone_data(page)["device"])
    rows = [
        storage.Pushed(
            device=device,
            n=n,
            after=0,
            at=n,
            turn=1,
            act=uuid.uuid4(),
            tap=taps.Note(text=f"{text} {n}"),
        )
        for n in numbers
    ]
    answers = storage.push(evening.table, User.objects.get(username="bob"), rows)
    assert all(isinstance(answer, int) for answer in answers)


def all_sent(page: Page) -> None:
    """Check that nothing waits any more, neither on the page nor in the browser's storage."""
    expect(page.locator(".table-wait")).to_be_hidden(timeout=SOON * 5)
    expect(page.locator(".table-wait span")).to_have_text("", timeout=SOON * 5)
    assert page.evaluate(UNSENT) == 0


def read_notes(evening: Evening) -> list[str]:
    """Return the notes of the log."""
    log = storage.log_of(evening.table)
    return sorted(one.tap.text for one in log if isinstance(one.tap, taps.Note))


def say(phone: Phone, text: str) -> None:
    """Write a note."""
    phone.person.page.locator(".table-note [name=text]").fill(text)
    phone.tap(phone.person.page.get_by_role("button", name="Add to the story"))


@pytest.mark.long
@pytest.mark.firefox
def test_forged_tap_that_arrives_first_costs_the_phone_nothing(invite: Invite) -> None:
    """Its taps are recorded under other numbers, in the same order; undo still works."""
    evening = sit_down(invite, SLUGS[0])
    alice, bob = evening.phones
    page, keys = alice.person.page, evening.of(1)[:3]
    before = [int(life(alice.figure(key)).inner_text()) for key in keys]
    with alice.person.expecting_trouble():
        alice.person.context.set_offline(True)
        for key in keys:
            alice.tap(alice.figure(key).locator("button.table-life"))
        # The last tap is undone before it was sent.
        alice.tap(page.get_by_role("button", name="Undo my last tap"))
        made = page.evaluate(WAITING)
        forge(evening, page, 1, 3)
        alice.person.context.set_offline(False)
        all_sent(page)
    wanted = [before[0] - 1, before[1] - 1, before[2]]
    for phone in evening.phones:
        for key, number in zip(keys, wanted, strict=True):
            expect(life(phone.figure(key))).to_have_text(str(number), timeout=SOON)
    assert read_notes(evening) == ["forged 1", "forged 3"]
    own = [one for one in storage.log_of(evening.table) if not isinstance(one.tap, taps.Note)]
    assert {one.at for one in own} == {row["at"] for row in made}
    assert {one.act for one in own} == {uuid.UUID(row["act"]) for row in made}
    assert {one.after for one in own} == {row["after"] for row in made}
    # A renumbered tap is undone like any other, the second one first.
    for key, number in ((keys[1], before[1]), (keys[0], before[0])):
        alice.tap(page.get_by_role("button", name="Undo my last tap"))
        expect(life(bob.figure(key))).to_have_text(str(number), timeout=SOON * 2)
    all_sent(page)
    assert evening.now.struck == {one.key for one in own if isinstance(one.tap, taps.Counted)}
    assert page.locator(".table-aside").is_hidden()
    assert read_notes(evening) == ["forged 1", "forged 3"]


@pytest.mark.long
def test_forged_tap_that_arrives_second_changes_nothing(invite: Invite) -> None:
    evening = sit_down(invite, SLUGS[0])
    alice = evening.alice
    page = alice.person.page
    say(alice, "real")
    all_sent(page)
    [row] = storage.log_of(evening.table)
    forged = storage.Pushed(
        device=row.device, n=1, after=0, at=1, turn=1, act=uuid.uuid4(), tap=taps.TurnEnded()
    )
    [why] = storage.push(evening.table, User.objects.get(username="bob"), [forged])
    assert not isinstance(why, int)
    page.reload()
    all_sent(page)
    assert storage.log_of(evening.table) == [row]


def test_answer_lost_before_the_page_is_closed_doubles_no_tap(invite: Invite) -> None:
    evening = sit_down(invite, SLUGS[0])
    alice = evening.alice
    page, key = alice.person.page, evening.of(1)[0]
    left = int(life(alice.figure(key)).inner_text()) - 1
    address = reverse("campaigns:table-taps", args=[evening.table.pk])

    lost = True

    def unanswered(route: Route) -> None:
        answer = route.fetch()
        if lost:
            route.abort()
        else:
            route.fulfill(response=answer)

    with alice.person.expecting_trouble():
        page.route(f"**{address}", unanswered)
        alice.tap(alice.figure(key).locator("button.table-life"))
        expect(page.locator(".table-wait")).to_contain_text("Taps not sent yet: 1", timeout=SOON)
        assert page.evaluate(UNSENT) == 1
        lost = False
        page.reload()
        all_sent(page)
    expect(life(alice.figure(key))).to_have_text(str(left))
    assert len(storage.log_of(evening.table)) == 1


@pytest.mark.long
def test_two_pages_of_one_phone_replace_a_forged_number_once(invite: Invite) -> None:
    """Both know the waiting taps, and each tap is recorded once."""
    evening = sit_down(invite, SLUGS[0])
    alice = evening.alice
    page = alice.person.page
    with alice.person.expecting_trouble():
        alice.person.context.set_offline(True)
        for text in ("one", "two"):
            say(alice, text)
        forge(evening, page, 1, 2)
        alice.person.context.set_offline(False)
        # The second page opens while the first one still believes that there is no network.
        second = alice.person.context.new_page()
        second.goto(page.url)
        for each in (second, page):
            each.evaluate("dispatchEvent(new Event('online'))")
        for each in (second, page):
            all_sent(each)
    assert read_notes(evening) == ["forged 1", "forged 2", "one", "two"]
    # Both continue under the same name.
    assert phone_data(page)["device"] == phone_data(second)["device"]
    second.close()


@pytest.mark.long
def test_helping_phone_leaves_a_forged_number_to_its_owner(invite: Invite) -> None:
    evening = sit_down(invite, SLUGS[0])
    alice, bob = evening.phones
    page, other = alice.person.page, bob.person.page
    with alice.person.expecting_trouble():
        alice.person.context.set_offline(True)
        for text in ("one", "two"):
            say(alice, text)
        forge(evening, page, 2)
        other.evaluate(TAKE_OVER, page.evaluate(WAITING))
        all_sent(other)
        expect(other.get_by_role("alert")).to_contain_text(TAKEN)
        assert read_notes(evening) == ["forged 2", "one"]
        alice.person.context.set_offline(False)
        all_sent(page)
    assert read_notes(evening) == ["forged 2", "one", "two"]
    assert page.locator(".table-aside").is_hidden()


@pytest.mark.long
def test_taps_forged_under_the_next_numbers_cost_the_phone_nothing(invite: Invite) -> None:
    """Handed over by a player who knows the phone's name."""
    evening = sit_down(invite, SLUGS[0])
    alice = evening.alice
    page = alice.person.page
    with alice.person.expecting_trouble():
        alice.person.context.set_offline(True)
        say(alice, "one")
        [row] = page.evaluate(WAITING)
        forged = [row | {"n": n, "tap": {"kind": "said", "text": f"forged {n}"}} for n in (1, 2)]
        page.evaluate(TAKE_OVER, forged)
        say(alice, "two")
        alice.person.context.set_offline(False)
        all_sent(page)
    assert read_notes(evening) == ["forged 2", "one", "two"]


@pytest.mark.long
def test_batch_that_is_too_large_is_split(invite: Invite) -> None:
    """A tap that is too large by itself is set aside in words."""
    evening = sit_down(invite, SLUGS[0])
    alice = evening.alice
    page = alice.person.page
    address = reverse("campaigns:table-taps", args=[evening.table.pk])
    sizes = []

    def narrow(route: Route, request: Request) -> None:
        rows = json.loads(request.post_data or "")
        sizes.append(len(rows))
        if len(rows) > 2 or any(row["tap"].get("text") == "huge" for row in rows):
            route.fulfill(status=413, body="Content Too Large")
        else:
            route.fulfill(response=route.fetch())

    with alice.person.expecting_trouble():
        alice.person.context.set_offline(True)
        for text in ("a", "b", "huge", "c", "d", "e"):
            say(alice, text)
        page.route(f"**{address}", narrow)
        alice.person.context.set_offline(False)
        all_sent(page)
    assert read_notes(evening) == ["a", "b", "c", "d", "e"]
    assert sizes[0] == 6
    expect(page.get_by_role("alert")).to_contain_text("huge (That is too large to be sent.)")


@pytest.mark.long
def test_taps_too_large_for_a_request_that_outlives_its_page_are_split(invite: Invite) -> None:
    evening = sit_down(invite, SLUGS[0])
    page = evening.alice.person.page
    device = uuid.uuid4()
    rows = [
        {
            "device": str(device),
            "n": n,
            "after": 0,
            "at": n,
            "turn": 1,
            "act": str(uuid.uuid4()),
            "tap": {"kind": "said", "text": f"{n} " + "é" * 290},
        }
        for n in range(1, 91)
    ]
    with page.expect_request(lambda request: request.method == "POST") as request:
        page.evaluate(TAKE_OVER, rows)
    assert len((request.value.post_data or "").encode()) < 65_536
    all_sent(page)
    assert len(storage.log_of(evening.table)) == len(rows)


@pytest.mark.long
@pytest.mark.firefox
def test_address_that_unpacks_without_end_is_refused(invite: Invite) -> None:
    """Before anything in it is counted; the page goes on working."""
    evening = sit_down(invite, SLUGS[0])
    alice = evening.alice
    page = alice.person.page
    packing = zlib.compressobj(9, zlib.DEFLATED, -15)
    pieces = [packing.compress(b"[" * 1_000_000) for _piece in range(300)]
    bomb = urlsafe_b64encode(b"".join([*pieces, packing.flush()])).decode().rstrip("=")
    arrived = page.locator("#table-arrived")
    page.evaluate("(text) => { location.hash = `taps=${text}`; }", bomb)
    expect(arrived).to_contain_text("That is larger than any phone’s taps", timeout=SOON)
    expect(arrived.get_by_role("button", name="Take them over")).to_be_hidden()
    arrived.get_by_role("button", name="No").click()
    alice.tap(alice.figure(evening.of(1)[0]).locator("button.table-life"))
    all_sent(page)
