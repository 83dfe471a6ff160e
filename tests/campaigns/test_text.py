"""A game's duties belong to readers by their gangs, not by names."""

from __future__ import annotations

import pytest
from django.utils import timezone

from campaigns.games import results
from campaigns.models import Game
from campaigns.text import Awaited, game_lines, list_awaited, side_names
from gangs.models import Gang
from tests.world.campaigns import make_game, make_player, reported

PAGE = "/game/"


@pytest.fixture
def game(campaign, hers, theirs, alice) -> Game:
    """Alice has reported; Dora's gang has no owner any more and has Charlie's name."""
    game = make_game(campaign, alice, hers, theirs)
    game.sides.filter(gang=theirs).update(name="charlie")
    Gang.objects.filter(pk=theirs.pk).update(owner=None, kept_at=timezone.now())
    return reported(game, alice)


def waits(game: Game, user) -> list[Awaited]:
    game = Game.objects.get(pk=game.pk)
    sides = list(game.sides.with_standing().select_related("gang__owner"))
    for side in sides:
        side.game = game
    return list(list_awaited(game, sides, user, PAGE))


def test_gang_with_a_spectators_name_gives_them_no_duty(game, charlie):
    assert waits(game, charlie) == [Awaited("Nobody plays charlie: an organiser decides")]


def test_objection_of_a_gang_with_a_spectators_name_is_not_theirs(game, charlie, dora, theirs):
    Gang.objects.filter(pk=theirs.pk).update(owner=dora)
    game = Game.objects.get(pk=game.pk)
    results.dispute(game, comment="No.", actor=dora, expected_version=game.version)
    Gang.objects.filter(pk=theirs.pk).update(owner=None)
    assert waits(game, charlie) == [Awaited("charlie disagrees")]


def test_player_of_two_gangs_has_a_single_duty(campaign, hers, theirs, alice, dora):
    second = make_player(campaign, dora)
    game = reported(make_game(campaign, alice, hers, theirs, second), alice)
    assert waits(game, alice) == [Awaited("Waiting for dora to confirm")]
    assert waits(game, dora) == [Awaited("Is that right? Confirm or dispute", f"{PAGE}#verdict")]


def test_game_waits_for_an_organiser_where_nobody_plays_the_gang(game, theirs, bob, alice):
    [awaited] = waits(game, bob)
    assert awaited == Awaited("Nobody plays charlie: an organiser decides", f"{PAGE}#verdict")
    game = Game.objects.get(pk=game.pk)
    results.decide(game, actor=bob, expected_version=game.version)
    side = game.sides.get(gang=theirs)
    sentence = "Nobody plays charlie: an organiser plays its post-game"
    assert Awaited(sentence, f"{PAGE}postgame/{side.pk}/") in waits(game, bob)
    assert Awaited(sentence) in waits(game, alice)


def test_side_shows_its_player_when_a_gang_of_another_game_has_its_name(
    campaign, hers, theirs, alice, charlie
):
    third = make_player(campaign, charlie)
    Gang.objects.filter(pk=theirs.pk).update(name="The Others")
    game = make_game(campaign, alice, hers, Gang.objects.get(pk=theirs.pk))
    assert third.name == hers.name
    sides = list(game.sides.with_standing().select_related("gang__owner"))
    assert list(side_names(sides).values()) == [f"{hers.name} (alice)", "The Others"]
    [line] = game_lines(Game.objects.all(), alice, campaign)
    assert line.title == f"{hers.name} (alice) – The Others"
