"""A table's log is read once between two taps, and never older than the table."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import User
from campaigns.models import Campaign, Table
from campaigns.table import folded as module
from campaigns.table import storage, taps
from campaigns.table.fold import fold
from campaigns.table.folded import fold_table
from gangs.models import Gang
from tests.campaigns.table.test_storage import opened, pushed
from tests.world.gangs import make_gang


@pytest.fixture
def table(campaign: Campaign, alice: User, hers: Gang, theirs: Gang) -> Table:
    return opened(campaign, alice, hers, theirs)


def now(table: Table) -> Table:
    return Table.objects.get(pk=table.pk)


def test_log_is_read_once_between_two_taps(
    table: Table, alice: User, django_assert_num_queries: Any
) -> None:
    storage.push(table, alice, [pushed(taps.Note(text="Charge!"))])
    before, read = now(table), fold_table(now(table))
    assert [one.seq for one in read.log] == [1]
    with django_assert_num_queries(0):
        assert fold_table(before) is read
    storage.push(table, alice, [pushed(taps.TurnEnded())])
    after = fold_table(now(table))
    assert ([one.seq for one in after.log], after.now.turn) == ([1, 2], 2)


def test_next_tap_continues_the_known_fold(
    table: Table, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage.push(table, alice, [pushed(taps.Note(text=f"{n}")) for n in range(3)])
    first = fold_table(now(table))
    read: list[int] = []
    log_of = storage.log_of

    def noted(table: Table, since: int = 0) -> list[taps.Logged]:
        read.append(since)
        return log_of(table, since)

    monkeypatch.setattr(storage, "log_of", noted)
    storage.push(table, alice, [pushed(taps.TurnEnded())])
    second = fold_table(now(table))
    # The query includes the last known tap, to check that it is still the same.
    assert read == [2]
    assert second.log[:3] == first.log
    assert second.now == fold(second.start, log_of(table))


def test_log_restored_from_a_backup_is_read_again(table: Table, alice: User) -> None:
    """The restored log has other taps under the known numbers."""
    storage.push(table, alice, [pushed(taps.TurnEnded()), pushed(taps.Note(text="before"))])
    assert fold_table(now(table)).now.turn == 2
    table.entries.all().delete()
    Table.objects.filter(pk=table.pk).update(seq=0)
    storage.push(table, alice, [pushed(taps.Note(text=f"{n}")) for n in range(3)])
    found = fold_table(now(table))
    assert [one.seq for one in found.log] == [1, 2, 3]
    assert found.now.turn == 1


def test_number_of_kept_taps_is_limited(
    table: Table, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The taps of the most recently used tables are kept."""
    monkeypatch.setattr(module, "MOST_KEPT", 3)
    module._kept.kept.clear()
    other = storage.open_alone([make_gang(bob)], owner=bob, guest=None, token="one")
    for each in (table, other):
        storage.push(each, alice, [pushed(taps.TurnEnded()) for _tap in range(2)])
        fold_table(now(each))
    assert [*module._kept.kept] == [other.pk]
    storage.push(other, alice, [pushed(taps.TurnEnded()) for _tap in range(2)])
    assert fold_table(now(other)).now.turn == 2
    assert [*module._kept.kept] == [other.pk]


def test_taps_that_say_the_same_take_the_memory_of_one(table: Table, alice: User) -> None:
    rows = [pushed(taps.Note(text="Charge!")), pushed(taps.Note(text="Charge!"))]
    storage.push(table, alice, rows)
    first, second = storage.log_of(table)
    assert first.tap is second.tap
    assert first.key != second.key


def test_the_logs_of_forty_long_tables_are_kept_together() -> None:
    assert module.MOST_TABLES >= 40
    assert module.MOST_KEPT >= 40 * 1_200
