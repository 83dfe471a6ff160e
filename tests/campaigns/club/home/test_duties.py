"""The list of things to do above a player's gangs, and its counts."""

from __future__ import annotations

from datetime import timedelta

from django.urls import reverse
from django.utils import timezone

from campaigns.club.home.duties import MOST_GAMES, games_waiting, overview
from campaigns.club.people import joining
from campaigns.games import results
from campaigns.postgames import correction
from tests.campaigns.postgames.test_drafts import committed
from tests.world.campaigns import confirmed, make_game, reported, side_of


def texts(user) -> list[str]:
    return [duty.text for duty in overview(user).duties]


def test_duties_follow_a_game_to_its_end(campaign, hers, theirs, alice, dora, charlie, as_user):
    game = make_game(campaign, alice, hers, theirs)
    assert texts(alice) == texts(dora) == ["Played? Report the result"]
    game = reported(game, alice)
    assert texts(alice) == [] and texts(dora) == ["Is that right? Confirm or dispute"]
    page = as_user(dora).get(reverse("gangs:list")).content.decode()
    assert f'<a href="{game.get_absolute_url()}#verdict">Is that right?' in page
    assert "Waiting for you" in page and campaign.name in page
    assert "Waiting for you" not in as_user(alice).get(reverse("gangs:list")).content.decode()

    results.dispute(game, comment="No.", actor=dora, expected_version=game.version)
    game.refresh_from_db()
    assert texts(alice) == ["dora disagrees"] and texts(dora) == []
    game = confirmed(game, dora)
    assert texts(alice) == [f"{hers.name} (alice): play your post-game"]
    side = side_of(game, hers)
    (duty,) = overview(alice).duties
    assert duty.url == reverse("campaigns:postgame", args=[game.pk, side.pk])
    side = committed(side, alice)
    assert texts(alice) == [] and texts(dora) and texts(charlie) == []
    correction.begin_correction(side_of(game, hers), expected_version=side.draft_version)
    assert texts(alice) == [f"{hers.name} (alice): play your post-game again"]
    joining.archive(campaign)
    assert texts(dora) == []


def test_duties_leave_out_a_game_to_come(campaign, hers, theirs, alice):
    tomorrow = timezone.localdate() + timedelta(days=1)
    make_game(campaign, alice, hers, theirs, day=tomorrow)
    assert texts(alice) == []


def test_games_waiting_stops_at_a_limit_in_three_queries(
    campaign, hers, theirs, alice, django_assert_num_queries
):
    with django_assert_num_queries(1):
        assert games_waiting(alice) == []
    for _ in range(MOST_GAMES + 3):
        make_game(campaign, alice, hers, theirs)
    with django_assert_num_queries(3):
        assert len(games_waiting(alice)) == MOST_GAMES


def test_game_of_a_gang_without_a_player_is_a_duty_of_its_organiser(
    campaign, hers, theirs, alice, dora, bob
):
    game = make_game(campaign, alice, hers, theirs)
    joining.part(campaign, theirs, behind=True, actor=dora)
    reported(game, alice)
    sentence = f"Nobody plays {theirs.name}: an organiser decides"
    assert sentence in [duty.text for duty in games_waiting(bob, [campaign.pk])]
    assert games_waiting(dora) == []
    game.refresh_from_db()
    results.decide(game, actor=bob, expected_version=game.version)
    [duty] = games_waiting(bob, [campaign.pk])
    assert "an organiser plays its post-game" in duty.text
    side = side_of(game, theirs)
    assert duty.url == reverse("campaigns:postgame", args=[game.pk, side.pk])
