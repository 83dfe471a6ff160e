"""Whatever was built, stored entries fold to the snapshot, and a strike can be taken back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangs import arriving, ledger
from gangs.exchange import read
from gangs.models import Gang
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
