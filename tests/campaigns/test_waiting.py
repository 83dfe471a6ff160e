"""Pages that wait for somebody else ask whether there is anything new, and mostly there is not."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from campaigns.club.nights import schedule
from campaigns.models import Attendance
from tests.world.campaigns import (
    confirmed,
    make_campaign,
    make_game,
    make_night,
    make_player,
    reported,
)


@pytest.fixture
def bob(db: None) -> User:
    """Another player."""
    return User.objects.create_user("bob")


def state(client: Client, address: str) -> str:
    """In what state a page was made; "" if it waits for nobody."""
    found = re.search(r'data-waits="(\w+)"', client.get(address).content.decode())
    return found[1] if found else ""


def asked(client: Client, address: str, since: str) -> int:
    """What a page that asks is answered."""
    return client.get(address, {"since": since}).status_code


def test_a_game_that_waits_for_confirmation(client: Client, alice: User, bob: User) -> None:
    campaign = make_campaign(alice)
    game = make_game(campaign, alice, make_player(campaign, alice), make_player(campaign, bob))
    game = reported(game, alice)
    client.force_login(alice)
    address = game.get_absolute_url()
    before = state(client, address)
    assert before
    assert asked(client, address, before) == 204
    confirmed(game, bob)
    assert asked(client, address, before) == 200
    # Nothing is waited for any more.
    assert state(client, address) == ""


def test_answers_to_a_night(client: Client, alice: User, bob: User) -> None:
    campaign = make_campaign(alice)
    night, gang = make_night(campaign), make_player(campaign, bob)
    client.force_login(alice)
    address = night.get_absolute_url()
    before = state(client, address)
    assert asked(client, address, before) == 204
    schedule.answer(night, gang, Attendance.Answer.YES, actor=bob)
    assert asked(client, address, before) == 200
    assert state(client, address) not in ("", before)


def test_asking_costs_less_than_the_page(client: Client, alice: User, bob: User) -> None:
    campaign = make_campaign(alice)
    game = make_game(campaign, alice, make_player(campaign, alice), make_player(campaign, bob))
    client.force_login(alice)
    address = game.get_absolute_url()
    since = state(client, address)
    with CaptureQueriesContext(connection) as asking:
        assert asked(client, address, since) == 204
    with CaptureQueriesContext(connection) as looking:
        client.get(address)
    assert len(asking) < len(looking) and len(asking) <= 6


@pytest.mark.parametrize("place", ["tonight", "campaign"])
def test_what_others_answer_and_plan(client: Client, alice: User, bob: User, place: str) -> None:
    campaign = make_campaign(alice)
    night, mine = make_night(campaign), make_player(campaign, alice)
    gang = make_player(campaign, bob)
    client.force_login(alice)
    address = reverse("tonight") if place == "tonight" else campaign.get_absolute_url()
    before = state(client, address)
    assert asked(client, address, before) == 204
    schedule.answer(night, gang, Attendance.Answer.YES, actor=bob)
    assert asked(client, address, before) == 200
    before = state(client, address)
    make_game(campaign, bob, mine, gang)
    assert asked(client, address, before) == 200


def test_nobody_waits_for_a_campaign_that_is_over(client: Client, alice: User) -> None:
    campaign = make_campaign(alice)
    client.force_login(alice)
    assert state(client, campaign.get_absolute_url())
    campaign.archived_at = timezone.now()
    campaign.save()
    assert state(client, campaign.get_absolute_url()) == ""
