"""Waiting pages poll the server for news."""

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
    """Return the state in which a page was made; "" if it does not poll."""
    found = re.search(r'data-waits="(\w+)"', client.get(address).content.decode())
    return found[1] if found else ""


def poll_page(client: Client, address: str, since: str) -> int:
    """Return the status of a poll."""
    return client.get(address, {"since": since}).status_code


def test_waiting_game_page_sees_the_confirmation(client: Client, alice: User, bob: User) -> None:
    campaign = make_campaign(alice)
    game = make_game(campaign, alice, make_player(campaign, alice), make_player(campaign, bob))
    game = reported(game, alice)
    client.force_login(alice)
    address = game.get_absolute_url()
    before = state(client, address)
    assert before
    assert poll_page(client, address, before) == 204
    confirmed(game, bob)
    assert poll_page(client, address, before) == 200
    # The page does not poll any more.
    assert state(client, address) == ""


def test_night_page_sees_new_answers(client: Client, alice: User, bob: User) -> None:
    campaign = make_campaign(alice)
    night, gang = make_night(campaign), make_player(campaign, bob)
    client.force_login(alice)
    address = night.get_absolute_url()
    before = state(client, address)
    assert poll_page(client, address, before) == 204
    schedule.answer(night, gang, Attendance.Answer.YES, actor=bob)
    assert poll_page(client, address, before) == 200
    assert state(client, address) not in ("", before)


def test_poll_makes_fewer_queries_than_the_page(client: Client, alice: User, bob: User) -> None:
    campaign = make_campaign(alice)
    game = make_game(campaign, alice, make_player(campaign, alice), make_player(campaign, bob))
    client.force_login(alice)
    address = game.get_absolute_url()
    since = state(client, address)
    with CaptureQueriesContext(connection) as asking:
        assert poll_page(client, address, since) == 204
    with CaptureQueriesContext(connection) as looking:
        client.get(address)
    assert len(asking) < len(looking) and len(asking) <= 6


@pytest.mark.parametrize("place", ["tonight", "campaign"])
def test_home_and_campaign_pages_see_answers_and_plans(
    client: Client, alice: User, bob: User, place: str
) -> None:
    campaign = make_campaign(alice)
    night, mine = make_night(campaign), make_player(campaign, alice)
    gang = make_player(campaign, bob)
    client.force_login(alice)
    address = reverse("tonight") if place == "tonight" else campaign.get_absolute_url()
    before = state(client, address)
    assert poll_page(client, address, before) == 204
    schedule.answer(night, gang, Attendance.Answer.YES, actor=bob)
    assert poll_page(client, address, before) == 200
    before = state(client, address)
    make_game(campaign, bob, mine, gang)
    assert poll_page(client, address, before) == 200


def test_page_of_an_archived_campaign_does_not_poll(client: Client, alice: User) -> None:
    campaign = make_campaign(alice)
    client.force_login(alice)
    assert state(client, campaign.get_absolute_url())
    campaign.archived_at = timezone.now()
    campaign.save()
    assert state(client, campaign.get_absolute_url()) == ""
