"""Taps that no page offers: the story shows them as unknown, and no page breaks."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.models import Campaign, Table
from campaigns.table import people, storage, taps
from campaigns.table.attempts.attempt import Attempt
from campaigns.table.attempts.roll import keep_dice, throw
from campaigns.table.fold import fold
from gangs.models import Gang
from tests.campaigns.table.test_storage import opened, pushed
from tests.world.campaigns import make_campaign, make_player

AsUser = Callable[[User], Client]
ACT = uuid.uuid4()
NOBODYS: list[dict[str, Any]] = [
    {"kind": "rolled", "roll": "nothing", "by": "BY", "at": "AT"},
    {"kind": "rolled", "roll": "duel", "by": "9.9", "at": "AT"},
    {"kind": "rolled", "roll": "duel", "by": 9},
    {"kind": "follows", "roll": "nothing", "who": "BY"},
    {"kind": "did", "figure": "BY", "action": "dance"},
    {"kind": "acted", "figure": "BY", "action": "dance"},
    {"kind": "tallied", "side": 1, "tally": "applause", "by": 3},
    {"kind": "tallied", "figure": "BY", "tally": "applause", "by": 3},
    {"kind": "dealt", "who": "9.9"},
    {"kind": "ordered", "figure": "9.9", "roll": "duel", "outcome": "out", "place": 0},
    {"kind": "ordered", "place": 0},
    {"kind": "declined", "side": 9},
    {"kind": "runs", "side": 9},
    {"kind": "runs", "side": 1},
]
DUEL: dict[str, Any] = {"kind": "rolled", "roll": "duel", "by": "BY", "at": "AT"}
STRANGE: list[dict[str, Any]] = [
    {"kind": "rolled", "roll": "duel", "by": "BY"},
    {"kind": "rolled", "roll": "duel", "by": "BY", "at": "BY"},
    {"kind": "rolled", "roll": "duel", "by": 1, "at": 2},
    {"kind": "rolled", "roll": "duel", "by": "BY", "at": "AT", "open": True},
    {"kind": "rolled", "roll": "duel", "by": "BY", "at": "AT", "faces": [[99], []], "open": True},
    {"kind": "rolled", "roll": "duel", "by": "BY", "facts": {"higher": "moon"}, "open": True},
    {"kind": "rolled", "roll": "duel", "by": 1, "at": 2, "faces": [[1, 1]], "open": True},
    {"kind": "rolled", "roll": "duel", "by": "BY", "at": "AT", "faces": [[1]] * 500},
    {"kind": "rolled", "roll": "duel", "by": "BY", "at": "AT", "item": "nothing", "mode": "none"},
    {"kind": "rolled", "roll": "duel", "by": "BY", "at": "AT", "facts": {"higher": "moon"}},
    {"kind": "rolled", "roll": "duel", "by": "BY", "at": "AT", "facts": {"supporters": 10**300}},
    {"kind": "rolled", "roll": "duel", "by": "BY", "at": "AT", "numbers": {"dealt": -(10**300)}},
    {"kind": "rolled", "roll": "duel", "by": "BY", "at": "AT", "numbers": {"dealt": 10**3000}},
    {"kind": "rolled", "roll": "duel", "by": "BY", "at": "AT", "facts": {"supporters": 10**3000}},
    {**DUEL, "facts": {"supporters": 10**3000, "higher": 10**400}, "open": True},
    {**DUEL, "facts": {"supporters": 10**400}, "faces": [[1], [2]], "open": True},
    {"kind": "rolled", "roll": "duel", "by": "BY", "at": "AT", "outcome": "x", "spent": ["luck"]},
    {"kind": "follows", "roll": "duel", "who": 2, "at": 2, "item": "nothing", "mode": "none"},
    {"kind": "out", "figure": "BY", "by": "9.9", "mark": "applause"},
    {"kind": "lost_weapon", "figure": "BY", "item": "nothing"},
    {"kind": "ordered", "figure": "BY", "roll": "duel", "outcome": "dance", "place": 99},
    {"kind": "ordered", "side": 2, "action": "dance", "place": 0, "distance": -999},
    {"kind": "began", "figure": "BY", "item": "nothing", "state": "STATE"},
    {"kind": "declined", "side": 2},
    {"kind": "declined", "side": 2, "holds": False},
    {"kind": "over", "result": None, "winner": 2},
    {"kind": "struck", "device": str(uuid.uuid4()), "device_seq": 7},
    {"kind": "settled", "acts": [str(ACT), str(ACT)]},
    {"kind": "counted", "figure": "BY", "side": 2, "track": "TRACK", "by": -999},
    {"kind": "set", "figure": "BY", "track": "TRACK", "to": 999},
    {"kind": "dealt", "alarm": "nothing", "roll": "nothing", "who": 1},
    {"kind": "dealt", "roll": "duel", "who": 1, "act": str(ACT), "stays": True},
    {"kind": "rolled", "roll": "duel", "by": "BY", "at": "AT", "alarm": "nothing"},
    {"kind": "follows", "roll": "duel", "who": "BY", "at": "BY", "many": True},
]


@pytest.fixture
def table(campaign: Campaign, alice: User, hers: Gang, theirs: Gang) -> Table:
    return opened(campaign, alice, hers, theirs)


def put_tap(table: Table, data: dict[str, Any], alice: User) -> taps.AnyTap:
    """Put the tap, about a figure of this table, into its log."""
    figures = people.start_of(table).figures
    words = {
        "BY": figures[0].key,
        "AT": figures[-1].key,
        "STATE": table.book.states[0].key,
        "TRACK": next(iter(figures[0].tracks)),
    }
    known = {
        key: words.get(value, value) if isinstance(value, str) else value
        for key, value in data.items()
    }
    tap = taps.TAPS.validate_python(known)
    storage.push(table, alice, [pushed(tap, act=ACT)])
    return tap


@pytest.mark.parametrize("data", NOBODYS)
def test_tap_about_unknown_things_changes_nothing(
    table: Table, alice: User, data: dict[str, Any]
) -> None:
    start = people.start_of(table)
    before = fold(start, [])
    put_tap(table, data, alice)
    now = fold(start, storage.log_of(table))
    assert len(now.unknown) == 1
    assert (now.figures, now.sides, now.tallies) == (before.figures, before.sides, before.tallies)
    assert now.follow_ups == ()


@pytest.mark.long
@pytest.mark.parametrize("data", [*NOBODYS, *STRANGE])
def test_forged_tap_breaks_no_page(
    as_user: AsUser, table: Table, alice: User, data: dict[str, Any]
) -> None:
    put_tap(table, data, alice)
    client, figure = as_user(alice), people.start_of(table).figures[0].key
    duel = reverse("campaigns:table-attempt", args=[table.pk, "duel"])
    assert table.game is not None
    for address in (
        table.get_absolute_url(),
        reverse("campaigns:table-story", args=[table.pk]),
        reverse("campaigns:table-since", args=[table.pk, 0]),
        reverse("campaigns:table-figure", args=[table.pk, figure]),
        f"{duel}?by={figure}",
        table.game.get_absolute_url(),
        reverse("campaigns:game-report", args=[table.game.pk]),
    ):
        assert (address, client.get(address).status_code) == (address, 200)
    dice = reverse("campaigns:table-dice", args=[table.pk, ACT])
    assert client.get(dice).status_code in (200, 404)
    for spend in ("", "luck"):
        assert client.post(dice, {"spend": spend, "seen": 1}).status_code in (302, 404)


def test_open_dice_with_an_impossible_distance_break_no_page(
    as_user: AsUser, bob: User, alice: User, dora: User
) -> None:
    """A leader, who may spend luck on it, falls from higher than any form takes."""
    campaign = make_campaign(bob, "blackwater-gulch")
    players = (make_player(campaign, alice), make_player(campaign, dora))
    western = opened(campaign, alice, *players)
    start = people.start_of(western)
    leader = next(one for one in start.figures if one.leads)
    height = {"height": 10**6}
    asked = Attempt(leader.key, "fall", said=height).question(start, fold(start, []))
    played = throw(asked, lambda _sides: 1)
    fallen = keep_dice(Attempt(leader.key, "fall"), played, thrown=False, is_open=True)
    put_tap(western, {**fallen.model_dump(), "facts": height}, alice)
    dice = reverse("campaigns:table-dice", args=[western.pk, ACT])
    for address in (western.get_absolute_url(), dice):
        assert as_user(dora).get(address).status_code == 200
    as_user(dora).post(dice, {"seen": 1})
    lost = [tap.by for one in storage.log_of(western) if isinstance(tap := one.tap, taps.Counted)]
    assert lost == [-leader.tracks["hp"]]
