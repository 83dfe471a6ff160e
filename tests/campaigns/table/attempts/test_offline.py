"""Attempts of a figure that a phone knows without a network."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.models import Table
from campaigns.table import storage
from campaigns.table.access import TableSeat
from campaigns.table.attempts import offline
from campaigns.table.attempts.forms import read_form
from campaigns.table.board import Board, load
from campaigns.table.fold import fold
from campaigns.table.pages import table_page
from campaigns.table.taps import Rolled
from tests.campaigns.table.attempts.test_views import figures
from tests.campaigns.table.test_storage import pushed
from tests.random_cases import one_soon
from tests.world.campaigns import make_campaign, make_game, make_player
from tests.world.gangs import SLUGS

AsUser = Callable[[User], Client]


@pytest.fixture(params=one_soon(SLUGS))
def table(request: pytest.FixtureRequest, alice: User, bob: User) -> Table:
    """A table of each game."""
    campaign = make_campaign(bob, request.param)
    game = make_game(campaign, alice, make_player(campaign, alice), make_player(campaign, bob))
    return storage.open_for(game, list(game.sides.select_related("gang__owner")))


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set no time limit, so that slow machines pass."""
    monkeypatch.setattr(offline, "LONGEST", 60)


def board(table: Table, user: User) -> Board:
    seat = TableSeat(table, taps=True, device=table.pk, user=user.pk, guest="")
    return load(seat)


def rolled(end: dict[str, Any]) -> dict[str, Any]:
    [found] = [tap for tap in end["taps"] if tap["kind"] == "rolled"]
    return dict(found)


@pytest.mark.long
@pytest.mark.django_db
def test_offline_attempts_have_the_right_odds_and_valid_taps(
    table: Table, alice: User, as_user: AsUser
) -> None:
    """Every outcome of an attempt is listed once, and the table accepts its taps."""
    by = figures(table, 1)[0]
    there = board(table, alice)
    rows = offline.list_attempts(there, by)
    assert rows
    for row in rows:
        assert abs(sum(end["chance"] for end in row["ends"]) - 1) < 1e-9
        assert len({json.dumps(end["taps"]) for end in row["ends"]}) == len(row["ends"])
        # Nobody could be asked: they count as they fall.
        assert not any(rolled(end).get("open") for end in row["ends"])
    # The likeliest come first, and each outcome is as likely as its form says.
    for row in rows[:: max(1, len(rows) // 6)]:
        shares = [end["chance"] for end in row["ends"]]
        assert shares == sorted(shares, reverse=True)
        told = rolled(row["ends"][0])
        item = ".".join(filter(None, (told.get("item"), told.get("mode"))))
        done = next((tap["action"] for tap in row["ends"][0]["taps"] if tap.get("action")), "")
        says = {"by": by, "at": told.get("at"), "item": item, "action": done}
        query = QueryDict(urlencode({key: value for key, value in says.items() if value}))
        form = read_form(query, there.start, there.now, there.names, told["roll"])
        found: defaultdict[str, float] = defaultdict(float)
        for end in row["ends"]:
            found[rolled(end).get("outcome") or ""] += end["chance"]
        wanted = {key: float(chance) for key, chance in form.asked.odds.outcomes.items() if chance}
        assert dict(found) == pytest.approx(wanted or {"": 1.0})
    for end in [end for row in rows[:: max(1, len(rows) // 8)] for end in row["ends"][:3]]:
        sent = [{"tap": tap} for tap in end["taps"]]
        text = json.dumps([json.loads(pushed_json(one["tap"])) for one in sent]).encode()
        found_rows = storage.read_pushed(text)
        assert None not in found_rows
        log = [one for one in found_rows if one is not None]
        assert all(isinstance(seq, int) for seq in storage.push(table, alice, log))
    now = fold(there.start, storage.log_of(table))
    assert now.unknown == frozenset()


@pytest.mark.django_db
def test_offline_attempts_begin_with_attacks_and_can_be_told_apart(
    table: Table, alice: User
) -> None:
    """Two actions may have the same roll, such as a shot with one pistol or with two."""
    there = board(table, alice)
    for by in figures(table, 1):
        rows = offline.list_attempts(there, by)
        names = [(row["roll"], row["item"], row["at"]) for row in rows]
        assert len({*names}) == len(names)
        assert rows[0]["item"] or not any(row["item"] and row["at"] for row in rows)


def pushed_json(tap: dict[str, Any]) -> str:
    """A tap as a phone sends it."""
    row = pushed(Rolled(roll="x", by=1))
    return json.dumps(row.model_dump(mode="json") | {"tap": tap})


@pytest.mark.django_db
def test_slow_attempts_are_left_out(
    table: Table, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    by, there = figures(table, 1)[0], board(table, alice)
    everything = offline.list_attempts(there, by)
    monkeypatch.setattr(offline, "LONGEST", 0)
    assert offline.list_attempts(there, by) == []
    assert len(everything) > 1


@pytest.mark.long
@pytest.mark.django_db
def test_player_takes_only_their_own_figures_offline(
    table: Table, alice: User, as_user: AsUser
) -> None:
    client, there = as_user(alice), board(table, alice)
    found = [*table_page.list_addresses(there)]
    mine = figures(table, 1)
    assert [path for path in found if path.endswith(".json")] == [
        reverse("campaigns:table-beforehand", args=[table.pk, key]) for key in mine
    ]
    answer = client.get(reverse("campaigns:table-beforehand", args=[table.pk, mine[0]]))
    assert answer.json()["attempts"] == offline.list_attempts(there, mine[0])
    nobody = reverse("campaigns:table-beforehand", args=[table.pk, "9.9"])
    assert client.get(nobody).status_code == 404
    # All others are pages that she may see, and that a browser may keep.
    for path in found:
        if not path.endswith(".json"):
            page = client.get(path)
            assert page.status_code == 200 and " data-keep" in page.content.decode(), path
