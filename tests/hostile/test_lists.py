"""Hostile lists of army builders become gangs that replay, quickly, or are refused in words."""

from __future__ import annotations

import time
from random import Random

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import User
from gangs.engine.entries import KINDS
from gangs.engine.fold import fold
from gangs.engine.from_roster import MOST_DECISIONS, found_from_roster
from gangs.files import lists as pages
from gangs.ledger.replay import difference
from gangs.models import Gang
from rules import entry_ids
from rules.catalogues import apart
from rules.catalogues.reading import read_roster
from tests.hostile import catalogues, lists
from tests.random_cases import one_soon
from tests.world.gangs import GOLD, SLUGS, make_version, shipped

# Seconds of the processor for one list.
SECONDS = 6


@pytest.mark.parametrize("slug", one_soon(SLUGS))
def test_list_of_anything_becomes_a_gang_that_replays(slug: str) -> None:
    book = shipped(slug)
    members = 0
    for number in range(40):
        dice = Random(f"{slug} {number}")
        before = time.process_time()
        made = found_from_roster(book, lists.entry_map(book, dice), lists.army_list(book, dice))
        assert time.process_time() - before < SECONDS
        assert fold(book, enumerate(made.entries, start=1)) == made.gang.roster
        # Each entry can be stored and read again.
        for entry in made.entries:
            assert KINDS[entry.kind].model_validate_json(entry.model_dump_json()) == entry
        assert len(made.entries) < 20 * MOST_DECISIONS
        members += len(made.gang.roster.members)
    assert members > 20


@pytest.mark.django_db
def test_page_shows_and_makes_gangs_of_anything(alice: User, client: Client) -> None:
    client.force_login(alice)
    book = shipped(GOLD)
    version = make_version(GOLD)
    made = 0
    for number in range(12):
        dice = Random(f"page {number}")
        entry_ids.EntryIds.objects.all().delete()
        entry_ids.keep(version, lists.entry_map(book, dice))
        text = pages.pack_list(lists.army_list(book, dice), alice)
        fields = {"list": text, "game": version.pk, "shown": version.pk, "token": str(number)}
        for act in ("look", "make"):
            answer = client.post("/gangs/import/list/", {**fields, "name": "A", "act": act})
            assert answer.status_code in ((200,) if act == "look" else (302,))
        made += 1
    assert Gang.objects.count() == made
    assert not any(map(difference, Gang.objects.all()))


@pytest.mark.django_db
def test_file_of_any_shape_is_shown_or_refused(
    alice: User, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.force_login(alice)
    make_version(GOLD)
    # The process of its own has tests of its own.
    monkeypatch.setattr(apart, "read_list", read_roster)
    seen = set()
    for number in range(60):
        name, content = catalogues.army_list(Random(f"list {number}"))
        answer = client.post("/gangs/import/", {"file": SimpleUploadedFile(name, content)})
        seen.add(answer.status_code)
    assert seen == {200, 422}
    assert not Gang.objects.exists()
