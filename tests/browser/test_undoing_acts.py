"""The arrow undoes a whole act, also one that the server wrote, immediately or as pending."""

from __future__ import annotations

import uuid

import pytest
from playwright.sync_api import expect

from accounts.models import User
from campaigns.models import Table
from campaigns.table import storage, taps
from campaigns.table.access import device_of_forms
from tests.browser.conftest import Invite
from tests.browser.test_table import SOON, Evening, life, sit_down
from tests.world.gangs import SLUGS

pytestmark = pytest.mark.browser


def attempt(evening: Evening, target: str) -> None:
    """Write an attempt of alice into the log, as its form does: it has effects of many kinds."""
    table, alice = Table.objects.get(pk=evening.table.pk), User.objects.get(username="alice")
    by = evening.of(1)[0]
    book = table.book
    effects: list[taps.AnyTap] = [
        taps.Rolled(roll=book.rolls[0].key, by=by, at=target, outcome=None),
        taps.SetTo(figure=target, track=str(book.life), to=1),
        taps.Counted(figure=target, track=str(book.life), by=-1),
        taps.LostWeapon(figure=by, item="nothing"),
        taps.Out(figure=target, by=by),
        taps.Acted(figure=by),
    ]
    desk = device_of_forms(table.pk, f"user {alice.pk}")
    storage.say(table, alice, desk, effects, act=uuid.uuid4(), after=table.seq, turn=1)


@pytest.mark.long
def test_arrow_undoes_an_attempt_that_the_server_wrote(invite: Invite) -> None:
    """All of it shows as undone immediately; without a network after a reload, as pending."""
    evening = sit_down(invite, SLUGS[0])
    alice, bob = evening.phones
    target, page = evening.of(2)[0], alice.person.page
    arrow = page.get_by_role("button", name="Undo my last tap")
    bob.turn_to(2)
    before = life(bob.figure(target)).inner_text()
    expect(arrow).to_be_disabled()
    for is_reloaded in (False, True):
        attempt(evening, target)
        for phone in evening.phones:
            phone.turn_to(2)
            expect(phone.figure(target)).to_have_class("table-figure is-out is-fresh", timeout=SOON)
        expect(page.locator("#table-story li").first).to_contain_text("out of action")
        if is_reloaded:
            page.reload()
            alice.turn_to(2)
        with alice.person.expecting_trouble():
            alice.person.context.set_offline(True)
            alice.tap(arrow)
            expect(arrow).to_be_disabled()
            if is_reloaded:
                expect(page.get_by_text("is being undone")).to_be_visible()
            else:
                expect(life(alice.figure(target))).to_have_text(before)
            alice.person.context.set_offline(False)
            page.evaluate("dispatchEvent(new Event('online'))")
        for phone in evening.phones:
            expect(life(phone.figure(target))).to_have_text(before, timeout=SOON)
            expect(phone.figure(target).locator("[data-out]")).to_be_hidden()
        expect(page.locator("#table-story del").first).to_be_visible()
    # The other player restores it with one press.
    bob.tap(bob.person.page.get_by_role("button", name="Restore it").first)
    for phone in evening.phones:
        expect(phone.figure(target).locator("[data-out]")).to_be_visible(timeout=SOON)


@pytest.mark.long
def test_arrow_undoes_what_followed_from_an_act(invite: Invite) -> None:
    """The other player's roll followed from an attempt of alice."""
    evening = sit_down(invite, SLUGS[0])
    table = Table.objects.get(pk=evening.table.pk)
    by, page = evening.of(1)[0], evening.alice.person.page
    victims, acts = evening.of(2)[:2], [uuid.uuid4(), uuid.uuid4()]
    roll = table.book.rolls[0].key
    cause = taps.Dealt(roll=roll, who=by, act=acts[0], stays=True)
    for name, act, victim, more in zip(("alice", "bob"), acts, victims, ([], [cause]), strict=True):
        user = User.objects.get(username=name)
        told: list[taps.AnyTap] = [taps.Rolled(roll=roll, by=by, at=victim), *more]
        told.append(taps.Out(figure=victim, by=by))
        desk = device_of_forms(table.pk, f"user {user.pk}")
        storage.say(table, user, desk, told, act=act, after=table.seq, turn=1)
    evening.alice.turn_to(2)
    for victim in victims:
        expect(evening.alice.figure(victim)).to_have_class(
            "table-figure is-out is-fresh", timeout=SOON
        )
    evening.alice.tap(page.get_by_role("button", name="Undo my last tap"))
    for victim in victims:
        expect(evening.alice.figure(victim).locator("[data-out]")).to_be_hidden(timeout=SOON)
    restore = evening.bob.person.page.get_by_role("button", name="Restore it")
    expect(restore).to_have_count(2, timeout=SOON)
    evening.bob.tap(restore.last)
    for victim in victims:
        expect(evening.alice.figure(victim).locator("[data-out]")).to_be_visible(timeout=SOON)
