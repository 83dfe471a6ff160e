"""Two phones at one table: a whole game of each kind, and the accidents in between."""

from __future__ import annotations

import errno
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from unittest.mock import Mock

import pytest
from django.urls import reverse
from playwright.sync_api import Locator, Page, Request, Route, expect

from accounts.models import User
from campaigns.club.people import joining
from campaigns.models import Game, Table
from campaigns.table import people, storage
from campaigns.table.fold import fold
from campaigns.table.state import TableNow
from campaigns.table.taps import Dealt, Rolled
from gangs.models import Gang
from tests.browser.conftest import Invite
from tests.browser.eyes import PHONE, TABLET, Size
from tests.browser.person import Person
from tests.browser.test_club_night import arrive
from tests.campaigns.table.test_storage import pushed
from tests.random_cases import one_soon
from tests.world.campaigns import make_campaign, make_game
from tests.world.gangs import SLUGS, make_gang

pytestmark = pytest.mark.browser

# The interval at which a phone asks for others' taps, in milliseconds; and the time after which a
# test gives up, even on a slow machine.
PULLED, SOON = 2_000, 120_000
PULLS = """performance.getEntriesByType("resource")
    .filter(({ name }) => name.includes("/since/")).length"""
MOST_TAPS = 60
TURNS = 3
# The newest tap in the outbox becomes invalid at every table.
SPOILED = """async () => {
    const { table } = await import("/static/table/queue.js");
    table.queue.at(-1).turn = 100;
}"""
DUELS, DUEL = "du-sang-sur-la-lame", "duel"
WAKE_LOCK = """Object.defineProperty(navigator, "wakeLock", {value: {request: (kind) => {
    window.asked = [...(window.asked ?? []), kind];
    return Promise.resolve();
}}})"""
# Such a phone saves nothing unless its owner asks for it.
SAVES_DATA = """Object.defineProperty(navigator, "connection", {value: {saveData: true}})"""
# The figure immediately after a button was pressed, before anything else can happen.
PRESSED = """(button, number) => {
    button.click();
    return number.innerText;
}"""


@dataclass
class Phone:
    """A player at the table with their phone. ``taps``: the number of their presses."""

    person: Person
    side: int
    taps: int = 0

    def tap(self, button: Locator) -> None:
        """Press something, and count the tap."""
        button.click()
        self.taps += 1

    def end_turn(self) -> None:
        """End the turn without beginning its phases."""
        self.tap(self.person.page.locator("[popovertarget=table-more]"))
        self.tap(self.person.page.locator("#table-more").get_by_role("button", name="End turn"))

    def turn_to(self, side: int) -> None:
        """Show a side's figures."""
        tab = self.person.page.locator(f"[data-tab='{side}']")
        if tab.is_visible() and tab.get_attribute("aria-current") != "true":
            self.tap(tab)

    def hears(self) -> AbstractContextManager[object]:
        """Wait until the next answer that has news."""
        return self.person.page.expect_response(
            lambda answer: "/since/" in answer.url and answer.status == 200
        )

    def goes_on_pulling(self) -> None:
        """Wait until the phone has asked for others' taps three more times."""
        wanted = self.person.page.evaluate(PULLS) + 3
        self.person.page.wait_for_function(f"() => {PULLS} >= {wanted}", timeout=SOON)

    def figure(self, key: str) -> Locator:
        """Return the line of a figure."""
        return self.person.page.locator(f"[data-figure='{key}']")

    def puts_out(self, key: str, by: str) -> None:
        """Tap a figure's life away, if the game has it, and choose the opponent who took it out of
        action.
        """
        self.turn_to(int(key[0]))
        line = self.figure(key)
        wound = line.locator("button.table-life")
        for _ in range(int(life(line).inner_text()) if wound.count() else 0):
            self.tap(wound)
        if line.locator("details[open]").count() == 0:
            self.tap(line.locator("summary"))
        hand = line.locator(f'button[name=taps][value*=\'"by":"{by}"\']').first
        self.tap(hand)
        expect(line).to_have_class("table-figure is-out is-fresh")


@dataclass
class Evening:
    """A table with a phone for each player."""

    table: Table
    alice: Phone
    bob: Phone

    @property
    def phones(self) -> tuple[Phone, Phone]:
        """Return both phones."""
        return self.alice, self.bob

    @property
    def now(self) -> TableNow:
        """Return the table as the server has it."""
        return fold(people.start_of(self.table), storage.log_of(self.table))

    def of(self, side: int) -> list[str]:
        """Return the figures of a side."""
        return [one.key for one in people.start_of(self.table).figures if one.side == side]


def plan_game(slug: str) -> Game:
    """Return a planned game between alice, who runs the campaign, and bob."""
    alice, bob = User.objects.get(username="alice"), User.objects.get(username="bob")
    campaign = make_campaign(alice, slug)
    gangs = []
    for place, player in enumerate((alice, bob)):
        gang = make_gang(player, slug, place)
        joining.join(campaign, gang, actor=player, expected_version=gang.version)
        gangs.append(Gang.objects.get(pk=gang.pk))
    return make_game(campaign, alice, *gangs)


def sit_down(
    invite: Invite, slug: str, his: Size = PHONE, scripts: tuple[str, ...] = (SAVES_DATA,)
) -> Evening:
    """Lead both players from the game's page to its table; bob may have another screen."""
    alice, bob = arrive(invite, "alice"), arrive(invite, "bob")
    bob.page.set_viewport_size({"width": his[0], "height": his[1]})
    game = plan_game(slug)
    for person, press in ((alice, alice.press), (bob, bob.follow)):
        for script in (WAKE_LOCK, *scripts):
            person.context.add_init_script(script)
        person.open(game.get_absolute_url())
        press("Play" if person is alice else "Go to the table")
        expect(person.page.locator("#table.is-live")).to_be_visible()
    return Evening(Table.objects.get(game=game), Phone(alice, 1), Phone(bob, 2))


def watch(invite: Invite, table: Table) -> Phone:
    """Let a spectator without an account follow the campaign's link."""
    watcher = invite()
    assert table.game is not None
    watcher.open(reverse("campaigns:watch", args=[table.game.campaign.watch_key]))
    watcher.open(table.get_absolute_url())
    expect(watcher.page.locator("#table.is-live")).to_be_visible()
    return Phone(watcher, 0)


@pytest.mark.firefox
@pytest.mark.parametrize("slug", one_soon(SLUGS))
def test_two_phones_play_a_whole_game(invite: Invite, slug: str) -> None:
    """In one of the games, one of the phones is a tablet."""
    evening = sit_down(invite, slug, TABLET if slug == SLUGS[1] else PHONE)
    alice, bob = evening.phones
    if slug == SLUGS[0]:
        alice.person.look("table")
    first, second = evening.of(1), evening.of(2)
    for turn in range(1, TURNS + 1):
        for phone in evening.phones:
            phone.turn_to(phone.side)
            for key in evening.of(phone.side)[:6]:
                acted = phone.figure(key).locator("button.table-act")
                if acted.is_visible():
                    phone.tap(acted)
        if turn < TURNS:
            alice.puts_out(second[-turn], by=first[0])
            bob.puts_out(first[-turn], by=second[0])
            for phone, gone in ((bob, second[-turn]), (alice, first[-turn])):
                expect(phone.figure(gone).locator("[data-out]")).not_to_have_attribute(
                    "hidden", "", timeout=SOON
                )
        alice.end_turn()
        told = bob.person.page.locator("[data-turn]").first
        expect(told).to_have_text(str(turn + 1), timeout=SOON)
    if slug == SLUGS[0]:
        alice.person.look("table-late")
    end_and_report(evening)
    sides = {side.gang.name: side for side in Game.objects.get().sides.all() if side.gang}
    for side in evening.table.sides.all():
        marks = sides[side.name].report["marks"]
        assert len(marks) == TURNS - 1, (slug, marks)
    assert max(phone.taps for phone in evening.phones) <= MOST_TAPS
    assert alice.person.page.url.endswith(Game.objects.get().get_absolute_url())


def end_and_report(evening: Evening) -> None:
    """End the game, send the report that is filled in, and have it confirmed."""
    alice, bob = evening.alice, evening.bob
    page = alice.person.page
    asked = page.evaluate("window.asked")
    assert asked and set(asked) == {"screen"}
    alice.tap(page.get_by_role("button", name="End the game"))
    alice.tap(page.locator("button[name=taps][value*='\"over\"']").first)
    expect(page.locator("h1")).to_have_text("Report the result")
    expect(page.locator("main")).to_contain_text("Filled in from the table")
    alice.tap(page.locator(".form-actions").get_by_role("button", name="Send the report"))
    if page.locator("input[name=sure]").count():
        alice.tap(page.locator(".form-actions").get_by_role("button", name="Send the report"))
    expect(page.locator(".page-head")).to_contain_text("Waiting for confirmation")
    bob.person.open(Game.objects.get().get_absolute_url())
    bob.tap(bob.person.page.get_by_role("button", name="Yes, confirm"))
    expect(bob.person.page.locator(".page-head")).to_contain_text("Confirmed")


def life(line: Locator) -> Locator:
    """Return how much life a figure has left."""
    return line.locator(".table-life [data-n]")


def numbers(phone: Phone) -> dict[str, str]:
    """Return everybody's life as a phone shows it."""
    lines = phone.person.page.locator("[data-figure]")
    return {
        line.get_attribute("data-figure") or "": life(line).text_content() or ""
        for line in lines.all()
    }


@pytest.mark.long
def test_taps_count_once_when_requests_are_lost_or_doubled(invite: Invite) -> None:
    """Some taps never arrive, of some the answer is lost, some arrive twice: each counts once."""
    evening = sit_down(invite, SLUGS[0])
    alice, bob = evening.phones
    fates = Counter[str]()

    def troubled(route: Route, request: Request) -> None:
        fate = ("lost", "unanswered", "twice", "fine")[fates.total() % 4]
        fates[fate] += 1
        if fate == "lost":
            route.abort()
            return
        answer = route.fetch()
        if fate == "twice":
            answer = route.fetch()
        if fate == "unanswered":
            route.abort()
        else:
            route.fulfill(response=answer)

    with alice.person.expecting_trouble():
        address = reverse("campaigns:table-taps", args=[evening.table.pk])
        alice.person.context.route(f"**{address}", troubled)
        keys = evening.of(1)[:3]
        for _ in range(4):
            for key in keys:
                alice.tap(alice.figure(key).locator("button.table-life"))
            alice.person.page.wait_for_timeout(300)
        left = life(alice.figure(keys[-1])).text_content() or ""
        expect(life(bob.figure(keys[-1]))).to_have_text(left, timeout=SOON)
        expect(alice.person.page.locator(".table-wait")).to_be_hidden()
    log = storage.log_of(evening.table)
    assert [one.device_seq for one in log] == list(range(1, 13))
    starts = {one.key: one for one in people.start_of(evening.table).figures}
    track = evening.table.book.life or ""
    assert {key: evening.now.figures[key].tracks[track] for key in keys} == {
        key: starts[key].tracks[track] - 4 for key in keys
    }
    assert numbers(alice) == numbers(bob)
    assert set(fates) >= {"lost", "unanswered", "twice"}


@pytest.mark.long
def test_taps_wait_for_the_network_when_the_page_is_closed(
    invite: Invite, monkeypatch: pytest.MonkeyPatch
) -> None:
    evening = sit_down(invite, SLUGS[0])
    alice, bob = evening.phones
    mine = evening.of(1)
    page = alice.person.page
    # Nothing stores a request's effect that outlives its page, not even the missing network.
    with alice.person.expecting_trouble(), monkeypatch.context() as full:
        full.setattr(storage, "push", Mock(side_effect=OSError(errno.ENOSPC, "No space left")))
        alice.person.context.set_offline(True)
        for key in mine[:3]:
            alice.tap(alice.figure(key).locator("button.table-act"))
            expect(alice.figure(key).locator("[data-if=acted]")).to_be_visible(timeout=SOON)
        expect(page.locator(".table-wait")).to_contain_text("Taps not sent yet: 3")
        address = page.url
        page.close()
        bob.person.page.wait_for_timeout(PULLED)
        assert storage.log_of(evening.table) == []
        alice.person.context.set_offline(False)
        alice.person.page = alice.person.context.new_page()
    alice.person.open(address)
    for key in mine[:3]:
        expect(bob.figure(key)).to_have_class("table-figure has-acted is-fresh", timeout=SOON)
    assert [one.device_seq for one in storage.log_of(evening.table)] == [1, 2, 3]


@pytest.mark.long
@pytest.mark.firefox
def test_tap_shows_and_is_undone_immediately(invite: Invite) -> None:
    evening = sit_down(invite, SLUGS[0])
    alice, bob = evening.phones
    key = evening.of(1)[0]
    number = life(alice.figure(key))
    before = int(number.inner_text())
    button = alice.figure(key).locator("button.table-life")
    assert button.evaluate(PRESSED, number.element_handle()) == str(before - 1)
    expect(life(bob.figure(key))).to_have_text(str(before - 1), timeout=SOON)
    alice.tap(alice.person.page.get_by_role("button", name="Undo my last tap"))
    assert number.inner_text() == str(before)
    expect(life(bob.figure(key))).to_have_text(str(before), timeout=SOON)
    expect(bob.person.page.locator(".table-said")).not_to_be_empty()
    expect(alice.person.page.get_by_role("button", name="Undo my last tap")).to_be_disabled()


@pytest.mark.long
def test_taps_of_others_leave_the_reader_s_place_unchanged(invite: Invite) -> None:
    """An open figure stays open; the focus and the page stay where they are."""
    evening = sit_down(invite, SLUGS[0])
    alice, bob = evening.phones
    first, second = evening.of(1), evening.of(2)
    watcher = watch(invite, evening.table)
    line = alice.figure(first[1])
    alice.tap(line.locator("summary"))
    button = line.locator(".table-panel button").nth(1)
    button.focus()
    # A figure's buttons take less room until their font is there.
    alice.person.page.evaluate("document.fonts.ready.then(() => true)")
    place = button.bounding_box()
    bob.turn_to(1)
    with watcher.hears(), alice.hears():
        bob.tap(bob.figure(first[4]).locator("button.table-act"))
    for phone in (watcher, alice):
        seen = phone.figure(first[4])
        expect(seen).to_have_class("table-figure has-acted is-fresh", timeout=SOON)
        moving = seen.locator("summary")
        expect(moving).to_have_css("animation-name", "none")
        phone.person.page.emulate_media(reduced_motion="no-preference")
        expect(moving).to_have_css("animation-name", "table-fresh")
        phone.person.page.emulate_media(reduced_motion="reduce")
    for key in first[2:4]:
        bob.puts_out(key, by=second[0])
    expect(alice.figure(first[3])).to_have_class("table-figure is-out is-fresh", timeout=SOON)
    expect(line.locator("details")).to_have_attribute("open", "")
    expect(button).to_be_focused()
    there = button.bounding_box()
    assert place and there and abs(place["y"] - there["y"]) < 2
    # A spectator sees it as soon, and has nothing to press.
    assert watcher.person.page.locator("#table [name=taps]").count() == 0
    watcher.goes_on_pulling()


@pytest.mark.long
@pytest.mark.firefox
def test_invalid_tap_does_not_hold_up_the_others(invite: Invite) -> None:
    """It is set aside, with the reason in words; the taps behind it arrive."""
    evening = sit_down(invite, SLUGS[0])
    alice, bob = evening.phones
    keys, page = evening.of(1)[:3], alice.person.page
    before = numbers(alice)
    with alice.person.expecting_trouble():
        alice.person.context.set_offline(True)
        for place, key in enumerate(keys):
            alice.tap(alice.figure(key).locator("button.table-life"))
            if place == 1:
                page.evaluate(SPOILED)
        alice.person.context.set_offline(False)
    aside = page.get_by_role("alert")
    expect(aside).to_contain_text("That cannot be noted at a table.", timeout=SOON)
    expect(aside).to_contain_text(alice.figure(keys[1]).locator(".table-name").inner_text())
    after = before | {key: str(int(before[key]) - 1) for key in (keys[0], keys[2])}
    expect(life(bob.figure(keys[2]))).to_have_text(after[keys[2]], timeout=SOON)
    assert numbers(alice) == numbers(bob) == after
    assert [one.device_seq for one in storage.log_of(evening.table)] == [1, 3]
    page.reload()
    expect(aside).to_be_visible()
    alice.tap(aside.get_by_role("button", name="All right"))
    expect(page.locator(".table-aside")).to_be_hidden()
    expect(page.locator(".table-wait")).to_be_hidden()


@contextmanager
def odds_anew(page: Page) -> Iterator[None]:
    """Wait for the new odds that a choice made in this block fetches by itself."""
    # Without its scripts, the page fetches nothing.
    page.wait_for_load_state()
    page.locator(".odds-leads").evaluate("(leads) => (leads.id = 'before')")
    yield
    expect(page.locator("#before")).to_have_count(0)


@pytest.mark.long
def test_opponent_who_takes_the_place_appears_on_the_first_phone(invite: Invite) -> None:
    """Without a campaign: the friend follows the link, and the first page fetches itself again."""
    alice, bob = arrive(invite, "alice"), arrive(invite, "bob")
    hers, his = (
        make_gang(User.objects.get(username=name), DUELS, place)
        for place, name in enumerate(("alice", "bob"))
    )
    alice.open(reverse("campaigns:gang-play", args=[hers.pk]))
    alice.press("Play")
    expect(alice.page.locator("#table.is-live")).to_be_visible()
    expect(alice.page.locator("#table-place img")).to_be_visible()
    alice.look("table-place")
    bob.page.goto(alice.page.locator("#table-link").inner_text())
    bob.press("Take the place")
    for phone in (alice, bob):
        expect(phone.page.locator("[data-side]")).to_have_count(2, timeout=SOON)
        expect(phone.page.locator(".table-tabs")).to_contain_text(his.name)


def test_attacks_that_arrive_move_no_button_below_them(invite: Invite) -> None:
    """A finger may be on its way to who took the figure out."""
    # In this game they take several rows of buttons.
    evening = sit_down(invite, SLUGS[1])
    alice, page = evening.alice, evening.alice.person.page
    asked: list[Route] = []
    page.route("**/*part=attacks*", lambda route: asked.append(route))
    line = alice.figure(evening.of(1)[0])
    with page.expect_request("**/*part=attacks*"):
        alice.tap(line.locator("summary"))
    hand = line.locator(".table-panel section button").first
    hand.scroll_into_view_if_needed()
    page.evaluate("document.fonts.ready.then(() => true)")
    expect(hand).to_be_in_viewport()
    place, low = hand.bounding_box(), page.evaluate("scrollY")
    asked[0].continue_()
    expect(line.locator("[data-attacks] a").first).to_be_visible()
    there = hand.bounding_box()
    assert place and there and abs(place["y"] - there["y"]) < 2
    assert page.evaluate("scrollY") > low, "the attacks take no room"


def test_attack_takes_three_taps_from_the_table(invite: Invite) -> None:
    """Open the figure, choose the attack, roll."""
    evening = sit_down(invite, DUELS)
    alice = evening.alice
    by = evening.of(1)[0]
    alice.tap(alice.figure(by).locator("summary"))
    alice.tap(alice.figure(by).locator(f"[data-attacks] a[href*='/acts/{DUEL}/']"))
    alice.tap(alice.person.page.get_by_role("button", name="Roll for me"))
    expect(alice.person.page).to_have_url(re.compile("/dice/"))
    assert alice.taps == 3
    [rolled] = [one.tap for one in storage.log_of(evening.table) if isinstance(one.tap, Rolled)]
    assert rolled.thrown and rolled.by == by


@pytest.mark.long
def test_next_step_goes_through_the_phases_to_the_end_of_the_turn(invite: Invite) -> None:
    """One button says what comes next, without a network as well."""
    evening = sit_down(invite, DUELS)
    alice, page = evening.alice, evening.alice.person.page
    steps = page.locator(".table-steps button.btn-primary:visible")
    words = [row.name["en"] for row in evening.table.book.phases] + ["End turn 1"]
    due = page.locator(".table-steps a.btn-primary:visible")
    for place, said in enumerate(words):
        expect(steps).to_have_text([re.compile(rf"^\s*{said}\s*$")])
        alice.tap(steps)
        if not place:
            expect(due).to_contain_text("Initiative", timeout=SOON)
            storage.push(evening.table, None, [pushed(Dealt(alarm="initiative", who=1))])
            expect(due).to_have_count(0, timeout=SOON)
    expect(steps).to_have_text([re.compile(rf"^\s*{words[0]}\s*$")])
    expect(page.locator(".table-now [data-turn]")).to_have_text("2")


@pytest.mark.long
def test_one_press_ends_the_turn_when_nothing_is_due_at_its_end(invite: Invite) -> None:
    evening = sit_down(invite, "cran")
    alice, page = evening.alice, evening.alice.person.page
    steps = page.locator(".table-steps button.btn-primary:visible")
    for row in evening.table.book.phases[:-1]:
        expect(steps).to_have_text([re.compile(rf"^\s*{row.name['en']}\s*$")])
        alice.tap(steps)
    expect(steps).to_have_text([re.compile(r"^\s*End turn 1\s*$")])
    alice.tap(steps)
    expect(page.locator(".table-now [data-turn]")).to_have_text("2")
    expect(steps).to_have_text([re.compile(rf"^\s*{evening.table.book.phases[0].name['en']}\s*$")])


@pytest.mark.long
@pytest.mark.firefox
def test_attempt_is_rolled_typed_or_recorded_as_a_result(invite: Invite) -> None:
    """From a figure's page: the target, the situation, and the result."""
    evening = sit_down(invite, DUELS)
    alice, page = evening.alice.person, evening.alice.person.page
    page.bring_to_front()
    # Each pair is separate: chance dice may put a figure out of action, which then has nothing to
    # roll.
    pairs = list(zip(evening.of(1)[:3], evening.of(2)[:3], strict=True))
    evening.alice.tap(evening.alice.figure(pairs[0][0]).locator("summary"))
    alice.follow("Actions", within=evening.alice.figure(pairs[0][0]), exact=False)
    for (by, target), how in zip(pairs, ("throw", "tell", "say"), strict=True):
        figure = reverse("campaigns:table-figure", args=[evening.table.pk, by])
        if how == "throw":
            expect(page).to_have_url(re.compile(f"{figure}$"))
        alice.open(figure)
        page.locator(f"a[href*='/acts/{DUEL}/']").first.click()
        with odds_anew(page):
            page.get_by_label("Target", exact=True).select_option(target)
        with odds_anew(page):
            page.get_by_label("From behind").check()
        if how == "throw":
            alice.look("attempt")
            alice.press("Roll for me", exact=False)
        elif how == "tell":
            alice.press("Type the dice")
            boxes = page.locator("input[name=dice]")
            expect(boxes.first).to_be_focused()
            while number := boxes.count():
                # A complete face moves on to the next box.
                page.keyboard.type("1" * number)
                with page.expect_navigation():
                    page.keyboard.press("Enter")
        else:
            page.locator(".attempt-outcome").first.click()
            with page.expect_navigation():
                alice.press("Record it")
        expect(page).to_have_url(re.compile("/dice/"))
        if how == "throw":
            alice.look("attempt-dice")
    rolled = [one.tap for one in storage.log_of(evening.table) if isinstance(one.tap, Rolled)]
    assert [((tap.by, tap.at), tap.thrown, bool(tap.faces)) for tap in rolled] == [
        (pairs[0], True, True),
        (pairs[1], False, True),
        (pairs[2], False, False),
    ]
    assert {tap.facts["from_behind"] for tap in rolled} == {1}


@pytest.mark.long
@pytest.mark.firefox
def test_table_works_with_the_keyboard_only(invite: Invite) -> None:
    evening = sit_down(invite, SLUGS[0])
    alice, _bob = evening.phones
    page = alice.person.page
    page.bring_to_front()
    key = evening.of(1)[0]
    alice.figure(key).locator("summary").focus()
    page.keyboard.press("Enter")
    expect(alice.figure(key).locator("details")).to_have_attribute("open", "")
    page.keyboard.press("Enter")
    acted = alice.figure(key).locator("button.table-act")
    while not acted.evaluate("(button) => button === document.activeElement"):
        page.keyboard.press("Tab")
        assert alice.person.focus_is_seen()
    page.keyboard.press("Space")
    expect(alice.figure(key).locator("[data-if=acted]")).to_be_visible()
    assert alice.person.focus_settles_in(f"[data-figure='{key}']")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert alice.person.focus_settles_in(f"[data-figure='{key}']")


def test_forms_know_what_a_phone_that_only_watches_has_seen(invite: Invite) -> None:
    """The page's forms send the number of the last tap and the turn, as the phone shows them."""
    evening = sit_down(invite, SLUGS[0])
    evening.alice.end_turn()
    page = evening.bob.person.page
    expect(page.locator("[data-turn]").first).to_have_text("2", timeout=SOON)
    last = str(storage.log_of(evening.table)[-1].seq)
    for name, value in (("after", last), ("turn", "2")):
        fields = page.locator(f"main [name={name}]")
        expect(fields.first).to_have_value(value)
        assert {field.input_value() for field in fields.all()} == {value}
        assert fields.count() > 1
