"""The optimistic lock, and that no other code takes it by hand."""

from __future__ import annotations

import re

import pytest

from accounts.models import User
from campaigns.models import Game, Side
from common.errors import Stale
from common.locking import update_if
from tests.test_house import TEXTS
from tests.world.campaigns import make_campaign, make_game, make_player

pytestmark = pytest.mark.django_db


@pytest.fixture
def game(alice: User, bob: User) -> Game:
    campaign = make_campaign(alice)
    return make_game(campaign, alice, make_player(campaign, alice), make_player(campaign, bob))


def test_a_row_as_it_was_seen_is_written_and_the_change_counted(game: Game) -> None:
    update_if(Game, game.pk, 0, note="rain")
    game.refresh_from_db()
    assert (game.note, game.version) == ("rain", 1)


def test_a_row_that_has_changed_since_is_left_alone(game: Game) -> None:
    update_if(Game, game.pk, 0, note="rain")
    with pytest.raises(Stale):
        update_if(Game, game.pk, 0, note="sun")
    game.refresh_from_db()
    assert (game.note, game.version) == ("rain", 1)


def test_only_the_row_itself_is_written(game: Game) -> None:
    one, two = game.sides.all()
    update_if(Side, one.pk, 0, counter="draft_version", role="attacker")
    rows = game.sides.values_list("pk", "role", "draft_version")
    assert list(rows) == [(one.pk, "attacker", 1), (two.pk, "", 0)]


def test_a_query_narrows_what_may_be_written(game: Game) -> None:
    rows = Game.objects.filter(status=Game.Status.CONFIRMED)
    with pytest.raises(Stale):
        update_if(rows, game.pk, 0, note="rain")
    game.refresh_from_db()
    assert (game.note, game.version) == ("", 0)


def test_nobody_else_compares_a_version_in_a_query() -> None:
    by_hand = re.compile(r"filter\([^()]*\bpk=[^()]*version=")
    assert [path for path, text in TEXTS.items() if by_hand.search(text)] == []
