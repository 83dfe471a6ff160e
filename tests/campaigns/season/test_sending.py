"""Standings, nights and games as texts to copy."""

from __future__ import annotations

import html
from collections.abc import Callable

from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.models import Campaign, Game
from gangs.models import Gang
from tests.world.campaigns import confirmed, make_game, make_night, reported

AsUser = Callable[[User], Client]


def text(client: Client, name: str, key: object) -> str:
    """The readable content of a page of texts."""
    answer = client.get(reverse(f"campaigns:{name}", args=[key]))
    assert answer.status_code == 200
    return html.unescape(answer.content.decode())


def test_result_is_in_the_texts_of_game_night_and_standings(
    as_user: AsUser, campaign: Campaign, alice: User, dora: User, hers: Gang, theirs: Gang
) -> None:
    client, night = as_user(alice), make_night(campaign, place="The *back* room")
    game = reported(make_game(campaign, alice, hers, theirs), alice)
    game = confirmed(game, dora)
    Game.objects.filter(pk=game.pk).update(night=night)
    told = text(client, "game-text", game.pk)
    assert f"{hers.name} (alice) won" in told and campaign.name in told
    told = text(client, "night-text", night.pk)
    assert "The *back* room" in told and "The \\*back\\* room" in told
    assert f"{hers.name} (alice) won" in told
    told = text(client, "standings-text", campaign.pk)
    places = [told.index(f"{hers.name} ({player})") for player in ("alice", "dora")]
    assert places == sorted(places)


def test_struck_game_says_that_it_does_not_count(
    as_user: AsUser, campaign: Campaign, alice: User, dora: User, hers: Gang, theirs: Gang
) -> None:
    game = reported(make_game(campaign, alice, hers, theirs), alice)
    game = confirmed(game, dora)
    Game.objects.filter(pk=game.pk).update(status=Game.Status.STRUCK)
    told = text(as_user(alice), "game-text", game.pk)
    assert "it counts for nobody" in told and "won" not in told
