"""Pages and taps that a browser keeps, and for which reader: pages that were opened, taps of a
visitor who signs up; and a browser that keeps nothing.
"""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from accounts.models import User
from campaigns.models import Table, TableEntry
from campaigns.table import storage
from gangs.models import Gang
from tests.browser import test_table
from tests.browser.building import take_sample
from tests.browser.conftest import Invite
from tests.browser.person import PASSWORD, Person
from tests.browser.test_club_night import arrive
from tests.browser.test_offline import cut, kept_by, waits
from tests.browser.test_table import SAVES_DATA, SOON, Phone
from tests.world.gangs import SLUGS

pytestmark = [pytest.mark.browser, pytest.mark.firefox, pytest.mark.long]

AS_IT_WAS = "No connection. This page is as it was"
# Of all taps in the outbox: their number, and how many this page would show.
TAPS = """async () => {
    const { taps } = await import("/static/outbox.js");
    const mine = (await taps()).length;
    const opened = indexedDB.open("skirmish", 1);
    await new Promise((done) => (opened.onsuccess = done));
    const all = opened.result.transaction("taps").objectStore("taps").count();
    await new Promise((done) => (all.onsuccess = done));
    opened.result.close();
    return [all.result, mine];
}"""
MANIFEST = """async () =>
    (await fetch(document.querySelector("link[rel=manifest]").href)).json()"""
# Browsers that keep nothing: in a private window, because their owner wants it so, because they
# never get round to it (the page waits for that), or because the connection is not safe.
REFUSED = """navigator.serviceWorker && (navigator.serviceWorker.register = () =>
    Promise.reject(new DOMException("refused", "SecurityError")))"""
SHUT = """globalThis.caches && (caches.match = () =>
    Promise.reject(new DOMException("refused", "SecurityError")))"""
NEVER = """if (navigator.serviceWorker) {
    Object.defineProperty(navigator.serviceWorker, "ready", {value: new Promise(() => {})});
    const later = setTimeout;
    window.setTimeout = (task, time) => later(task, time === 20000 ? 100 : time);
}"""
ABSENT = """Object.defineProperty(Navigator.prototype, "serviceWorker", {value: undefined})"""


@pytest.fixture
def cuttable() -> bool:
    """Every person has a separate line to the site."""
    return True


def keeps(page: Page, path: str) -> None:
    """Wait until the browser has kept a page."""
    for _ in range(1200):
        if path in kept_by(page):
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"{path} is not kept")


def there_are(page: Page, number: int, mine: int) -> None:
    """Wait until this many taps are in the browser, and this many of them are the reader's."""
    page.wait_for_load_state()
    for _ in range(1200):
        found = page.evaluate(TAPS)
        if found == [number, mine]:
            return
        page.wait_for_timeout(100)
    raise AssertionError(found)


def sit_down_alone(visitor: Person) -> Phone:
    """Sit a visitor down to play with one of their crews."""
    visitor.context.add_init_script(SAVES_DATA)
    take_sample(visitor, SLUGS[0])
    visitor.open(Gang.objects.get().get_absolute_url())
    visitor.follow("Play", exact=False)
    visitor.press("Play")
    expect(visitor.page.locator("#table.is-live")).to_be_visible()
    return Phone(visitor, 1)


def tap_and_leave(phone: Phone, number: int) -> None:
    """Tap this often without a network, and close the page."""
    person = phone.person
    with person.expecting_trouble():
        cut(phone)
        for _ in range(number):
            phone.tap(person.page.locator("button.table-life").first)
        waits(phone, number)
        there_are(person.page, number, number)
        # Wait until the page is closed before the line is back: on a busy machine, closing takes a
        # moment.
        person.page.goto("about:blank")
        person.page.close()
        person.page = person.context.new_page()
        cut(phone, off=False)


def test_taps_of_a_visitor_belong_to_their_new_account(invite: Invite) -> None:
    """They are sent as the account's; another account in the same browser sees nothing."""
    arrive(invite, "bob").leave()
    phone = sit_down_alone(visitor := invite())
    table = Table.objects.get()
    tap_and_leave(phone, 2)
    visitor.open("/accounts/signup/")
    visitor.sign_up("rosa")
    assert storage.log_of(table) == []
    there_are(visitor.page, 2, 2)
    visitor.open(table.get_absolute_url())
    there_are(visitor.page, 0, 0)
    told = TableEntry.objects.filter(table=table).order_by("device_seq")
    assert [(row.device_seq, row.actor and row.actor.username) for row in told] == [
        (1, "rosa"),
        (2, "rosa"),
    ]
    # A session that only ended leaves taps behind, but for nobody else.
    tap_and_leave(phone, 1)
    visitor.context.clear_cookies(name="sessionid")
    visitor.sign_in("bob")
    there_are(visitor.page, 1, 0)
    visitor.context.clear_cookies(name="sessionid")
    visitor.sign_in("rosa")
    visitor.open(table.get_absolute_url())
    there_are(visitor.page, 0, 0)
    assert [one.device_seq for one in storage.log_of(table)] == [1, 2, 3]


@pytest.mark.parametrize(
    "script", [REFUSED, SHUT, NEVER, ABSENT], ids=["refused", "shut", "never", "absent"]
)
def test_phone_that_keeps_no_pages_says_so(invite: Invite, script: str) -> None:
    """Everything else works as usual, as long as the page is open."""
    evening = test_table.sit_down(invite, SLUGS[0], scripts=(script,))
    alice, page = evening.alice, evening.alice.person.page
    told = page.locator("[data-along-state]")
    expect(told).to_contain_text("This phone keeps no pages: ")
    expect(page.get_by_role("button", name="Save this game on this phone")).to_be_hidden()
    with alice.person.expecting_trouble():
        cut(alice)
        alice.tap(alice.figure(evening.of(1)[0]).locator("button.table-life"))
        waits(alice, 1)
        cut(alice, off=False)
        expect(page.locator(".table-wait")).to_be_hidden(timeout=SOON)
    assert [one.device_seq for one in storage.log_of(evening.table)] == [1]


def test_opened_sheet_and_rules_can_be_read_offline(invite: Invite) -> None:
    """Without a network, and each page says how old it is."""
    visitor = invite()
    page = visitor.page
    take_sample(visitor, SLUGS[0])
    gang = Gang.objects.get()
    [name, *_] = page.locator("article.card-member h3").all_inner_texts()
    sheet = reverse("gangs:sheet", args=[gang.pk])
    version = reverse("rules:version", args=[gang.book_version_id])
    chapter = reverse("rules:version-chapter", args=[gang.book_version_id, "items"])
    seen = {}
    for path in (sheet, version, chapter):
        visitor.open(path)
        seen[path] = page.locator("main").inner_text()
        keeps(page, path)
    assert name in seen[sheet]
    with visitor.expecting_trouble():
        visitor.cut()
        for path, text in seen.items():
            visitor.open(path)
            expect(page.locator("#offline")).to_contain_text(AS_IT_WAS)
            assert page.locator("main").inner_text() == text


@pytest.mark.parametrize(
    ("language", "title", "told"),
    [
        ("en", "Tonight", AS_IT_WAS),
        ("fr", "Ce soir", "Pas de connexion. Cette page date de"),
    ],
)
def test_application_starts_offline_with_the_kept_page(
    invite: Invite, language: str, title: str, told: str
) -> None:
    """Opened from the home screen without a network, it shows the waiting taps, even if that page
    is the first of all, and nothing else.
    """
    person = invite(locale=language)
    page = person.page
    User.objects.create_user("alice", password=PASSWORD)
    person.open("/accounts/login/")
    page.locator("[name=login]").fill("alice")
    page.locator("[name=password]").fill(PASSWORD)
    page.locator("[name=password]").press("Enter")
    expect(page.locator("h1")).to_have_text(title)
    manifest = page.evaluate(MANIFEST)
    assert (manifest["lang"], manifest["id"], manifest["scope"]) == (language, "/", "/")
    start = manifest["start_url"]
    assert page.url.endswith(start)
    keeps(page, start)
    with person.expecting_trouble():
        person.cut()
        person.page.close()
        person.page = page = person.context.new_page()
        person.open(start)
        expect(page.locator("h1")).to_have_text(title)
        expect(page.locator("#offline")).to_contain_text(told)
