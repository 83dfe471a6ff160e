"""A table's log is read once between two taps, and never older than the table."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import User
from campaigns.models import Campaign, Table
from campaigns.table import folded as module
from campaigns.table import storage, taps
from campaigns.table.folded import folded
from gangs.models import Gang
from tests.campaigns.table.test_storage import opened, pushed


@pytest.fixture
def table(campaign: Campaign, alice: User, hers: Gang, theirs: Gang) -> Table:
    return opened(campaign, alice, hers, theirs)


def now(table: Table) -> Table:
    return Table.objects.get(pk=table.pk)


def test_it_is_read_once_between_two_taps(
    table: Table, alice: User, django_assert_num_queries: Any
) -> None:
    storage.push(table, alice, [pushed(taps.Said(text="Charge!"))])
    before, read = now(table), folded(now(table))
    assert [one.seq for one in read.log] == [1]
    with django_assert_num_queries(0):
        assert folded(before) is read
    storage.push(table, alice, [pushed(taps.TurnEnded())])
    after = folded(now(table))
    assert ([one.seq for one in after.log], after.now.turn) == ([1, 2], 2)


def test_a_log_longer_than_evenings_is_not_kept(
    table: Table, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LONGEST", 0)
    storage.push(table, alice, [pushed(taps.TurnEnded())])
    assert folded(now(table)) == folded(now(table))
    assert folded(now(table)) is not folded(now(table))
    assert table.pk not in module._kept.kept
