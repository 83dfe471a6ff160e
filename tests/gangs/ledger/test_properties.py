"""Whatever was built, stored entries fold to the snapshot, and a strike can be taken back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangs import arriving, ledger
from gangs import entries as kinds
from gangs.correcting import instead
from gangs.exchange import read
from gangs.ledger import Insertion
from gangs.misfit import Misfit
from gangs.models import Gang, Strike
from gangs.refusal import Refusal
from tests.gangs.strategies import built
from tests.make import SLUGS, make_version

pytestmark = [pytest.mark.django_db, pytest.mark.parametrize("slug", SLUGS)]
some = settings(max_examples=25, deadline=None)


def stored(data: Any, slug: str) -> Gang:
    """A random gang, entered into the ledger act by act."""
    log, batches = data.draw(built(slug))
    entries = dict(log)
    gang = ledger.found(make_version(slug), [entries[1]], owner=None)
    for batch in batches[1:]:
        ledger.append(gang, [entries[seq] for seq in batch], seen=gang.version, actor=None)
    return gang


def facts(gang: Gang) -> tuple[object, ...]:
    """What is stored of the gang, read anew."""
    gang = Gang.objects.get(pk=gang.pk)
    return gang.snapshot, gang.name, gang.size, gang.rating, gang.last_seq


@some
@given(data=st.data())
def test_the_snapshot_is_what_the_entries_fold_to(slug: str, data: Any) -> None:
    gang = stored(data, slug)
    assert ledger.replayed(gang) == gang.roster
    assert facts(gang)[0] == ledger.dumped(ledger.replayed(gang))


@some
@given(data=st.data())
def test_strike_then_restore_is_identity(slug: str, data: Any) -> None:
    gang = stored(data, slug)
    batches = list(gang.entries.exclude(seq=1).values_list("batch", flat=True).distinct())
    if not batches:
        return
    before = facts(gang)
    batch = data.draw(st.sampled_from(sorted(batches)))
    act = ledger.strike(gang, batch, seen=gang.version, actor=None, with_misfits=True)
    assert ledger.replayed(gang) == gang.roster
    ledger.restore(gang, act, seen=gang.version)
    assert facts(gang) == before


@some
@given(data=st.data())
def test_export_then_import_is_identity(slug: str, data: Any) -> None:
    gang = stored(data, slug)
    text = ledger.exported(gang)
    copy = arriving.imported(make_version(slug), read(text.encode()), owner=None)
    assert ledger.exported(copy) == text
    assert facts(copy) == facts(gang)


def corrected(data: Any, gang: Gang) -> Strike | None:
    """Anything at all is corrected: struck, put in another's place, or put in somewhere."""
    rows = list(gang.entries.live().exclude(kind="founded"))
    strike = data.draw(st.lists(st.sampled_from(rows), max_size=3, unique=True)) if rows else []
    seqs, insert = {row.seq for row in strike}, []
    for row in strike:
        if data.draw(st.booleans()):
            entry = ledger.read(data.draw(st.sampled_from(rows)))
            insert.append(Insertion(row.place, entry, row.number, row.at))
    if data.draw(st.booleans()):
        place = data.draw(st.integers(1, gang.last_seq))
        insert.append(Insertion(place, kinds.Recruited(rank=gang.book.ranks[-1].key, name="New")))
    try:
        return ledger.revise(
            gang, strike=seqs, insert=insert, seen=gang.version, actor=None, with_misfits=True
        )
    except (Misfit, Refusal):
        gang.refresh_from_db()
        return None


@some
@given(data=st.data())
def test_whatever_is_corrected_the_replay_is_the_snapshot(slug: str, data: Any) -> None:
    gang = stored(data, slug)
    for _ in range(3):
        corrected(data, gang)
        assert ledger.replayed(gang) == Gang.objects.get(pk=gang.pk).roster
        numbers = list(gang.entries.live().values_list("number", flat=True))
        assert len(numbers) == len(set(numbers))


@some
@given(data=st.data())
def test_a_correction_and_taking_it_back_are_identity(slug: str, data: Any) -> None:
    gang = stored(data, slug)
    corrected(data, gang)
    standing = list(gang.entries.live().values_list("seq", flat=True))
    before = facts(gang)[:4]
    act = corrected(data, gang)
    if act is None:
        assert facts(gang)[:4] == before
        return
    after = facts(gang)[:4]
    undoing = ledger.restore(gang, act, seen=gang.version)
    assert facts(gang)[:4] == before
    assert list(gang.entries.live().values_list("seq", flat=True)) == standing
    ledger.restore(gang, undoing, seen=gang.version)
    assert facts(gang)[:4] == after


@some
@given(data=st.data())
def test_weighing_says_what_correcting_does(slug: str, data: Any) -> None:
    gang = stored(data, slug)
    rows = list(gang.entries.live().exclude(kind="founded"))
    if not rows:
        return
    seq = data.draw(st.sampled_from(rows)).seq
    weighed = ledger.weigh(gang, strike=[seq])
    ledger.revise(gang, strike=[seq], seen=gang.version, actor=None, with_misfits=True)
    assert gang.roster == weighed.roster
    struck = set(gang.entries.exclude(struck=None).values_list("seq", flat=True))
    assert struck == {seq, *(entry.seq for entry, _ in weighed.misfits)}


@some
@given(data=st.data())
def test_an_entry_in_its_own_place_changes_nothing(slug: str, data: Any) -> None:
    gang = stored(data, slug)
    rows = list(gang.entries.live().exclude(kind="founded"))
    if not rows:
        return
    row = data.draw(st.sampled_from(rows))
    before = facts(gang)[:4]
    strike, insert = instead(gang, row, ledger.read(row))
    ledger.revise(gang, strike=strike, insert=insert, seen=gang.version, actor=None)
    assert facts(gang)[:4] == before


@some
@given(data=st.data())
def test_a_corrected_gang_travels(slug: str, data: Any) -> None:
    gang = stored(data, slug)
    for _ in range(2):
        act = corrected(data, gang)
        if act is not None and data.draw(st.booleans()):
            ledger.restore(gang, act, seen=gang.version)
    text = ledger.exported(gang)
    copy = arriving.imported(make_version(slug), read(text.encode()), owner=None)
    assert ledger.exported(copy) == text
    assert facts(copy) == facts(gang)
