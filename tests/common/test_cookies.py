"""Signed cookies: they cannot be forged, and they expire."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from campaigns.access import MOST_WATCHED, WATCHED
from campaigns.models import Campaign, invite_key
from tests.world.campaigns import make_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(bob: User) -> Campaign:
    return make_campaign(bob)


def watch(client: Client, campaign: Campaign) -> int:
    client.get(reverse("campaigns:watch", args=[campaign.watch_key]))
    return reading(client, campaign)


def reading(client: Client, campaign: Campaign) -> int:
    return client.get(campaign.get_absolute_url()).status_code


def test_visitors_access_is_kept_when_they_sign_in(
    client: Client, campaign: Campaign, charlie: User
) -> None:
    assert watch(client, campaign) == 200
    client.force_login(charlie)
    assert reading(client, campaign) == 200
    client.post("/accounts/logout/")
    assert reading(client, campaign) == 200


def test_users_access_ends_when_they_sign_out(
    client: Client, campaign: Campaign, charlie: User, alice: User
) -> None:
    """The next user of the browser did not come by the link."""
    client.force_login(charlie)
    assert watch(client, campaign) == 200
    client.post("/accounts/logout/")
    assert reading(client, campaign) == 302
    client.force_login(alice)
    assert reading(client, campaign) == 404


def test_access_ends_with_its_link_or_after_its_age(
    client: Client, campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch(client, campaign)
    late = timezone.now() + timedelta(seconds=WATCHED.max_age + 1)
    with monkeypatch.context() as clock:
        clock.setattr("django.core.signing.time.time", late.timestamp)
        assert reading(client, campaign) == 302
    assert reading(client, campaign) == 200
    Campaign.objects.update(watch_key=invite_key())
    assert reading(client, campaign) == 302


@pytest.mark.long
def test_forged_cookie_gives_no_access(client: Client, campaign: Campaign, bob: User) -> None:
    watch(client, campaign)
    signed = client.cookies["watched"].value
    other = make_campaign(bob)
    value, *rest = signed.rsplit(":", 2)
    for forged in (
        f":{other.watch_key}",
        ":".join([f":{other.watch_key}", *rest]),
        f"{signed}x",
        "\xe9\xff",
        "",
        ":",
        value,
    ):
        client.cookies["watched"] = forged
        assert reading(client, other) == 302
        assert reading(client, campaign) == 302
    # A signature is valid for one cookie only.
    client.cookies["guest"] = signed
    assert client.get("/").status_code == 200


@pytest.mark.long
def test_only_the_last_links_are_remembered(client: Client, bob: User) -> None:
    campaigns = [make_campaign(bob) for _ in range(MOST_WATCHED + 1)]
    for campaign in campaigns:
        assert watch(client, campaign) == 200
    assert reading(client, campaigns[0]) == 302
    assert all(reading(client, campaign) == 200 for campaign in campaigns[1:])
    # Browsers accept up to 4,096 bytes.
    assert len(client.cookies["watched"].OutputString()) < 1_000
    # The same link twice counts once.
    watch(client, campaigns[1])
    watch(client, campaigns[-1])
    assert reading(client, campaigns[2]) == 200
