"""Simultaneous pushes of phones, and players who open the table at the same moment.

Each runs in a thread with its own connection: nothing is lost or doubled, the log has no gap, and
nobody sees a server error.
"""

from __future__ import annotations

import json
import uuid
from functools import partial

import pytest
from django.urls import reverse

from accounts.models import User
from campaigns.models import Table, TableThrow
from campaigns.table import storage, taps
from tests.campaigns.racing import Evening, Press, both, race
from tests.campaigns.table.attempts.test_views import fields
from tests.campaigns.table.test_storage import opened, pushed
from tests.world.campaigns import make_game

pytestmark = pytest.mark.django_db(transaction=True)
TAPS = 30
# A roll that changes nothing at the table.
ROLL = "initiative_of_many"


@pytest.fixture
def evening() -> Evening:
    """Two gangs of one campaign."""
    return Evening()


@pytest.fixture
def table(evening: Evening) -> Table:
    """Their table."""
    return opened(evening.campaign, evening.alice, evening.hers, evening.theirs)


def notes_of(phone: uuid.UUID) -> list[storage.Pushed]:
    """A phone's taps, in their order."""
    return [pushed(taps.Note(text=f"{n}"), phone, n) for n in range(1, TAPS + 1)]


def make_push(evening: Evening, user: User, table: Table, rows: list[storage.Pushed]) -> Press:
    """A function that pushes taps through the pages."""
    client, address = evening.browser(user), reverse("campaigns:table-taps", args=[table.pk])
    body = json.dumps([row.model_dump(mode="json") for row in rows])
    return lambda: client.post(address, body, content_type="application/json")


def check(table: Table, *phones: uuid.UUID) -> None:
    """Assert that each tap is in the log once, in its phone's order."""
    log = storage.log_of(table)
    assert [one.seq for one in log] == [*range(1, len(phones) * TAPS + 1)]
    for phone in phones:
        assert [one.device_seq for one in log if one.device == phone] == [*range(1, TAPS + 1)]
    table.refresh_from_db()
    assert table.seq == len(log)


@pytest.mark.long
def test_simultaneous_pushes_lose_and_double_nothing(evening: Evening, table: Table) -> None:
    phones = [uuid.uuid4() for _phone in range(2)]
    sent = {phone: notes_of(phone) for phone in phones}

    def tapping(phone: uuid.UUID, actor: User) -> None:
        # Every tap is sent twice, together with the tap before it.
        for first in range(TAPS):
            storage.push(table, actor, sent[phone][max(0, first - 1) : first + 1])

    both(
        lambda: tapping(phones[0], evening.alice),
        lambda: tapping(phones[1], evening.dora),
        lambda: tapping(phones[0], evening.alice),
    )
    check(table, *phones)


def test_simultaneous_repeats_of_a_push_are_stored_once(evening: Evening, table: Table) -> None:
    phones = [uuid.uuid4() for _phone in range(2)]
    acts = [
        make_push(evening, user, table, notes_of(phone))
        for phone, user in zip(phones, (evening.alice, evening.dora), strict=True)
        for _time in range(3)
    ]
    assert [status for status, _page in race(*acts)] == [200] * len(acts)
    check(table, *phones)


def test_simultaneous_presses_of_a_button_are_stored_once(evening: Evening, table: Table) -> None:
    tap = taps.Note(text="Charge!")
    data = {"token": uuid.uuid4(), "after": 0, "turn": 1, "taps": f"[{tap.model_dump_json()}]"}
    address = reverse("campaigns:table-taps", args=[table.pk])
    windows = [evening.browser(evening.alice) for _window in range(3)]
    answers = race(*(partial(window.post, address, data) for window in windows))
    assert [status for status, _page in answers] == [302] * 3
    assert [one.tap for one in storage.log_of(table)] == [tap]


def test_reader_sees_no_gap_during_pushes(evening: Evening, table: Table) -> None:
    phone, seen = uuid.uuid4(), list[list[int]]()

    def reading() -> None:
        while len(seen) < TAPS and (not seen or len(seen[-1]) < TAPS):
            seen.append([one.seq for one in storage.log_of(table)])

    def telling() -> None:
        for row in notes_of(phone):
            storage.push(table, evening.alice, [row])

    both(telling, reading)
    assert all(numbers == [*range(1, len(numbers) + 1)] for numbers in seen)
    check(table, phone)


def test_table_opens_once_when_everybody_opens_it_together(evening: Evening) -> None:
    game = make_game(evening.campaign, evening.alice, evening.hers, evening.theirs)
    people = (evening.alice, evening.dora, evening.bob)
    answers = race(*(evening.post(user, "game-play", game.pk) for user in people))
    assert [status for status, _page in answers] == [302] * len(people)
    assert Table.objects.get().sides.count() == 2


@pytest.mark.long
def test_simultaneous_throws_are_drawn_one_after_the_other(evening: Evening, table: Table) -> None:
    """Each throw has its own number, and its faces are in the log."""
    address = reverse("campaigns:table-attempt", args=[table.pk, ROLL])
    presses: list[Press] = []
    for user in (evening.alice, evening.dora):
        client = evening.browser(user)
        page = client.get(address, {"by": 1}).content.decode()
        for _form in range(2):
            sent = fields(page) | {"by": 1, "how": "throw", "token": str(uuid.uuid4())}
            # The same form twice: a double click.
            presses += [partial(client.post, address, sent)] * 2
    assert [status for status, _page in race(*presses)] == [302] * 8
    throws = TableThrow.objects.order_by("number")
    assert [(one.seed, one.number) for one in throws] == [(1, 1), (1, 2), (1, 3), (1, 4)]
    rolled = {one.act: one.tap for one in storage.log_of(table) if isinstance(one.tap, taps.Rolled)}
    assert {one.act: [face for _sides, face in one.dice] for one in throws} == {
        act: [face for faces in tap.faces for face in faces] for act, tap in rolled.items()
    }
