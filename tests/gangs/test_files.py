"""A gang out to a file and back in is the same gang; anything else is refused in words."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import User
from gangs import acts, ledger
from gangs.exchange import BIGGEST_FILE, read
from gangs.models import Gang, StoredEntry
from tests.make import GOLD, POINTS, make_gang, scene_of


def upload(client: Client, content: bytes) -> Any:
    file = SimpleUploadedFile("gang.json", content, content_type="application/json")
    return client.post("/gangs/import/", {"file": file})


@pytest.mark.parametrize("slug", [POINTS, GOLD])
def test_round_trip_is_identity(client: Client, alice: User, slug: str) -> None:
    gang = make_gang(alice, slug)
    rank = gang.book.ranks[-1].key if slug == POINTS else "henchman"
    entries = acts.recruit(scene_of(gang), rank, "Zoé d’Œuvre")
    ledger.append(gang, entries, seen=gang.version, actor=alice)
    batch = gang.entries.order_by("-seq")[0].batch
    ledger.strike(gang, batch, seen=gang.version, actor=alice)
    client.force_login(alice)
    content = client.get(gang.get_absolute_url() + "export/").content
    answer = upload(client, content)
    assert answer.status_code == 302
    copy = Gang.objects.exclude(pk=gang.pk).get()
    assert copy.roster == gang.roster
    assert ledger.exported(copy) == ledger.exported(gang)
    assert ledger.replayed(copy) == copy.roster
    assert copy.rating == gang.rating


def broken(change: Callable[[dict[str, Any]], object]) -> Callable[[bytes], bytes]:
    def damage(content: bytes) -> bytes:
        data = json.loads(content)
        change(data)
        return json.dumps(data).encode()

    return damage


DAMAGE: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda content: b" ", "cannot be read as JSON"),
    "cut": (lambda content: content[:-40], "cannot be read as JSON"),
    "picture": (lambda content: b"\x89PNG\r\n\x1a\n\x00\xff", "cannot be read as JSON"),
    "nested": (lambda content: b"[" * 100_000, "cannot be read as JSON"),
    "foreign": (lambda content: b'{"format": "battle-scroll"}', "not exported as a gang"),
    "list": (lambda content: b"[1]", "not exported as a gang"),
    "large": (lambda content: b" " * (BIGGEST_FILE + 1), "too large"),
    "kind": (broken(lambda data: data["records"][1]["entry"].update(kind="magic")), "damaged"),
    "key": (broken(lambda data: data.update(extra=1)), "damaged"),
    "gap": (broken(lambda data: data["records"].pop(2)), "contradicts itself"),
    "ghost": (
        broken(lambda data: data["records"][-1]["entry"].update(member=9999)),
        "contradicts itself",
    ),
    "book": (broken(lambda data: data.update(digest="0" * 64)), "does not have"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_file_is_refused_and_changes_nothing(
    client: Client, alice: User, name: str
) -> None:
    gang = make_gang(alice)
    client.force_login(alice)
    content = client.get(gang.get_absolute_url() + "export/").content
    damage, words = DAMAGE[name]
    answer = upload(client, damage(content))
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert Gang.objects.count() == 1
    assert StoredEntry.objects.exclude(gang=gang).count() == 0


def test_the_file_names_nobody(alice: User) -> None:
    gang = make_gang(alice)
    assert "alice" not in ledger.exported(gang)
    assert read(ledger.exported(gang).encode()).book == POINTS
