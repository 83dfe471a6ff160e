"""Visitors build before they sign up, and keep what they built."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from gangs.access import MOST_GUEST_GANGS
from gangs.models import Gang
from gangs.upkeep import clear_guests
from tests.make import POINTS, make_gang, make_version

pytestmark = pytest.mark.django_db


def found(client: Client, name: str = "Wanderers") -> Gang:
    make_version()
    answer = client.post(f"/gangs/new/{POINTS}/", {"name": name, "token": name})
    assert answer.status_code == 302, answer.content
    return Gang.objects.latest("created_at")


def test_a_visitor_builds_and_only_their_browser_sees_it(client: Client) -> None:
    gang = found(client)
    assert gang.owner is None
    assert client.get(gang.get_absolute_url()).status_code == 200
    assert (
        "this gang lives in this browser only"
        in client.get(gang.get_absolute_url()).content.decode()
    )
    assert Client().get(gang.get_absolute_url()).status_code == 404
    assert "Wanderers" in client.get("/").content.decode()


def test_it_is_claimed_at_sign_up(client: Client) -> None:
    gang = found(client)
    answer = client.post(
        "/accounts/signup/",
        {
            "username": "newcomer",
            "password1": "a long enough phrase",
            "password2": "a long enough phrase",
        },
        follow=True,
    )
    assert answer.status_code == 200
    gang.refresh_from_db()
    assert gang.owner == User.objects.get(username="newcomer")
    assert "Wanderers" in client.get("/gangs/").content.decode()


def test_it_is_claimed_at_sign_in(client: Client, alice: User) -> None:
    gang = found(client)
    client.post("/accounts/login/", {"login": "alice", "password": "correct horse battery"})
    gang.refresh_from_db()
    assert gang.owner == alice
    assert client.get(gang.get_absolute_url()).status_code == 200


def test_somebody_elses_gang_is_never_claimed(client: Client, alice: User, bob: User) -> None:
    gang = found(client)
    gang.owner = bob
    gang.save()
    client.post("/accounts/login/", {"login": "alice", "password": "correct horse battery"})
    gang.refresh_from_db()
    assert gang.owner == bob


def test_a_visitor_has_room_for_a_few_gangs(client: Client) -> None:
    for number in range(MOST_GUEST_GANGS):
        found(client, f"Gang {number}")
    answer = client.post(f"/gangs/new/{POINTS}/", {"name": "One more", "token": "t"})
    assert answer["Location"] == "/accounts/signup/"
    assert Gang.objects.count() == MOST_GUEST_GANGS


def test_founding_twice_with_one_form_founds_once(client: Client) -> None:
    gang = found(client)
    answer = client.post(f"/gangs/new/{POINTS}/", {"name": "Wanderers", "token": "Wanderers"})
    assert answer["Location"] == gang.get_absolute_url()
    assert Gang.objects.count() == 1


def test_a_gang_needs_a_name_and_keeps_what_was_chosen(client: Client) -> None:
    make_version()
    answer = client.post(f"/gangs/new/{POINTS}/", {"name": " ", "option-fame_level": "350"})
    text = answer.content.decode()
    assert answer.status_code == 422 and 'value="350"' in text
    assert client.get("/gangs/new/no-such-game/").status_code == 404


def test_a_ready_made_gang_is_a_start(client: Client) -> None:
    make_version()
    page = client.get(f"/gangs/new/{POINTS}/").content.decode()
    sample = Gang.objects.count()
    key = page.split('name="sample" value="')[1].split('"')[0]
    client.post(f"/gangs/new/{POINTS}/", {"sample": key, "token": "s"})
    assert Gang.objects.count() == sample + 1
    assert Gang.objects.latest("created_at").size >= 5


def test_what_no_session_can_reach_is_forgotten(client: Client, alice: User) -> None:
    old, fresh, owned = found(client, "Old"), found(client, "Fresh"), make_gang(alice)
    long_ago = timezone.now() - timedelta(days=100)
    Gang.objects.filter(pk__in=[old.pk, owned.pk]).update(changed_at=long_ago)
    clear_guests()
    assert set(Gang.objects.all()) == {fresh, owned}
