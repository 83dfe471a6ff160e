"""Exporting and importing keeps a gang; damaged files are refused with a reason."""

from __future__ import annotations

import json
import uuid
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import User
from campaigns.club.people import admission
from campaigns.club.people.admission import Entrance
from common import turns
from gangs.engine import actions
from gangs.engine import entries as kinds
from gangs.files import importing as files_importing
from gangs.files.exporting import export_gang
from gangs.files.format import LIMITS, GangFile, read_file
from gangs.files.importing import Company
from gangs.ledger import writer
from gangs.ledger.replay import difference
from gangs.models import Gang, StoredEntry
from tests.world.campaigns import make_campaign, make_player
from tests.world.gangs import GOLD, POINTS, make_gang, make_version, scene_of


def upload(client: Client, content: bytes) -> Any:
    file = SimpleUploadedFile("gang.json", content, content_type="application/json")
    return client.post("/gangs/import/", {"file": file})


@pytest.mark.long
@pytest.mark.parametrize("slug", [POINTS, GOLD])
def test_round_trip_keeps_the_gang(client: Client, alice: User, slug: str) -> None:
    gang = make_gang(alice, slug)
    rank = gang.book.ranks[-1].key if slug == POINTS else "henchman"
    entries = actions.recruit(scene_of(gang), rank, "Zoé d’Œuvre")
    writer.append(gang, entries, expected_version=gang.version, actor=alice)
    batch = gang.entries.order_by("-seq")[0].batch
    writer.strike(gang, batch, expected_version=gang.version, actor=alice)
    client.force_login(alice)
    content = client.get(gang.get_absolute_url() + "export/").content
    answer = upload(client, content)
    assert answer.status_code == 302
    copy = Gang.objects.exclude(pk=gang.pk).get()
    assert copy.roster == gang.roster
    assert export_gang(copy) == export_gang(gang)
    assert writer.replay_roster(copy) == copy.roster
    assert copy.rating == gang.rating


def break_file(change: Callable[[dict[str, Any]], object]) -> Callable[[bytes], bytes]:
    def damage(content: bytes) -> bytes:
        data = json.loads(content)
        change(data)
        return json.dumps(data).encode()

    return damage


def add_entry(entry: dict[str, Any]) -> Callable[[bytes], bytes]:
    """The file with another entry."""

    def add(data: dict[str, Any]) -> None:
        last = data["records"][-1]
        data["records"].append({**last, "seq": last["seq"] + 1, "entry": entry})

    return break_file(add)


DAMAGE: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda content: b" ", "cannot be read as JSON"),
    "cut": (lambda content: content[:-40], "cannot be read as JSON"),
    "picture": (lambda content: b"\x89PNG\r\n\x1a\n\x00\xff", "cannot be read as JSON"),
    "nested": (lambda content: b"[" * 100_000, "holds more than a gang can"),
    "foreign": (lambda content: b'{"format": "battle-scroll"}', "not a gang exported"),
    "newer": (
        lambda content: content.replace(b'"format_version": 1', b'"format_version": 4'),
        "needs a newer version",
    ),
    "list": (lambda content: b"[1]", "not a gang exported"),
    "large": (lambda content: b" " * (LIMITS.size + 1), "too large"),
    "kind": (break_file(lambda data: data["records"][1]["entry"].update(kind="magic")), "damaged"),
    "key": (break_file(lambda data: data.update(extra=1)), "damaged"),
    "gap": (break_file(lambda data: data["records"].pop(2)), "contradicts itself"),
    "ghost": (
        break_file(lambda data: data["records"][-1]["entry"].update(member=9999)),
        "contradicts itself",
    ),
    "settings": (
        add_entry({"kind": "settings", "settings": {"fame_level": "abc"}}),
        "contradicts itself",
    ),
    "unknown setting": (
        add_entry({"kind": "settings", "settings": {"x": 1}}),
        "contradicts itself",
    ),
    "place": (add_entry({"kind": "reordered", "member": 2, "position": 10**30}), "damaged"),
    "no faces": (
        add_entry(
            {
                "kind": "rolled",
                "table": "injuries",
                "roll": {"dice": "d66", "faces": [], "thrown_by": "app"},
            }
        ),
        "contradicts itself",
    ),
    "no dice": (
        add_entry(
            {
                "kind": "learned",
                "member": 2,
                "amount": 1,
                "roll": {"dice": "x", "faces": [1], "thrown_by": "app"},
            }
        ),
        "contradicts itself",
    ),
    "a crowd": (
        break_file(
            lambda data: data["records"].extend(
                {**data["records"][1], "seq": data["records"][-1]["seq"] + 1 + number}
                for number in range(200)
            )
        ),
        "contradicts itself",
    ),
    "points": (
        add_entry({"kind": "points", "member": 2, "characteristic": "str", "amount": 10**40}),
        "damaged",
    ),
    "campaign": (
        add_entry({"kind": "joined", "campaign": "x", "name": "x", "settings": {}}),
        "contradicts itself",
    ),
    "namesake": (add_entry({"kind": "renamed", "name": ""}), "contradicts itself"),
    "old": (
        break_file(lambda data: data["records"][1].update(at="0001-01-01T00:00:00+14:00")),
        "damaged",
    ),
    "naive": (
        break_file(lambda data: data["records"][1].update(at="2026-01-01T00:00:00")),
        "damaged",
    ),
    "rich": (
        break_file(
            lambda data: [
                data["records"].append(
                    {
                        **data["records"][0],
                        "seq": len(data["records"]) + 1,
                        "entry": {"kind": "earned", "amount": 1_000_000, "why": "gift"},
                    }
                )
                for _ in range(1_001)
            ]
        ),
        "contradicts itself",
    ),
    "book": (break_file(lambda data: data.update(digest="0" * 64)), "does not have"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_import_refuses_a_damaged_file_and_changes_nothing(
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


def test_imports_read_one_file_at_a_time(
    client: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of the largest size takes much of a process's memory."""
    monkeypatch.setattr(turns, "PATIENCE", 0.01)
    content = export_gang(make_gang(alice)).encode()
    client.force_login(alice)
    with turns.importing.one("bob"):
        answer = upload(client, content)
        campaign = client.post(
            "/campaigns/import/",
            {"file": SimpleUploadedFile("c.json", b"{}"), "token": str(uuid.uuid4())},
        )
    for refused in (answer, campaign):
        assert refused.status_code == 422
        assert "Many files are arriving just now" in refused.content.decode()
    assert Gang.objects.count() == 1
    assert upload(client, content).status_code == 302


def test_export_names_no_account(alice: User) -> None:
    gang = make_gang(alice)
    assert "alice" not in export_gang(gang)
    assert read_file(export_gang(gang).encode()).book == POINTS


def test_imported_gang_is_in_no_campaign(client: Client, alice: User, bob: User) -> None:
    campaign = make_campaign(bob)
    gang = make_player(campaign, alice)
    client.force_login(alice)
    answer = upload(client, client.get(gang.get_absolute_url() + "export/").content)
    copy = Gang.objects.exclude(pk=gang.pk).get()
    assert answer["Location"] == copy.get_absolute_url()
    assert (gang.roster.campaigns, copy.roster.campaigns) == ((str(campaign.pk),), ())
    assert export_gang(copy) == export_gang(gang)
    assert copy.imported_at is not None


def test_imported_gang_with_unknown_games_needs_an_organiser_to_vouch(
    alice: User, bob: User
) -> None:
    campaign = make_campaign(bob, POINTS)
    gang = make_gang(alice)
    rich = kinds.Earned(amount=1000, why="gift")
    game = kinds.Played(game="g", title="t", result="victory", side="winner", fielded=())
    writer.append(gang, [game, rich], expected_version=gang.version, actor=alice)
    entrance = Entrance(campaign)
    assert not admission.needs_approval(entrance, gang, alice)
    copy = files_importing.write_gang(
        make_version(), read_file(export_gang(gang).encode()), owner=alice
    )
    assert not admission.enter(entrance, copy, actor=alice, expected_version=copy.version)
    assert not campaign.memberships.exists()
    admission.accept(campaign.join_requests.get(), actor=bob)
    assert campaign.memberships.get().gang == copy


def company_of(file: GangFile) -> Company:
    return Company(
        key=uuid.uuid4(),
        campaign="",
        batches=defaultdict(uuid.uuid4),
        writers=[None] * len(file.records),
        correctors=[None] * len(file.corrections),
        occasions=[None] * len(file.corrections),
    )


@pytest.mark.django_db(transaction=True)
def test_import_writes_few_rows_in_each_transaction(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    gang = make_gang(alice)
    file = read_file(export_gang(gang).encode())
    assert len(file.records) > 20
    monkeypatch.setattr(files_importing, "ROWS_AT_ONCE", 10)
    with CaptureQueriesContext(connection) as captured:
        copy = files_importing.write_gang(gang.book_version, file, owner=alice)
    transactions: list[list[str]] = []
    inside = False
    for query in captured:
        sql = query["sql"]
        if not inside:
            transactions.append([])
        transactions[-1].append(sql)
        inside = sql.startswith("BEGIN") or (inside and not sql.startswith("COMMIT"))
    written = [
        sum(sql.count(copy.pk.hex) + sql.count(str(copy.pk)) for sql in each)
        for each in transactions
        if any('INSERT INTO "gangs_storedentry"' in sql for sql in each)
    ]
    # Another player waits for no more than one of these.
    assert len(written) > 2 and max(written) <= 10
    assert max(map(len, transactions)) < 20


def test_nobody_sees_a_gang_that_is_arriving(client: Client, alice: User) -> None:
    gang = make_gang(alice)
    file = read_file(export_gang(gang).encode())
    arriving = files_importing.write_unseen(gang.book_version, file, company_of(file), owner=alice)
    client.force_login(alice)
    assert client.get(arriving.get_absolute_url()).status_code == 404
    assert list(Gang.objects.all()) == [gang]
    assert arriving.roster == gang.roster and difference(arriving) == ""


def test_what_a_killed_import_leaves_is_cleared_away_after_an_hour(alice: User) -> None:
    gang = make_gang(alice)
    count = StoredEntry.objects.count()
    file = read_file(export_gang(gang).encode())
    files_importing.write_unseen(gang.book_version, file, company_of(file), owner=alice)
    assert files_importing.tidy() == 0
    Gang.everything.exclude(arriving_at=None).update(
        arriving_at=timezone.now() - files_importing.LONGEST
    )
    assert files_importing.tidy() == 1
    assert list(Gang.everything.all()) == [gang] and StoredEntry.objects.count() == count
