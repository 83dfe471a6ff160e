"""Removing a player who has open games."""

from __future__ import annotations

import pytest
from django.urls import reverse

from campaigns.club.people import joining
from campaigns.games import departures, results
from campaigns.models import Barred, Game, Membership
from campaigns.postgames import drafts
from gangs.ledger.replay import prove
from gangs.models import Gang
from tests.world.campaigns import (
    answered,
    confirmed,
    make_campaign,
    make_game,
    reported,
    side_of,
)


def remove(browser, campaign, user, **data):
    seat = campaign.participants.get(user=user)
    return browser.post(reverse("campaigns:remove", args=[campaign.pk, seat.pk]), data)


@pytest.mark.parametrize(
    ("press", "how", "kinds"),
    [("void", "void", {"level"}), ("walk-over", "walk-over", {"loser", "winner"})],
)
def test_one_press_removes_a_player_and_settles_planned_games(
    campaign, hers, theirs, alice, bob, as_user, press, how, kinds
):
    game = make_game(campaign, alice, hers, theirs)
    browser = as_user(bob)
    page = browser.get(reverse("campaigns:people", args=[campaign.pk])).content.decode()
    assert 'name="games" value="void"' in page and 'name="games" value="walk-over"' in page
    assert remove(browser, campaign, alice, games=press, bar="1").status_code == 302
    game.refresh_from_db()
    assert (game.status, game.how) == ("confirmed", how)
    assert {side.side for side in game.sides.all()} == kinds
    if press == "walk-over":
        assert side_of(game, theirs).side == "winner"
    assert not campaign.participants.filter(user=alice).exists()
    assert Membership.objects.get(gang=hers).left_at is not None
    assert Barred.objects.get().user == alice
    assert not prove().different


def test_removed_gang_is_free_for_another_campaign(campaign, hers, theirs, alice, bob):
    make_game(campaign, alice, hers, theirs)
    seat = campaign.participants.get(user=alice)
    departures.remove(campaign, seat, ending="void", actor=bob)
    other, gang = make_campaign(bob), Gang.objects.get(pk=hers.pk)
    joining.join(other, gang, actor=alice, expected_version=gang.version)
    assert not joining.open_sides(gang).exists()


def test_reported_game_of_a_removed_player_counts_as_reported(
    campaign, hers, theirs, alice, dora, bob
):
    game = reported(make_game(campaign, dora, theirs, hers), dora)
    departures.remove(campaign, campaign.participants.get(user=alice), ending="void", actor=bob)
    game.refresh_from_db()
    assert (game.status, game.how, game.result) == ("confirmed", "played", "crushing")
    side = answered(side_of(game, hers))
    drafts.commit(side, seen_draft=side.draft_version, seen_gang=side.gang.version, actor=alice)
    assert Gang.objects.get(pk=hers.pk).owner == alice


def test_disputed_game_ends_as_the_press_says(campaign, hers, theirs, alice, dora, bob):
    game = reported(make_game(campaign, alice, hers, theirs), alice)
    results.dispute(game, comment="No.", actor=dora, expected_version=game.version)
    departures.remove(
        campaign, campaign.participants.get(user=alice), ending="walk-over", actor=bob
    )
    game.refresh_from_db()
    assert (game.status, game.how) == ("confirmed", "walk-over")
    assert side_of(game, theirs).side == "winner"


def test_open_post_game_does_not_keep_a_player(campaign, hers, theirs, alice, dora, bob, as_user):
    game = confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    browser = as_user(bob)
    assert remove(browser, campaign, alice).status_code == 422
    assert remove(browser, campaign, alice, games="void").status_code == 302
    game.refresh_from_db()
    assert game.how == "played", "a confirmed game stays as it is"


def test_stale_page_without_a_choice_settles_nothing(campaign, hers, theirs, alice, bob, as_user):
    game = make_game(campaign, alice, hers, theirs)
    answer = remove(as_user(bob), campaign, alice)
    assert answer.status_code == 422 and "not settled" in answer.content.decode()
    assert Game.objects.get(pk=game.pk).status == "planned"
