"""Corrections in the ledger: strikes, replacements, insertions, and undoing them."""

from __future__ import annotations

import json
import threading

import pytest
from django.db import connection

from accounts.models import User
from common import errors
from common.errors import Refusal
from gangs import hooks
from gangs.engine import entries as kinds
from gangs.engine.entries import Entry
from gangs.engine.errors import Misfit
from gangs.files.exporting import export_gang
from gangs.files.format import BadFile, read_file
from gangs.files.importing import write_gang
from gangs.ledger import storage, writer
from gangs.ledger.revision import instead, weigh
from gangs.ledger.writer import Insertion
from gangs.models import Gang, Strike
from tests.world.gangs import make_gang, make_version

GAME = kinds.Played(game="g1", title="t", result="victory", side="winner", fielded=())


@pytest.fixture
def gang(alice: User) -> Gang:
    """A gang of one member with a knife: entries 1 to 3."""
    gang = make_gang(alice, sample=None)
    append(gang, kinds.Recruited(rank="henchman", name="Bill", paid=50))
    append(gang, kinds.Bought(item="knife", member=2, paid=1))
    return gang


def append(gang: Gang, *entries: Entry) -> None:
    writer.append(gang, entries, expected_version=gang.version, actor=gang.owner)


def edit(gang: Gang, seq: int, entry: Entry) -> Strike:
    row = gang.entries.get(seq=seq)
    strike, insert = instead(gang, row, entry)
    return writer.revise(
        gang, strike=strike, insert=insert, expected_version=gang.version, actor=gang.owner
    )


def state(gang: Gang) -> tuple[object, ...]:
    gang.refresh_from_db()
    assert gang.roster == writer.replay_roster(gang)
    return gang.snapshot, gang.rating, gang.size, gang.name


def test_replacement_keeps_the_number_of_its_entry(gang: Gang) -> None:
    before = state(gang)
    act = edit(gang, 2, kinds.Recruited(rank="leader", name="Ada", paid=100))
    (member,) = gang.roster.members
    assert (member.id, member.name, member.rank) == (2, "Ada", "leader")
    assert [owned.id for owned in member.items] == [3]
    changed = state(gang)
    undoing = writer.revise(gang, undoes=act, expected_version=gang.version, actor=gang.owner)
    assert state(gang) == before
    again = writer.revise(gang, undoes=undoing, expected_version=gang.version)
    assert state(gang) == changed
    writer.revise(gang, undoes=again, expected_version=gang.version)
    assert state(gang) == before
    # No written row has disappeared: every act and its author is still there.
    assert gang.strikes.count() == 4
    assert [one.undoes_id for one in gang.strikes.order_by("pk")] == [
        None,
        act.pk,
        undoing.pk,
        again.pk,
    ]


def test_correction_cannot_be_undone_twice(gang: Gang) -> None:
    act = edit(gang, 3, kinds.Bought(item="knife", member=None))
    writer.revise(gang, undoes=act, expected_version=gang.version)
    with pytest.raises(Refusal, match="taken_back_already"):
        writer.revise(Gang.objects.get(pk=gang.pk), undoes=act, expected_version=gang.version)


def test_correction_cannot_be_undone_before_a_later_correction(gang: Gang) -> None:
    first = edit(gang, 2, kinds.Recruited(rank="leader", name="Ada"))
    row = gang.entries.live().get(number=2)
    second = edit(gang, row.seq, kinds.Recruited(rank="leader", name="Eve"))
    before = state(gang)
    with pytest.raises(Refusal, match="corrected_since"):
        writer.revise(gang, undoes=first, expected_version=gang.version)
    assert state(gang) == before
    writer.revise(gang, undoes=second, expected_version=gang.version)
    writer.revise(gang, undoes=first, expected_version=gang.version)
    assert gang.roster.member(2).name == "Bill"


def test_two_entries_never_share_a_number(gang: Gang) -> None:
    """After one correction strikes an entry and another replaces it, the first cannot be undone."""
    act = writer.revise(gang, strike=[2, 3], expected_version=gang.version, actor=None)
    new = Insertion(2, kinds.Recruited(rank="leader", name="Eve"), number=2)
    writer.revise(gang, insert=[new], expected_version=gang.version, actor=None)
    with pytest.raises(Refusal, match="corrected_since"):
        writer.revise(Gang.objects.get(pk=gang.pk), undoes=act, expected_version=gang.version)
    with pytest.raises(Refusal, match="corrected_since"):
        weigh(gang, insert=[new])


def test_undo_lists_entries_that_depend_on_an_insertion(gang: Gang) -> None:
    new = Insertion(3, kinds.Recruited(rank="henchman", name="Eve"))
    act = writer.revise(gang, insert=[new], expected_version=gang.version, actor=gang.owner)
    eve = next(member.id for member in gang.roster.members if member.name == "Eve")
    append(gang, kinds.Bought(item="knife", member=eve))
    with pytest.raises(writer.Leftovers):
        writer.revise(Gang.objects.get(pk=gang.pk), undoes=act, expected_version=gang.version)
    before = state(gang)
    undoing = writer.revise(gang, undoes=act, expected_version=gang.version, with_misfits=True)
    assert len(gang.roster.members) == 1
    writer.revise(gang, undoes=undoing, expected_version=gang.version)
    assert state(gang) == before


def test_revision_strikes_only_the_named_misfits(gang: Gang) -> None:
    append(gang, kinds.Named(member=2, name="William"))
    with pytest.raises(writer.Leftovers) as caught:
        writer.revise(gang, strike=[2], expected_version=gang.version, actor=None, with_misfits=[3])
    assert [entry.seq for entry, _ in caught.value.misfits] == [3, 4]
    gang.refresh_from_db()
    writer.revise(gang, strike=[2], expected_version=gang.version, actor=None, with_misfits=[3, 4])
    assert list(gang.entries.live().values_list("seq", flat=True)) == [1]


def test_revision_writes_nothing_when_a_new_entry_does_not_fit(gang: Gang) -> None:
    before = state(gang)
    bought = Insertion(2, kinds.Bought(item="knife", member=2))
    with pytest.raises(Misfit, match="no_member"):
        # Before Bill was there.
        writer.revise(
            gang,
            strike=[2],
            insert=[bought, Insertion(2, kinds.Recruited(rank="henchman"), number=2)],
            expected_version=gang.version,
            actor=None,
        )
    assert state(gang) == before
    assert gang.strikes.count() == 0


def test_entries_in_one_place_keep_their_order(gang: Gang) -> None:
    new = [
        Insertion(2, kinds.Recruited(rank="henchman", name="Ann"), number=2),
        Insertion(2, kinds.Named(member=2, name="Anna")),
    ]
    writer.revise(gang, strike=[2], insert=new, expected_version=gang.version, actor=None)
    before = state(gang)
    row = gang.entries.live().get(number=2)
    act = edit(gang, row.seq, kinds.Recruited(rank="leader", name="Ann"))
    assert (gang.roster.member(2).rank, gang.roster.member(2).name) == ("leader", "Anna")
    writer.revise(gang, undoes=act, expected_version=gang.version)
    assert state(gang) == before


@pytest.mark.parametrize("entry", [kinds.Founded(name="x", settings={}), None])
def test_correction_cannot_found_a_gang_or_join_a_campaign(gang: Gang, entry: Entry | None) -> None:
    entry = entry or kinds.Joined(campaign="c", name="c", settings={})
    code = f"{entry.kind if entry.kind == 'joined' else 'founding'}_stays"
    with pytest.raises((Refusal, Misfit), match=f"{code}|no_gang"):
        writer.revise(gang, insert=[Insertion(4, entry)], expected_version=gang.version, actor=None)


def test_revision_refuses_to_strike_nothing_or_missing_entries(gang: Gang) -> None:
    writer.revise(gang, strike=[3], expected_version=gang.version, actor=None)
    for strike in ([], [3], [77]):
        with pytest.raises(Refusal, match="nothing_to_strike"):
            writer.revise(
                Gang.objects.get(pk=gang.pk),
                strike=strike,
                expected_version=gang.version,
                actor=None,
            )


def test_stale_correction_writes_nothing(gang: Gang) -> None:
    other = Gang.objects.get(pk=gang.pk)
    append(gang, kinds.Renamed(name="Newer"))
    before = state(gang)
    with pytest.raises(errors.Stale):
        writer.revise(other, strike=[3], expected_version=other.version, actor=None)
    assert state(gang) == before and not gang.strikes.exists()


def test_same_form_corrects_once(gang: Gang) -> None:
    again = Gang.objects.get(pk=gang.pk)
    new = [Insertion(4, kinds.Renamed(name="Newer"))]
    first = writer.revise(gang, insert=new, expected_version=gang.version, actor=None, token="form")
    second = writer.revise(
        again, insert=new, expected_version=again.version, actor=None, token="form"
    )
    assert first == second and gang.strikes.count() == 1


def test_storage_returns_the_roster_of_any_moment(gang: Gang) -> None:
    assert storage.roster_before(gang, 2).members == ()
    assert storage.roster_at(gang, 2).members[0].items == ()
    assert storage.roster_at(gang, 3) == gang.roster
    batch = gang.entries.get(seq=3).batch
    assert [row.seq for row in storage.entries_of(gang, batch)] == [3]


def test_oversight_is_notified_only_of_corrections_by_an_organiser(
    gang: Gang, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[tuple[Gang, Strike]] = []
    listening = hooks.Oversight()
    listening.corrected = lambda *told: heard.append(told)
    monkeypatch.setattr(hooks, "oversight", listening)
    writer.revise(gang, strike=[3], expected_version=gang.version, actor=gang.owner)
    assert heard == []
    act = writer.revise(
        gang,
        strike=[2],
        expected_version=gang.version,
        actor=bob,
        reason="twice",
        by_organiser=True,
    )
    assert heard == [(gang, act)]
    assert (act.reason, act.by_organiser, act.actor) == ("twice", True, bob)


def test_export_includes_corrections(gang: Gang, alice: User) -> None:
    act = edit(gang, 2, kinds.Recruited(rank="leader", name="Ada"))
    writer.revise(gang, undoes=act, expected_version=gang.version, reason="No: “he” was right.")
    text = export_gang(gang)
    assert "No: “he” was right." in text and "alice" not in text
    copy = write_gang(make_version(), read_file(text.encode()), owner=alice)
    assert export_gang(copy) == text
    assert copy.roster == gang.roster
    last = copy.strikes.get(undoes__isnull=False)
    writer.revise(copy, undoes=last, expected_version=copy.version)
    assert copy.roster.member(2).name == "Ada"


@pytest.mark.parametrize(
    ("key", "value"),
    [("number", 2), ("place", 9), ("added_by", 5), ("struck", 7)],
)
def test_import_refuses_contradictory_corrections(
    gang: Gang, alice: User, key: str, value: int
) -> None:
    edit(gang, 3, kinds.Bought(item="knife", member=None))
    data = json.loads(export_gang(gang))
    data["records"][-1][key] = value
    with pytest.raises(BadFile):
        write_gang(make_version(), read_file(json.dumps(data).encode()), owner=alice)


def test_import_reads_a_file_without_corrections(gang: Gang, alice: User) -> None:
    writer.revise(gang, strike=[3], expected_version=gang.version, actor=None)
    data = json.loads(export_gang(gang))
    del data["corrections"]
    for record in data["records"]:
        for key in ("place", "number", "added_by"):
            del record[key]
    copy = write_gang(make_version(), read_file(json.dumps(data).encode()), owner=alice)
    assert copy.roster == gang.roster
    writer.revise(copy, undoes=copy.strikes.get(), expected_version=copy.version)
    assert len(copy.roster.member(2).items) == 1


@pytest.mark.django_db(transaction=True)
def test_exactly_one_of_a_simultaneous_correction_and_change_succeeds() -> None:
    user = User.objects.create_user("racer")
    gang = make_gang(user, sample=None)
    append(gang, kinds.Recruited(rank="henchman", name="Bill"))
    outcomes: list[str] = []
    start = threading.Barrier(4)

    def race(number: int) -> None:
        try:
            mine = Gang.objects.get(pk=gang.pk)
            start.wait()
            if number % 2:
                writer.revise(mine, strike=[2], expected_version=mine.version, actor=None)
            else:
                writer.append(
                    mine,
                    [kinds.Bought(item="knife", member=2)],
                    expected_version=mine.version,
                    actor=None,
                )
            outcomes.append("won")
        except errors.Stale:
            outcomes.append("stale")
        finally:
            connection.close()

    threads = [threading.Thread(target=race, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["stale"] * 3 + ["won"]
    state(gang)
