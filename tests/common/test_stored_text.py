"""Stored texts from before texts were cleaned are cleaned in ledger and snapshot."""

from __future__ import annotations

import pytest

from accounts.models import User
from common.stored_text import clean_rows
from gangs.engine.entries import Named, Noted
from gangs.ledger import writer
from gangs.ledger.replay import difference
from gangs.models import Gang, StoredEntry, Timeline
from tests.common.nasty import NASTY
from tests.world.gangs import make_gang

# Neither database could ever store the others.
OLD = {name: text for name, text in NASTY.items() if name not in ("nul", "half a letter")}


@pytest.mark.django_db
@pytest.mark.parametrize("text", OLD.values(), ids=OLD)
def test_old_name_of_a_gang_is_cleaned(alice: User, text: str) -> None:
    gang = make_gang(alice)
    member = gang.roster.members[0].id
    # Written without today's cleaning, as back then.
    name = " ".join(f"x{text}y".split())[:80]
    entries = [
        Named.model_construct(member=member, name=name),
        Noted.model_construct(member=member, text=f"x{text}".strip()),
    ]
    writer.append(gang, entries, expected_version=gang.version, actor=alice)
    for model, texts in ((StoredEntry, ()), (Gang, ("snapshot",)), (Timeline, ("data",))):
        clean_rows(model, json_texts=texts)
        assert clean_rows(model, json_texts=texts) == 0
    again = Gang.objects.select_related("timeline").get()
    assert difference(again) == ""


@pytest.mark.django_db
def test_clean_text_is_not_changed(alice: User) -> None:
    make_gang(alice)
    before = Gang.objects.values().get()
    assert clean_rows(Gang, json_texts=["snapshot"]) == 0
    assert Gang.objects.values().get() == before
