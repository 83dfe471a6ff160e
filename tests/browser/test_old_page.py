"""A short evening on two phones: one only watches and answers from an old page, one undoes, enters
a result and comes back from offline; both tell it in the true order.

``tests/campaigns/table/form_nights.py`` plays long evenings of this kind without a browser.
"""

from __future__ import annotations

from uuid import UUID

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from accounts.models import User
from campaigns.table import storage
from campaigns.table.taps import Out, TurnEnded
from tests.browser.conftest import Invite
from tests.browser.test_table import SOON, Evening, Phone, sit_down
from tests.campaigns.table.attempts.test_answers import shoot
from tests.campaigns.table.form_table import tell_turns
from tests.world.gangs import POINTS

pytestmark = pytest.mark.browser

# A page of an older release, whose hidden fields stay as they were when it was opened.
KEEPS_ITS_FIELDS = """() => {
    for (const field of document.querySelectorAll("[name=after], [name=turn]"))
        Object.defineProperty(field, "value", { set() {} });
}"""


def acts(evening: Evening) -> list[UUID]:
    """Return the acts of the table in the order of their arrival."""
    return list(dict.fromkeys(one.act for one in storage.log_of(evening.table)))


def wait_for(phone: Phone, turn: int) -> None:
    """Wait until a phone shows this turn."""
    expect(phone.person.page.locator("[data-turn]").first).to_have_text(str(turn), timeout=SOON)


def test_old_page_undo_entered_result_and_offline_taps_keep_their_order(invite: Invite) -> None:
    evening = sit_down(invite, POINTS)
    alice, bob = evening.phones
    bob.person.page.evaluate(KEEPS_ITS_FIELDS)
    for turn in (2, 3):
        alice.end_turn()
        wait_for(bob, turn)
    ends = acts(evening)
    # Bob answers, on the page of turn 1, about dice that fall in turn 3.
    shoot(evening.table, User.objects.get(username="alice"), turn=3)
    [shot] = acts(evening)[2:]
    stand = bob.person.page.locator("#table-asks button[name=stand]")
    expect(stand).to_be_visible(timeout=SOON)
    with bob.person.page.expect_navigation():
        bob.tap(stand)
    # Alice enters that a figure is out; Bob undoes it.
    victim, page = evening.of(2)[1], alice.person.page
    query = f"?by={evening.of(1)[0]}&at={victim}"
    alice.person.open(reverse("campaigns:table-attempt", args=[evening.table.pk, "shot"]) + query)
    page.locator("#attempt [name=outcome][value=out]").check(force=True)
    with page.expect_navigation():
        page.locator("#attempt button[value=say]").click()
    entered = acts(evening)[-1]
    bob.person.open(evening.table.get_absolute_url())
    alice.person.open(evening.table.get_absolute_url())
    line = f"#table-story li[data-act='{entered}']"
    bob.tap(bob.person.page.locator(f"{line} button"))
    expect(page.locator(f"{line} del")).to_be_visible(timeout=SOON)
    # Alice taps without a network, while Bob ends the turn.
    alice.turn_to(1)
    before = len(acts(evening))
    with alice.person.expecting_trouble():
        alice.person.context.set_offline(True)
        for key in evening.of(1)[:2]:
            alice.tap(alice.figure(key).locator("button.table-act"))
        bob.end_turn()
        wait_for(bob, 4)
        alice.person.context.set_offline(False)
        page.evaluate("dispatchEvent(new Event('online'))")
    wait_for(alice, 4)
    for phone in evening.phones:
        expect(phone.person.page.locator(".table-late")).to_have_count(1, timeout=SOON)
    ended, *late = acts(evening)[before:]
    told = [(1, ends[0]), (2, ends[1])]
    told += [(3, act) for act in (shot, entered, *late, ended)]
    for phone in evening.phones:
        phone.person.open(reverse("campaigns:table-story", args=[evening.table.pk]))
        assert tell_turns(phone.person.page.content()) == told
    now = evening.now
    assert now.figures[victim].out is None and [late.number for late in now.late] == [2]
    assert not (now.doubles or now.contested)
    log = storage.log_of(evening.table)
    assert {one.turn for one in log if one.act == shot} == {3}
    assert {one.turn for one in log if isinstance(one.tap, Out) and one.act == shot} <= {3}
    assert sum(isinstance(one.tap, TurnEnded) for one in log) == 3
