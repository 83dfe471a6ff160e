"""The table's addresses: permissions, and the answers to phones."""

from __future__ import annotations

import gzip
import json
import re
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.models import Campaign, Participant, Table
from campaigns.table import people, storage, taps
from campaigns.table.taps import alias
from gangs.models import Gang
from tests.campaigns.table.test_storage import opened, pushed
from tests.world.campaigns import make_game

STATIC = settings.BASE_DIR / "static"
AsUser = Callable[[User], Client]


@pytest.fixture
def table(campaign: Campaign, alice: User, hers: Gang, theirs: Gang) -> Table:
    return opened(campaign, alice, hers, theirs)


def send_taps(client: Client, table: Table, *rows: storage.Pushed) -> Any:
    """Send taps as the script does."""
    address = reverse("campaigns:table-taps", args=[table.pk])
    data = [row.model_dump(mode="json") for row in rows]
    return client.post(address, json.dumps(data), content_type="application/json")


def pull_taps(client: Client, table: Table, seq: int) -> Any:
    return client.get(reverse("campaigns:table-since", args=[table.pk, seq]))


def test_pushed_tap_reaches_the_other_phone(
    as_user: AsUser, table: Table, alice: User, dora: User
) -> None:
    row = pushed(taps.Acted(figure=people.start_of(table).figures[0].key))
    heard = send_taps(as_user(alice), table, row).json()
    assert {*heard} == {"now", "logged", "refused", "taken"}
    assert (heard["logged"], heard["refused"], heard["taken"]) == ([1], {}, [])
    answer = pull_taps(as_user(dora), table, 0).json()
    parts = {"ending", "asks", "due", "questions", "story", "next"}
    assert (answer["state"]["seq"], {*answer["html"]}) == (1, parts)
    [told] = answer["taps"]
    device = str(alias(table.pk, row.device))
    sent_row = row.model_dump(mode="json", exclude={"tap"})
    assert told == {"seq": 1, **sent_row, "device": device, "tap": told["tap"]}
    assert taps.TAPS.validate_python(told["tap"]) == row.tap
    assert pull_taps(as_user(dora), table, 1).status_code == 204


def test_unchanged_pull_makes_one_query(
    as_user: AsUser, table: Table, alice: User, django_assert_num_queries: Any
) -> None:
    client, watcher = as_user(alice), Client()
    watch = reverse("campaigns:watch", args=[table.game.campaign.watch_key if table.game else ""])
    watcher.get(watch)
    send_taps(client, table, pushed(taps.Note(text="Charge!")))
    # A signed-in user adds two: the session and the user.
    for one, queries in ((watcher, 1), (client, 3)):
        assert pull_taps(one, table, 0).status_code == 200
        with django_assert_num_queries(queries):
            assert pull_taps(one, table, 1).status_code == 204


def test_page_makes_few_queries(
    as_user: AsUser, table: Table, alice: User, django_assert_max_num_queries: Any
) -> None:
    client = as_user(alice)
    client.get(table.get_absolute_url())
    # Session, user, the table, its log, its sides, whether there are notices.
    with django_assert_max_num_queries(7):
        page = client.get(table.get_absolute_url())
    assert len(gzip.compress(page.content)) <= 25_000


def test_news_are_only_for_people_with_access_to_the_table(
    as_user: AsUser, table: Table, alice: User, dora: User, charlie: User
) -> None:
    assert pull_taps(as_user(dora), table, 0).status_code == 204
    assert pull_taps(as_user(charlie), table, 0).status_code == 404
    Participant.objects.filter(user=dora).delete()
    send_taps(as_user(alice), table, pushed(taps.Note(text="Charge!")))
    assert pull_taps(as_user(dora), table, 0).status_code == 404


def test_push_without_taps_is_answered_with_a_reason(
    as_user: AsUser, table: Table, alice: User
) -> None:
    address = reverse("campaigns:table-taps", args=[table.pk])
    client, why = as_user(alice), "That cannot be noted at a table."
    answer = client.post(address, "{}", content_type="application/json")
    assert (answer.status_code, answer.json()) == (422, {"error": why})
    assert client.post(address, {"taps": "{}"}).status_code == 302
    assert storage.log_of(table) == []


def test_invalid_tap_is_reported_by_its_place(as_user: AsUser, table: Table, alice: User) -> None:
    rows = [pushed(taps.Note(text=f"{place}")) for place in range(3)]
    bad = rows[1].model_copy(update={"turn": 100})
    heard = send_taps(as_user(alice), table, rows[0], bad, rows[2]).json()
    assert heard["refused"] == {"1": "That cannot be noted at a table."}
    assert [one.tap for one in storage.log_of(table)] == [rows[0].tap, rows[2].tap]


def test_tap_without_room_is_reported(
    as_user: AsUser, table: Table, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "MOST_TAPS", 1)
    rows = [pushed(taps.TurnEnded()) for _time in range(2)]
    for _again in range(2):
        heard = send_taps(as_user(alice), table, *rows).json()
        assert heard["refused"] == {"1": "This table is full (notes: 1)."}
    assert [one.device_seq for one in storage.log_of(table)] == [rows[0].n]


def with_imports(script: Path) -> set[Path]:
    """A script and its imports, without imports that are loaded on demand."""
    found = {script.resolve()}
    for address in re.findall(r'^import (?:.* from )?"([^"]+)";', script.read_text("utf-8"), re.M):
        found |= with_imports(script.parent / address)
    return found


def test_scripts_are_small(as_user: AsUser, table: Table, alice: User) -> None:
    """All scripts that make the table live. Keeping a game on the phone comes after them, and
    handing over taps on demand."""
    page = as_user(alice).get(table.get_absolute_url()).content.decode()
    first = re.findall(r'<script type="module" src="/static/(table/\w+\.js)"', page)
    later = re.findall(r'<link rel="modulepreload" href="/static/([\w/]+\.js)"', page)
    scripts = {script for name in first for script in with_imports(STATIC / name)}
    assert {STATIC / name for name in (*first, *later)} == scripts
    assert len(scripts) == len(first) + len(later) > 6
    assert sum(len(gzip.compress(script.read_bytes())) for script in scripts) <= 15 * 1024


def test_button_of_the_page_stores_one_tap(as_user: AsUser, table: Table, alice: User) -> None:
    client, address = as_user(alice), reverse("campaigns:table-taps", args=[table.pk])
    tap = taps.Note(text="Charge!")
    data = {"token": uuid.uuid4(), "after": 0, "turn": 1, "taps": f"[{tap.model_dump_json()}]"}
    for _time in range(2):
        assert client.post(address, data)["Location"] == table.get_absolute_url()
    assert [one.tap for one in storage.log_of(table)] == [tap]


@pytest.mark.parametrize(
    "more", [{"after": "-1"}, {"after": "9" * 9}, {"after": "x", "turn": "-7"}]
)
def test_form_with_odd_numbers_still_stores_its_tap(
    as_user: AsUser, table: Table, alice: User, more: dict[str, str]
) -> None:
    address, tap = reverse("campaigns:table-taps", args=[table.pk]), taps.Note(text="Charge!")
    data = {"token": "one", "after": 0, "turn": 1, "taps": f"[{tap.model_dump_json()}]", **more}
    assert as_user(alice).post(address, data).status_code == 302
    assert [(one.after, one.turn) for one in storage.log_of(table)] == [(0, 1)]


def test_table_of_a_game_is_opened_only_by_players_and_organisers(
    as_user: AsUser, campaign: Campaign, alice: User, bob: User, charlie: User, hers: Gang,
    theirs: Gang,
) -> None:  # fmt: skip
    game = make_game(campaign, alice, hers, theirs)
    address = reverse("campaigns:game-play", args=[game.pk])
    assert as_user(charlie).post(address).status_code == 404
    assert as_user(alice).get(address)["Location"] == game.get_absolute_url()
    assert not Table.objects.exists()
    assert as_user(bob).post(address)["Location"] == Table.objects.get().get_absolute_url()
    assert as_user(alice).get(address)["Location"] == Table.objects.get().get_absolute_url()
