"""The optimistic lock, which no other code implements by hand."""

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


def test_unchanged_row_is_written_and_its_version_increased(game: Game) -> None:
    update_if(Game, game.pk, 0, note="rain")
    game.refresh_from_db()
    assert (game.note, game.version) == ("rain", 1)


def test_row_that_has_changed_is_not_written(game: Game) -> None:
    update_if(Game, game.pk, 0, note="rain")
    with pytest.raises(Stale):
        update_if(Game, game.pk, 0, note="sun")
    game.refresh_from_db()
    assert (game.note, game.version) == ("rain", 1)


def test_lock_writes_only_its_row(game: Game) -> None:
    one, two = game.sides.all()
    update_if(Side, one.pk, 0, counter="draft_version", role="attacker")
    rows = game.sides.values_list("pk", "role", "draft_version")
    assert list(rows) == [(one.pk, "attacker", 1), (two.pk, "", 0)]


def test_query_limits_the_rows_that_may_be_written(game: Game) -> None:
    rows = Game.objects.filter(status=Game.Status.CONFIRMED)
    with pytest.raises(Stale):
        update_if(rows, game.pk, 0, note="rain")
    game.refresh_from_db()
    assert (game.note, game.version) == ("", 0)


def test_no_other_code_compares_a_version_in_a_query() -> None:
    by_hand = re.compile(r"filter\([^()]*\bpk=[^()]*version=")
    assert [path for path, text in TEXTS.items() if by_hand.search(text)] == []
