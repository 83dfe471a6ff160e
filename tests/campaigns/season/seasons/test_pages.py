"""Pages of all seasons: only what the reader may see, and links between seasons."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from accounts import deletion
from accounts.models import User
from campaigns.club.next_season.storage import set_previous
from campaigns.club.people import joining
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


def test_past_season_stays_its_players_when_the_gang_changes_hands(
    campaign: Campaign,
    hers: Gang,
    theirs: Gang,
    alice: User,
    bob: User,
    dora: User,
    charlie: User,
    as_user: SignIn,
) -> None:
    confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    joining.archive(campaign)
    second = make_campaign(bob)
    set_previous(second, campaign)
    gang = Gang.objects.get(pk=hers.pk)
    joining.join(second, gang, actor=alice, expected_version=gang.version)
    second.take_part(charlie)
    joining.hand_over(second, gang, charlie, expected_owner=alice.pk, actor=bob)
    played = {}
    for user in (alice, charlie):
        page = as_user(bob).get(reverse("campaigns:player", args=[second.pk, user.pk]))
        played[user] = [one.season.id for one in page.context["career"].seasons]
    assert played == {alice: [str(campaign.pk)], charlie: [str(second.pk)]}


def test_player_with_another_name_or_without_an_account(
    seasons: tuple[Campaign, Campaign],
    alice: User,
    bob: User,
    dora: User,
    as_user: SignIn,
) -> None:
    """A new name counts for the past, too; without an account only the gang's result is left."""
    first, _second = seasons
    User.objects.filter(pk=alice.pk).update(username="alicia")
    deletion.delete(dora)
    page = read(as_user(bob), "seasons", first)
    assert "alicia" in page and "alice" not in page and "dora" not in page
    assert "1–0–0" in page


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
