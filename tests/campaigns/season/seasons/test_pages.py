"""Pages of all seasons: only what the reader may see, and links between seasons."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.club.next_season.storage import set_previous
from campaigns.models import Campaign
from gangs.models import Gang
from tests.world.campaigns import confirmed, make_campaign, make_game, make_player, reported

SignIn = Callable[[User], Client]


@pytest.fixture
def seasons(
    campaign: Campaign, hers: Gang, theirs: Gang, alice: User, bob: User, dora: User
) -> tuple[Campaign, Campaign]:
    """Two linked seasons: alice won the first against dora, and plays alone in the second."""
    confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    campaign.archived_at = campaign.created_at
    campaign.save()
    second = make_campaign(bob)
    set_previous(second, campaign)
    make_player(second, alice)
    return campaign, second


def read(browser: Client, name: str, campaign: Campaign, *more: object) -> str:
    page = browser.get(reverse(f"campaigns:{name}", args=[campaign.pk, *more]))
    assert page.status_code == 200
    return page.content.decode()


@pytest.mark.long
def test_all_time_table_adds_up_the_seasons(
    seasons: tuple[Campaign, Campaign], alice: User, as_user: SignIn
) -> None:
    first, second = seasons
    page = read(as_user(alice), "seasons", second)
    assert first.get_absolute_url() in page
    assert "1–0–0" in page and "0–0–1" in page
    assert "Won by" in page


def test_reader_sees_only_their_own_seasons(
    seasons: tuple[Campaign, Campaign], alice: User, charlie: User, as_user: SignIn
) -> None:
    first, second = seasons
    second.participants.create(user=charlie, role="spectator")
    page = read(as_user(charlie), "seasons", second)
    assert first.get_absolute_url() not in page
    assert "1–0–0" not in page and "dora" not in page
    career = read(as_user(charlie), "player", second, alice.pk)
    assert first.get_absolute_url() not in career


def test_player_page_has_seasons_and_opponents(
    seasons: tuple[Campaign, Campaign], alice: User, dora: User, as_user: SignIn
) -> None:
    first, second = seasons
    page = read(as_user(dora), "player", first, alice.pk)
    assert "place 1 of 2" in page
    assert reverse("campaigns:player", args=[first.pk, dora.pk]) in page
    # Dora does not take part in the second season.
    assert second.get_absolute_url() not in page


def test_page_of_somebody_without_a_gang_does_not_exist(
    seasons: tuple[Campaign, Campaign], alice: User, charlie: User, as_user: SignIn
) -> None:
    address = reverse("campaigns:player", args=[seasons[1].pk, charlie.pk])
    assert as_user(alice).get(address).status_code == 404


def test_organiser_links_an_earlier_season(
    campaign: Campaign, bob: User, alice: User, as_user: SignIn
) -> None:
    earlier, foreign = make_campaign(bob), make_campaign(alice)
    browser, address = as_user(bob), reverse("campaigns:season-link", args=[campaign.pk])
    browser.post(address, {"previous": earlier.pk})
    campaign.refresh_from_db()
    assert campaign.previous == earlier
    for wrong in (foreign.pk, campaign.pk, "x"):
        browser.post(address, {"previous": wrong})
        campaign.refresh_from_db()
        assert campaign.previous == earlier
    browser.post(address, {"previous": ""})
    campaign.refresh_from_db()
    assert campaign.previous is None
