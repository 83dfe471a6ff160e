"""Trackers that go up as the price of more dice, in both games."""

from __future__ import annotations

import html
import uuid

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.table import people, storage
from campaigns.table.access import device_of_forms
from campaigns.table.attempts.attempt import Attempt
from campaigns.table.attempts.roll import find_offers, keep_dice, play_faces
from campaigns.table.folded import fold_table
from rules.book.model import Book
from tests.campaigns.table.attempts.test_roll import thrown
from tests.campaigns.table.test_storage import opened
from tests.games.club import Club, recruit
from tests.rules.small import mistakes, row, text
from tests.world.attempts import Bout, figure, table


def test_a_price_that_rises_is_possible_up_to_the_maximum(circle: Book) -> None:
    caller = figure("caller", traits=("knocking",))
    bout = Bout(table(circle, [caller], [figure("sitter")]))
    pending = thrown(bout, bout.attempt("call", "1.1", item="knocking"), lambda wanted: 1)
    offers = find_offers(bout.folded, pending)
    assert [(one.spend.key, one.payer, one.left) for one in offers] == [("strain", "1.1", 6)]
    bout.tap("set", figure="1.1", track="dread", to=6)
    assert not find_offers(bout.folded, pending)


@pytest.mark.django_db
def test_spending_raises_the_tracker_at_the_table(
    client: Client, players: list[User], terraces: Book
) -> None:
    club = Club(terraces, players[0], players)
    for name in ("South", "North"):
        club.found(name, recruit("elder", f"Elder of {name}"))
    there = opened(club.campaign, players[0], club.gang("South"), club.gang("North"))
    start, now = people.start_of(there), fold_table(there).now
    who = start.figures[0].key
    made = Attempt(who, "lift")
    played = play_faces(made.question(start, now), ((1,),))
    rolled = keep_dice(made, played, thrown=True, is_open=True)
    act = uuid.uuid4()
    device = device_of_forms(there.pk, f"user {players[0].pk}")
    storage.say(there, players[0], device, [rolled], act=act, after=0, turn=1)
    client.force_login(players[0])
    page = html.unescape(client.get(there.get_absolute_url()).content.decode())
    assert "Weariness: 0 → 1" in page
    dice = reverse("campaigns:table-dice", args=[there.pk, act])
    client.post(dice, {"spend": "strain", "seen": 1, "turn": 1, "after": 1})
    assert fold_table(there).now.figures[who].tracks["weariness"] == 1


def test_checker_says_what_can_rise() -> None:
    numbers = [{"of": "load", "name": text("Load")}]
    roll = row("lift", steps=[{"sum": "load", "sides": 6}], numbers=numbers)
    spend = {"on": "load.again", "rolls": ["lift"], "raises": True}
    tracks = [row("points"), row("stress", per="member")]
    spends = [row("one", **spend), row("two", track="points", **spend)]
    found = mistakes(rolls=[roll], tracks=tracks, spends=spends)
    assert found == {
        "spends.0.raises": ["is only used with “track”"],
        "spends.1.track": ["only a tracker of members can be raised"],
    }
