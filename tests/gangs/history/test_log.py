"""A gang's history in sentences: struck entries keep their names."""

from __future__ import annotations

import pytest

from accounts.models import User
from gangs.engine import entries as kinds
from gangs.engine.entries import Entry
from gangs.history.log import sentences_of
from gangs.ledger import writer
from gangs.ledger.revision import Insertion
from gangs.models import Gang
from tests.world.gangs import make_gang

pytestmark = pytest.mark.django_db


@pytest.fixture
def gang(alice: User) -> Gang:
    """Bill and a henchman without a name, each with a knife; then Bill gives one away."""
    gang = make_gang(alice, sample=None)
    brought: list[Entry] = [
        kinds.Recruited(rank="henchman", name="Bill"),
        kinds.Recruited(rank="henchman"),
        kinds.Bought(item="knife", member=2),
        kinds.Bought(item="knife", member=3),
        kinds.Moved(item=4, member=3),
    ]
    writer.append(gang, brought, expected_version=gang.version, actor=alice)
    return gang


def test_struck_entries_still_name_a_struck_member(gang: Gang) -> None:
    before = sentences_of(gang, range(1, gang.last_seq + 1))
    writer.revise(
        gang, strike={2, 3, 4, 5, 6}, insert=(), expected_version=gang.version, actor=gang.owner
    )
    after = sentences_of(gang, range(1, gang.last_seq + 1))
    assert after == before
    assert after[4].startswith("Bill ")


def test_struck_entry_still_names_an_item_that_is_lost(gang: Gang) -> None:
    before = sentences_of(gang, range(1, gang.last_seq + 1))
    lost = Insertion(place=5, entry=kinds.ItemLost(member=2, item=4))
    writer.revise(gang, strike={6}, insert=[lost], expected_version=gang.version, actor=gang.owner)
    after = sentences_of(gang, range(1, gang.last_seq + 1))
    assert after[6] == before[6]
