"""The page with all results of a night."""

from __future__ import annotations

import uuid

from django.test import Client
from django.urls import reverse

from campaigns.club.planning import plans
from campaigns.club.planning.plans import Plan
from campaigns.models import Game
from tests.world.campaigns import confirmed, make_night, make_player, reported


def results_page(browser, night):
    return browser.get(reverse("campaigns:night-results", args=[night.pk]))


def test_night_shows_all_its_results_on_one_page(
    campaign, hers, theirs, alice, dora, charlie, as_user
):
    third = make_player(campaign, charlie)
    night = make_night(campaign)
    day = night.starts_at.date()
    games = [
        plans.plan(campaign, pair, Plan(day, night), actor=pair[0].owner, token=uuid.uuid4())
        for pair in ((hers, theirs), (theirs, third), (third, hers))
    ]
    confirmed(reported(games[0], alice), dora)
    reported(games[1], dora)
    page = results_page(as_user(charlie), night)
    text = page.content.decode()
    assert "1 of 3 games confirmed" in text
    assert text.count("enemies out") == 4, "both sides of both reported games"
    assert all(game.get_absolute_url() in text for game in games)
    assert f"{games[1].get_absolute_url()}#verdict" in text, "charlie has still to confirm"
    organised = results_page(as_user(campaign.organisers[0]), night).content.decode()
    settling = f'href="{games[2].get_absolute_url()}?unfought#unfought"'
    assert settling in organised, "the page of the game opens with its buttons in sight"
    link = reverse("campaigns:night-results", args=[night.pk])
    assert link in as_user(alice).get(night.get_absolute_url()).content.decode()


def test_results_leave_out_undone_games(campaign, hers, theirs, alice, dora, as_user):
    night = make_night(campaign)
    game = plans.plan(
        campaign,
        [hers, theirs],
        Plan(night.starts_at.date(), night),
        actor=alice,
        token=uuid.uuid4(),
    )
    confirmed(reported(game, alice), dora)
    Game.objects.update(status="struck")
    assert "No game is planned" in results_page(as_user(alice), night).content.decode()


def test_spectators_read_the_results(campaign, hers, theirs, charlie, as_user):
    night = make_night(campaign)
    assert results_page(as_user(charlie), night).status_code == 404
    browser = Client()
    browser.get(reverse("campaigns:watch", args=[campaign.watch_key]))
    assert results_page(browser, night).status_code == 200
