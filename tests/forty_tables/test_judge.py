"""The judge of ``script/prove-table --kill``: it finds every kind of mistake."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any
from uuid import UUID

import pytest
from django.test import Client

from campaigns.models import Table, TableEntry
from tests.forty_tables import club, judge
from tests.forty_tables.connection import Connection, Counts
from tests.forty_tables.phone import Habits, Phone
from tests.forty_tables.served import Seated

pytestmark = pytest.mark.django_db


class Direct(Connection):
    """A connection that asks the site in this process."""

    def __init__(self, session: str, counts: Counts) -> None:
        super().__init__(0, session, counts)
        self.client = Client()
        self.client.cookies["sessionid"] = session

    def ask(self, path: str, body: str | None = None, token: str = "") -> tuple[int, bytes]:
        """See Connection."""
        kind: dict[str, Any] = {"content_type": "application/json"}
        answer = self.client.get(path) if body is None else self.client.post(path, body, **kind)
        return answer.status_code, answer.content


@pytest.fixture
def seated() -> Seated:
    """Return a table at which two phones tapped ten acts each, all of which arrived."""
    seats = club.seats(0)
    counts = Counts()
    phones = [
        Phone(
            seats.table.get_absolute_url(),
            Direct(session, counts),
            Random(place),
            Habits(pause=1, most=3),
            plays=place < 2,
        )
        for place, session in enumerate((*seats.players, seats.watcher))
    ]
    found = Seated(seats.table, phones[:2], phones[2:])
    for phone in phones:
        phone.sit_down()
    for _act in range(10):
        for phone in found.phones:
            phone.tap()
            phone.sync()
    for phone in phones:
        phone.sync()
    assert counts.faults == []
    return found


def kinds(wrong: Iterable[judge.Wrong]) -> set[str]:
    """Return the kinds of mistakes."""
    return {kind for kind, _words in wrong}


@pytest.mark.long
def test_judge_finds_nothing_when_all_taps_arrived(seated: Seated) -> None:
    assert TableEntry.objects.filter(table=seated.table).count() >= 20
    assert list(judge.wrong(seated)) == []


@pytest.mark.long
def test_judge_finds_a_lost_tap(seated: Seated) -> None:
    TableEntry.objects.filter(table=seated.table, seq=5).delete()
    assert "lost" in kinds(judge.wrong(seated))


@pytest.mark.long
def test_judge_finds_a_tap_that_never_left_its_phone(seated: Seated) -> None:
    seated.phones[0].tap()
    assert kinds(judge.wrong(seated)) == {"lost"}


@pytest.mark.long
def test_judge_finds_a_doubled_tap(seated: Seated) -> None:
    """The same tap under another phone's name: the database refuses a number of one phone twice."""
    row = TableEntry.objects.filter(table=seated.table).latest("seq")
    row.pk, row.seq, row.device = None, row.seq + 1, UUID(int=3)
    row.save()
    Table.objects.filter(pk=seated.table.pk).update(seq=row.seq)
    assert "of nobody" in kinds(judge.wrong(seated))


@pytest.mark.long
def test_judge_finds_a_changed_tap(seated: Seated) -> None:
    row = TableEntry.objects.filter(table=seated.table).latest("seq")
    TableEntry.objects.filter(pk=row.pk).update(kind="said", data={"text": "Something else"})
    assert "changed" in kinds(judge.wrong(seated))


@pytest.mark.long
def test_judge_finds_a_screen_that_shows_another_table(seated: Seated) -> None:
    seated.watchers[0].state["turn"] += 1
    assert kinds(judge.wrong(seated)) == {"different screens"}


@pytest.mark.long
def test_judge_does_not_expect_refused_taps(seated: Seated) -> None:
    phone = seated.phones[0]
    phone.tap()
    phone.refused = {f"{row['device']} {row['n']}": "Full." for row in phone.outbox}
    phone.outbox.clear()
    assert list(judge.wrong(seated)) == []
