"""A night without a network: a table on the phone, waiting taps, phones that help each other."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import zxingcpp
from django.urls import reverse
from PIL import Image
from playwright.sync_api import Browser, Error, FilePayload, Page, expect

from campaigns.models import Game
from campaigns.table import storage
from campaigns.table.attempts import offline
from campaigns.table.pages import table_page
from campaigns.table.taps import Rolled
from tests.browser import test_table
from tests.browser.conftest import FIREFOX, Invite
from tests.browser.test_table import DUELS, SOON, Evening, Phone, life
from tests.test_scripts import STATIC, HashedFiles, hash_scripts
from tests.world.gangs import SLUGS

pytestmark = [pytest.mark.browser, pytest.mark.firefox]

# A browser whose storage is full.
FULL = """() => {
    IDBObjectStore.prototype.put = () => {
        throw new DOMException("no room", "QuotaExceededError");
    };
}"""
KEPT = """async () => {
    const found = [];
    for (const name of await caches.keys())
        for (const { url } of await (await caches.open(name)).keys())
            found.push(new URL(url).pathname);
    return found;
}"""

# Signing out deletes it with everything else; the next page restores it after a while.
WORKER = """async () => {
    const registered = await navigator.serviceWorker.getRegistration();
    const { controller } = navigator.serviceWorker;
    return registered?.active?.state === "activated" && controller === registered.active;
}"""


# The browser of each player: the first sits at the browser (0) or at another (1), and so does the
# second.
KINDS = [(0, 1), (1, 0)] if FIREFOX else [(0, 0)]


HASH = re.compile(r"\.[0-9a-f]{12}(?=\.\w+$)")


class HashedScripts(HashedFiles):
    """Scripts of the site under names with a hash of their content, and all other files as they
    are.
    """

    def url(self, name: str | None, force: bool = False) -> str:
        is_hashed = name in self.hashed_files
        return super().url(name, force) if is_hashed else f"/static/{name}"


@pytest.fixture
def is_hashed(request: pytest.FixtureRequest, settings: Any, tmp_path: Path) -> bool:
    """Whether scripts are served as on a site, or as during development."""
    if request.param:
        hash_scripts(tmp_path)
        storage = f"{__name__}.{HashedScripts.__name__}"
        options = {"location": tmp_path, "base_url": "/static/"}
        settings.STATICFILES_DIRS = [*settings.STATICFILES_DIRS, tmp_path]
        files = {"staticfiles": {"BACKEND": storage, "OPTIONS": options}}
        settings.STORAGES = settings.STORAGES | files
    return bool(request.param)


@pytest.fixture
def cuttable() -> bool:
    """Every person has a separate line to the site."""
    return True


@pytest.fixture
def browsers(
    request: pytest.FixtureRequest, chromium: Browser, another: Browser
) -> Sequence[Browser]:
    """Everybody uses one browser, unless a test says otherwise."""
    return [(chromium, another)[kind] for kind in getattr(request, "param", [0])]


# The file that a page offers for download.
OFFERED = """() => {
    const made = URL.createObjectURL;
    URL.createObjectURL = (blob) => made.call(URL, (window.offered = blob));
}"""


def sit_down(invite: Invite, slug: str) -> Evening:
    """Seat both players at the table of a prepared game, which their phones save by themselves."""
    return test_table.sit_down(invite, slug, scripts=())


def take_along(phone: Phone) -> None:
    """Wait until the phone has saved the game, which it does by itself."""
    state = phone.person.page.locator("[data-along-state]")
    expect(state).to_contain_text("Saved on this phone at", timeout=SOON)


def cut(*phones: Phone, off: bool = True) -> None:
    """Cut the network, or restore it."""
    for phone in phones:
        phone.person.cut(off)


def open_without_network(phone: Phone, path: str) -> None:
    """Open a page without a network, as soon as the worker that signing out deleted is back.

    The browser may still be deleting the old worker when the new one says that it is active; then
    nobody answers.
    """
    person = phone.person
    for left in reversed(range(5)):
        person.open("/")
        person.page.wait_for_function(WORKER)
        cut(phone)
        try:
            person.open(path)
        except Error:
            if not left:
                raise
            cut(phone, off=False)
        else:
            return


def waits(phone: Phone, number: int) -> None:
    """Check that the page shows this many taps waiting to be sent."""
    line = phone.person.page.locator(".table-wait")
    expect(line).to_contain_text(f"Taps not sent yet: {number}", timeout=SOON)


def kept_by(page: Page) -> list[str]:
    """Return the addresses that a browser has kept."""
    found: list[str] = page.evaluate(KEPT)
    return found


def as_file(page: Page) -> FilePayload:
    """Return the file in which a player hands over their taps. Firefox's driver does not notice
    downloads that a page has made itself, so there the file is read from the page's offer
    (``OFFERED``).
    """
    link = page.get_by_role("link", name="As a file")
    if page.context.browser and page.context.browser.browser_type.name == "firefox":
        text = page.evaluate("offered.text()")
    else:
        with page.expect_download() as download:
            link.click()
        text = download.value.path().read_text()
    return {"name": "skirmish-taps.txt", "mimeType": "text/plain", "buffer": text.encode()}


def ticked(evening: Evening) -> list[int]:
    """Return the taps of alice's phone in the log, with the phone's numbers."""
    return [one.device_seq for one in storage.log_of(evening.table)]


@pytest.mark.long
def test_whole_evening_is_played_in_flight_mode(invite: Invite) -> None:
    """From a prepared game to the end of play, the page opened again in between; then the
    report.
    """
    evening = sit_down(invite, SLUGS[0])
    alice, bob = evening.phones
    page, table = alice.person.page, evening.table.get_absolute_url()
    take_along(alice)
    first, second = evening.of(1), evening.of(2)
    with alice.person.expecting_trouble():
        cut(alice)
        alice.puts_out(second[0], by=first[0])
        page.reload()
        expect(page.locator("#table.is-live")).to_be_visible()
        alice.turn_to(2)
        expect(alice.figure(second[0])).to_have_class(re.compile("is-out"))
        # The figures, their sheet and the rules can be read, each with its age.
        for name, args in (
            ("campaigns:table-figure", [evening.table.pk, first[1]]),
            ("rules:version", [evening.table.book_version_id]),
        ):
            alice.person.open(reverse(name, args=args))
            expect(page.locator("#offline")).to_contain_text(
                "No connection. This page is as it was"
            )
        alice.person.look("kept-rules")
        alice.person.open(table)
        expect(page.locator("#offline")).to_be_hidden()
        for _turn in range(2):
            alice.end_turn()
        expect(page.locator("[data-turn]").first).to_have_text("3")
        alice.person.look("table-offline")
        alice.tap(page.get_by_role("button", name="End the game"))
        alice.tap(page.locator("button[name=taps][value*='\"over\"']").first)
        number = int(re.findall(r"\d+", page.locator(".table-wait").inner_text())[0])
        cut(alice, off=False)
        # The report is filled in as soon as the last tap has been sent.
        expect(page.locator("h1")).to_have_text("Report the result", timeout=SOON)
    assert ticked(evening) == list(range(1, number + 1))
    expect(page.locator("main")).to_contain_text("Filled in from the table")
    alice.tap(page.locator(".form-actions").get_by_role("button", name="Send the report"))
    if page.locator("input[name=sure]").count():
        alice.tap(page.locator(".form-actions").get_by_role("button", name="Send the report"))
    expect(page.locator(".page-head")).to_contain_text("Waiting for confirmation")
    [side] = [side for side in Game.objects.get().sides.all() if side.report["marks"]]
    assert len(side.report["marks"]) == 1
    expect(bob.person.page.locator("#table-ending")).not_to_be_empty()


@pytest.mark.long
@pytest.mark.parametrize("is_hashed", [True, False], indirect=True)
def test_game_saved_on_a_phone_has_all_its_scripts(invite: Invite, is_hashed: bool) -> None:
    """Scripts that the page imports immediately, and scripts that it imports when they are
    needed.
    """
    evening = sit_down(invite, SLUGS[0])
    alice = evening.alice
    page = alice.person.page
    take_along(alice)
    kept = [path for path in kept_by(page) if path.endswith("js")]
    assert [
        path for path in kept if "/table/" in path and bool(HASH.search(path)) != is_hashed
    ] == []
    wanted = {f"/static/table/{script.name}" for script in (STATIC / "table").glob("*.js")}
    wanted |= {"/static/skirmish.js", "/static/outbox.js", "/static/vendor/uqr/uqr.mjs"}
    assert wanted <= {HASH.sub("", path) for path in kept}
    with alice.person.expecting_trouble():
        cut(alice)
        page.reload()
        expect(page.locator("#table.is-live")).to_be_visible()
        alice.tap(alice.figure(evening.of(1)[0]).locator("button.table-life"))
        waits(alice, 1)
        page.get_by_text("Hand your taps to another phone").click()
        expect(page.locator("[data-picture] svg")).to_be_visible()
        cut(alice, off=False)
        expect(page.locator(".table-wait")).to_be_hidden(timeout=SOON)
    assert ticked(evening) == [1]


@pytest.mark.long
def test_attempt_is_recorded_without_a_network(
    invite: Invite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With odds that were computed beforehand; the phone's own dice are marked as such."""
    monkeypatch.setattr(offline, "LONGEST", 60)
    evening = sit_down(invite, DUELS)
    alice = evening.alice
    page = alice.person.page
    take_along(alice)
    by = evening.of(1)[0]
    dialog = page.locator("#table-attempts")
    with alice.person.expecting_trouble():
        cut(alice)
        for how in ("throw", "say"):
            if alice.figure(by).locator("details[open]").count() == 0:
                alice.tap(alice.figure(by).locator("summary"))
            alice.tap(alice.figure(by).get_by_role("link", name="Actions", exact=False))
            expect(dialog).to_be_visible()
            duel = dialog.locator("option").filter(has_text="Duel").first.get_attribute("value")
            dialog.get_by_label("Roll", exact=True).select_option(duel)
            shares = dialog.locator("li b").all_inner_texts()
            assert shares
            assert [one for one in shares if not re.fullmatch(r"[<>]?\d+%", one)] == []
            if how == "throw":
                alice.person.look("attempts-offline")
                alice.tap(dialog.get_by_role("button", name="Let this phone roll"))
            else:
                alice.tap(dialog.get_by_role("button", name="Record it").first)
            expect(dialog).to_be_hidden()
        cut(alice, off=False)
        expect(page.locator(".table-wait")).to_be_hidden(timeout=SOON)
    rolled = [one.tap for one in storage.log_of(evening.table) if isinstance(one.tap, Rolled)]
    assert [(tap.by, tap.thrown, tap.by_phone) for tap in rolled] == [
        (by, False, True),
        (by, False, False),
    ]
    assert all(tap.outcome and not tap.faces for tap in rolled)
    expect(page.locator("#table-story")).to_contain_text("phone dice, unverified")


@pytest.mark.long
@pytest.mark.parametrize("browsers", KINDS, indirect=True)
def test_two_phones_without_a_network_hand_over_taps_by_picture_and_file(invite: Invite) -> None:
    """One shows its taps as a picture; the other's camera opens the address in it."""
    evening = sit_down(invite, SLUGS[0])
    alice, bob = evening.phones
    page, other = alice.person.page, bob.person.page
    for phone in evening.phones:
        take_along(phone)
    keys = evening.of(1)[:3]
    with alice.person.expecting_trouble(), bob.person.expecting_trouble():
        cut(*evening.phones)
        for key in keys:
            alice.tap(alice.figure(key).locator("button.table-life"))
        waits(alice, len(keys))
        page.evaluate(OFFERED)
        page.get_by_text("Hand your taps to another phone").click()
        picture = page.locator("[data-picture] svg")
        expect(picture).to_be_visible()
        alice.person.look("handing-over")
        [code] = zxingcpp.read_barcodes(Image.open(io.BytesIO(picture.screenshot(caret="initial"))))
        assert code.text.startswith(page.url.split("#")[0])
        other.goto(code.text)
        arrived = other.locator("#table-arrived")
        expect(arrived).to_contain_text(f"Taps of another phone: {len(keys)}. Take them over?")
        bob.person.look("taps-arrived")
        arrived.get_by_role("button", name="Take them over").click()
        expect(arrived).to_be_hidden()
        bob.turn_to(1)
        expect(life(bob.figure(keys[0]))).to_have_text(life(alice.figure(keys[0])).inner_text())
        waits(bob, len(keys))
        # Also by file: taps that arrive twice count once.
        other.locator("#table-taps-file").set_input_files(as_file(page))
        expect(arrived).to_be_visible()
        arrived.get_by_role("button", name="Take them over").click()
        waits(bob, len(keys))
        cut(bob, off=False)
        expect(other.locator(".table-wait")).to_be_hidden(timeout=SOON)
        assert ticked(evening) == [1, 2, 3]
        cut(alice, off=False)
        expect(page.locator(".table-wait")).to_be_hidden(timeout=SOON)
    assert ticked(evening) == [1, 2, 3]


@pytest.mark.long
def test_address_without_taps_changes_nothing(invite: Invite) -> None:
    evening = sit_down(invite, SLUGS[0])
    page = evening.alice.person.page
    arrived = page.locator("#table-arrived")
    for text in ("nothing", "", "eJw", "WzFd"):
        page.goto(f"{page.url}#taps={text}")
        expect(arrived).to_contain_text("No taps found")
        expect(arrived.get_by_role("button", name="Take them over")).to_be_hidden()
        arrived.get_by_role("button", name="No").click()
        expect(arrived).to_be_hidden()
        assert "#" not in page.url


@pytest.mark.long
def test_old_page_sends_its_taps_to_a_newer_version_of_the_site(
    invite: Invite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An old page kept by the phone sends its taps, and is fetched again."""
    evening = sit_down(invite, SLUGS[0])
    alice = evening.alice
    page = alice.person.page
    take_along(alice)
    key = evening.of(1)[0]
    with alice.person.expecting_trouble():
        cut(alice)
        alice.tap(alice.figure(key).locator("button.table-life"))
        left = life(alice.figure(key)).inner_text()
        waits(alice, 1)
        page.evaluate("window.isOld = true")
        monkeypatch.setattr(table_page, "FORMAT", table_page.FORMAT + 1)
        cut(alice, off=False)
        page.wait_for_function("() => !window.isOld", timeout=SOON)
        expect(page.locator("#table.is-live")).to_be_visible()
    assert ticked(evening) == [1]
    expect(life(alice.figure(key))).to_have_text(left)
    told = json.loads(page.locator("#table-game").text_content() or "")
    assert told["state"]["format"] == table_page.FORMAT


@pytest.mark.long
def test_phone_with_full_storage_says_so_and_loses_nothing(invite: Invite) -> None:
    evening = sit_down(invite, SLUGS[0])
    alice = evening.alice
    page = alice.person.page
    key = evening.of(1)[0]
    with alice.person.expecting_trouble():
        cut(alice)
        page.evaluate(FULL)
        alice.tap(alice.figure(key).locator("button.table-life"))
        waits(alice, 1)
        expect(page.locator(".table-wait")).to_contain_text("leave this page open")
        cut(alice, off=False)
        expect(page.locator(".table-wait")).to_be_hidden(timeout=SOON)
    assert ticked(evening) == [1]


@pytest.mark.long
def test_signing_out_leaves_nothing_on_the_phone(invite: Invite) -> None:
    """A warning about unsent taps comes first. Another reader of the same phone sees none of it."""
    evening = sit_down(invite, SLUGS[0])
    alice = evening.alice
    person, page = alice.person, alice.person.page
    take_along(alice)
    table = evening.table.get_absolute_url()
    assert table in kept_by(page)
    with person.expecting_trouble():
        cut(alice)
        alice.tap(alice.figure(evening.of(1)[0]).locator("button.table-life"))
        waits(alice, 1)
        page.locator(".band summary").click()
        person.press("Sign out")
        expect(page.locator("#offline")).to_contain_text("Taps not sent yet: 1")
        cut(alice, off=False)
        expect(page.locator(".table-wait")).to_be_hidden(timeout=SOON)
        person.press("Sign out")
        expect(page.get_by_role("link", name="Sign in").first).to_be_visible()
    assert not [
        path for path in kept_by(page) if path.startswith(("/campaigns/", "/gangs/", "/rules/"))
    ]
    with person.expecting_trouble():
        open_without_network(alice, table)
        expect(page.get_by_role("heading", level=1)).to_have_text("No connection")


@pytest.mark.long
def test_next_account_on_the_same_phone_sees_nothing(invite: Invite) -> None:
    """Not even if the first account's session only ended."""
    evening = sit_down(invite, SLUGS[0])
    alice = evening.alice
    person, page = alice.person, alice.person.page
    take_along(alice)
    table = evening.table.get_absolute_url()
    person.context.clear_cookies(name="sessionid")
    person.sign_in("bob")
    assert table not in kept_by(page)
    with person.expecting_trouble():
        cut(alice)
        person.open(table)
        expect(page.get_by_role("heading", level=1)).to_have_text("No connection")
