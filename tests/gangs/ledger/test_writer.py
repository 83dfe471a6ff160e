"""The ledger: a single writer, a version per change, no doubled and no partial changes."""

from __future__ import annotations

import threading
import uuid
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from accounts.models import User
from common import errors
from common.errors import Refusal
from gangs.engine import actions
from gangs.engine import entries as kinds
from gangs.engine.entries import Entry
from gangs.engine.errors import Misfit
from gangs.ledger import writer
from gangs.models import Gang, StoredEntry
from tests.world.gangs import make_gang, scene_of


def recruit(gang: Gang, name: str = "Bill", token: str | None = None) -> bool:
    entries = actions.recruit(scene_of(gang), "henchman", name)
    return writer.append(gang, entries, expected_version=gang.version, actor=None, token=token)


def state(gang: Gang) -> tuple[str, int, int, str]:
    gang.refresh_from_db()
    return gang.snapshot, gang.rating, gang.size, gang.name


def test_append_updates_version_snapshot_and_lists(alice: User) -> None:
    gang = make_gang(alice, sample=None)
    assert recruit(gang)
    gang.refresh_from_db()
    assert (gang.version, gang.last_seq, gang.size, gang.rating) == (2, 2, 1, 50)
    assert gang.roster == writer.replay_roster(gang)


def test_append_refuses_an_old_version(alice: User) -> None:
    gang = make_gang(alice, sample=None)
    other = Gang.objects.get(pk=gang.pk)
    recruit(gang)
    before = state(gang)
    with pytest.raises(errors.Stale):
        recruit(other)
    assert state(gang) == before
    assert gang.entries.count() == 2


def test_same_form_is_written_once(alice: User) -> None:
    gang = make_gang(alice, sample=None)
    again = Gang.objects.get(pk=gang.pk)
    assert recruit(gang, token="form")
    assert not recruit(again, token="form")
    assert gang.entries.count() == 2


def test_append_writes_nothing_when_an_entry_does_not_fit(alice: User) -> None:
    gang = make_gang(alice, sample=None)
    before = state(gang)
    entries: list[Entry] = [kinds.Recruited(rank="henchman"), kinds.Dismissed(member=77)]
    with pytest.raises(Misfit):
        writer.append(gang, entries, expected_version=gang.version, actor=alice)
    assert state(gang) == before
    assert Gang.objects.get(pk=gang.pk).version == 1


def test_strike_then_restore_changes_nothing(alice: User) -> None:
    gang = make_gang(alice)
    before = state(gang)
    batches = list(gang.entries.values_list("batch", flat=True).distinct())
    recruit(gang)
    recruited = state(gang)
    last = gang.entries.order_by("-seq").values_list("batch", flat=True)[0]
    assert last not in batches
    act = writer.strike(gang, last, expected_version=gang.version, actor=alice)
    assert state(gang) == before
    writer.revise(gang, undoes=act, expected_version=gang.version)
    assert state(gang) == recruited
    assert gang.roster == writer.replay_roster(gang)


def test_strike_lists_misfits_and_strikes_them_too(alice: User) -> None:
    gang = make_gang(alice, sample=None)
    recruit(gang)
    batch = gang.entries.get(seq=2).batch
    gang.refresh_from_db()
    writer.append(
        gang, actions.buy(scene_of(gang), 2, "knife"), expected_version=gang.version, actor=alice
    )
    before = state(gang)
    with pytest.raises(writer.Leftovers) as caught:
        writer.strike(gang, batch, expected_version=gang.version, actor=alice)
    assert [(entry.seq, misfit.code) for entry, misfit in caught.value.misfits] == [
        (3, "no_member")
    ]
    assert state(gang) == before
    act = writer.strike(gang, batch, expected_version=gang.version, actor=alice, with_misfits=True)
    assert gang.roster.members == ()
    writer.revise(gang, undoes=act, expected_version=gang.version)
    assert state(gang) == before


def test_entry_numbers_are_never_reused(alice: User) -> None:
    gang = make_gang(alice, sample=None)
    recruit(gang)
    act = writer.strike(
        gang, gang.entries.get(seq=2).batch, expected_version=gang.version, actor=alice
    )
    recruit(gang, "Ann")
    assert [member.id for member in gang.roster.members] == [3]
    writer.revise(gang, undoes=act, expected_version=gang.version)
    assert [member.id for member in gang.roster.members] == [2, 3]


def test_founding_cannot_be_struck(alice: User) -> None:
    gang = make_gang(alice)
    with pytest.raises(Refusal, match="founding_stays"):
        writer.strike(
            gang, gang.entries.get(seq=1).batch, expected_version=gang.version, actor=alice
        )
    with pytest.raises(Refusal, match="nothing_to_strike"):
        writer.strike(gang, uuid.uuid4(), expected_version=gang.version, actor=alice)


def test_replay_checks_and_repairs_a_gang(alice: User) -> None:
    gang = make_gang(alice)
    out = StringIO()
    call_command("replay", stdout=out)
    assert "1 gangs replayed" in out.getvalue()
    Gang.objects.filter(pk=gang.pk).update(rating=1)
    with pytest.raises(CommandError):
        call_command("replay", stderr=StringIO())
    with pytest.raises(CommandError):
        call_command("replay", mend=True, stderr=StringIO())
    call_command("replay", stdout=StringIO())


@pytest.mark.django_db(transaction=True)
def test_exactly_one_of_many_simultaneous_changes_succeeds() -> None:
    user = User.objects.create_user("racer")
    gang = make_gang(user, sample=None)
    expected_version = Gang.objects.get(pk=gang.pk)
    outcomes: list[str] = []
    start = threading.Barrier(6)

    def race(number: int) -> None:
        try:
            mine = Gang.objects.get(pk=expected_version.pk)
            entries = actions.recruit(scene_of(mine), "henchman", f"Racer {number}")
            start.wait()
            writer.append(mine, entries, expected_version=expected_version.version, actor=None)
            outcomes.append("won")
        except errors.Stale:
            outcomes.append("stale")
        finally:
            connection.close()

    threads = [threading.Thread(target=race, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["stale"] * 5 + ["won"]
    gang.refresh_from_db()
    assert gang.roster == writer.replay_roster(gang)
    assert StoredEntry.objects.filter(gang=gang).count() == 2
