"""Properties of any built gang: stored entries fold to the snapshot, and strikes can be undone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.errors import Refusal
from gangs.engine import entries as kinds
from gangs.engine.errors import Misfit
from gangs.files import importing as files_importing
from gangs.files.exporting import export_gang
from gangs.files.format import read_file
from gangs.ledger import storage, writer
from gangs.ledger.revision import instead, weigh
from gangs.ledger.writer import Insertion
from gangs.models import Gang, Strike
from tests.gangs.strategies import built
from tests.random_cases import one_soon, random_cases
from tests.world.gangs import SLUGS, make_version

pytestmark = [pytest.mark.django_db, pytest.mark.parametrize("slug", one_soon(SLUGS))]
some = random_cases(6, 100)


def store_gang(data: Any, slug: str) -> Gang:
    """A random gang, entered into the ledger act by act."""
    log, batches = data.draw(built(slug))
    entries = dict(log)
    gang = writer.found(make_version(slug), [entries[1]], owner=None)
    for batch in batches[1:]:
        writer.append(
            gang, [entries[seq] for seq in batch], expected_version=gang.version, actor=None
        )
    return gang


def facts(gang: Gang) -> tuple[object, ...]:
    """The stored facts of a gang, read again."""
    gang = Gang.objects.get(pk=gang.pk)
    return gang.snapshot, gang.name, gang.size, gang.rating, gang.last_seq


@some
@given(data=st.data())
def test_snapshot_equals_the_folded_entries(slug: str, data: Any) -> None:
    gang = store_gang(data, slug)
    assert writer.replay_roster(gang) == gang.roster
    assert facts(gang)[0] == storage.dump_stored(writer.replay_roster(gang))


@some
@given(data=st.data())
def test_strike_then_restore_changes_nothing(slug: str, data: Any) -> None:
    gang = store_gang(data, slug)
    batches = list(gang.entries.exclude(seq=1).values_list("batch", flat=True).distinct())
    if not batches:
        return
    before = facts(gang)
    batch = data.draw(st.sampled_from(sorted(batches)))
    act = writer.strike(gang, batch, expected_version=gang.version, actor=None, with_misfits=True)
    assert writer.replay_roster(gang) == gang.roster
    writer.revise(gang, undoes=act, expected_version=gang.version)
    assert facts(gang) == before


@some
@given(data=st.data())
def test_export_then_import_changes_nothing(slug: str, data: Any) -> None:
    gang = store_gang(data, slug)
    text = export_gang(gang)
    copy = files_importing.write_gang(make_version(slug), read_file(text.encode()), owner=None)
    assert export_gang(copy) == text
    assert facts(copy) == facts(gang)


def correct_gang(data: Any, gang: Gang) -> Strike | None:
    """Make a random correction: a strike, a replacement or an insertion."""
    rows = list(gang.entries.live().exclude(kind="founded"))
    strike = data.draw(st.lists(st.sampled_from(rows), max_size=3, unique=True)) if rows else []
    seqs, insert = {row.seq for row in strike}, []
    for row in strike:
        if data.draw(st.booleans()):
            entry = storage.read_entry(data.draw(st.sampled_from(rows)))
            insert.append(Insertion(row.place, entry, row.number, row.at))
    if data.draw(st.booleans()):
        place = data.draw(st.integers(1, gang.last_seq))
        insert.append(Insertion(place, kinds.Recruited(rank=gang.book.ranks[-1].key, name="New")))
    try:
        return writer.revise(
            gang,
            strike=seqs,
            insert=insert,
            expected_version=gang.version,
            actor=None,
            with_misfits=True,
        )
    except (Misfit, Refusal):
        gang.refresh_from_db()
        return None


@some
@given(data=st.data())
def test_replay_equals_the_snapshot_after_any_correction(slug: str, data: Any) -> None:
    gang = store_gang(data, slug)
    for _ in range(3):
        correct_gang(data, gang)
        assert writer.replay_roster(gang) == Gang.objects.get(pk=gang.pk).roster
        numbers = list(gang.entries.live().values_list("number", flat=True))
        assert len(numbers) == len(set(numbers))


@pytest.mark.long
@some
@given(data=st.data())
def test_correction_and_its_undo_change_nothing(slug: str, data: Any) -> None:
    gang = store_gang(data, slug)
    correct_gang(data, gang)
    standing = list(gang.entries.live().values_list("seq", flat=True))
    before = facts(gang)[:4]
    act = correct_gang(data, gang)
    if act is None:
        assert facts(gang)[:4] == before
        return
    after = facts(gang)[:4]
    undoing = writer.revise(gang, undoes=act, expected_version=gang.version)
    assert facts(gang)[:4] == before
    assert list(gang.entries.live().values_list("seq", flat=True)) == standing
    writer.revise(gang, undoes=undoing, expected_version=gang.version)
    assert facts(gang)[:4] == after


@some
@given(data=st.data())
def test_weigh_predicts_the_result_of_a_correction(slug: str, data: Any) -> None:
    gang = store_gang(data, slug)
    rows = list(gang.entries.live().exclude(kind="founded"))
    if not rows:
        return
    seq = data.draw(st.sampled_from(rows)).seq
    weighed = weigh(gang, strike=[seq])
    writer.revise(gang, strike=[seq], expected_version=gang.version, actor=None, with_misfits=True)
    assert gang.roster == weighed.roster
    struck = set(gang.entries.exclude(struck=None).values_list("seq", flat=True))
    assert struck == {seq, *(entry.seq for entry, _ in weighed.misfits)}


@some
@given(data=st.data())
def test_replacing_an_entry_by_itself_changes_nothing(slug: str, data: Any) -> None:
    gang = store_gang(data, slug)
    rows = list(gang.entries.live().exclude(kind="founded"))
    if not rows:
        return
    row = data.draw(st.sampled_from(rows))
    before = facts(gang)[:4]
    strike, insert = instead(gang, row, storage.read_entry(row))
    writer.revise(gang, strike=strike, insert=insert, expected_version=gang.version, actor=None)
    assert facts(gang)[:4] == before


@some
@given(data=st.data())
def test_corrected_gang_survives_export_and_import(slug: str, data: Any) -> None:
    gang = store_gang(data, slug)
    for _ in range(2):
        act = correct_gang(data, gang)
        if act is not None and data.draw(st.booleans()):
            writer.revise(gang, undoes=act, expected_version=gang.version)
    text = export_gang(gang)
    copy = files_importing.write_gang(make_version(slug), read_file(text.encode()), owner=None)
    assert export_gang(copy) == text
    assert facts(copy) == facts(gang)
