"""Corrections that arrive at the same moment take their locks in one order: campaign, game,
post-games, gangs. PostgreSQL locks rows, SQLite the whole database.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from campaigns.models import Game
from gangs.models import Gang
from tests.campaigns.games.test_results import report_data
from tests.campaigns.racing import VICTORY, Evening, Press, fresh, race
from tests.world.campaigns import side_of

pytestmark = pytest.mark.django_db(transaction=True)

ORDER = ("campaigns_campaign", "campaigns_game", "campaigns_side", "gangs_gang")
LOCK = re.compile(r'FROM "(\w+)".* FOR (?:NO KEY )?UPDATE|^UPDATE "(\w+)"', re.S)


@pytest.fixture
def evening() -> Iterator[Evening]:
    """Two gangs, which have played each other twice; in the end every gang still replays."""
    made = Evening()
    yield made
    made.check()


@pytest.fixture
def games(evening: Evening) -> list[Game]:
    """Both games, with all post-games."""
    found = []
    for _number in range(2):
        game = evening.confirmed()
        evening.settle(game)
        found.append(game)
    return found


def correcting_result(evening: Evening, game: Game, winner: Gang, user: User) -> Press:
    """Return the press that corrects a confirmed result."""
    client, game = evening.browser(user), fresh(game)
    told = {"result": VICTORY, "winner": str(side_of(game, winner).pk), "why": "The other way."}
    data = report_data(client, game) | told
    address = reverse("campaigns:game-report", args=[game.pk])
    return lambda: client.post(address, data)


def test_corrected_result_writes_post_games_that_need_nothing_new(evening, games):
    first = games[0]
    answer = correcting_result(evening, first, evening.theirs, evening.bob)()
    assert answer.status_code == 302
    for gang in (evening.hers, evening.theirs):
        side = side_of(first, gang)
        assert not side.correcting, "the old dice and choices suffice"
        assert gang.strikes.get().reason == "The other way."
    assert evening.wins() == [1, 1]


@pytest.mark.parametrize("act", ["result", "strike", "entry"])
def test_corrections_lock_campaign_game_post_games_and_gangs_in_this_order(evening, games, act):
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no locks of rows")
    press = {
        "result": lambda: correcting_result(evening, games[0], evening.theirs, evening.bob),
        "strike": lambda: evening.striking(games[0], evening.bob),
        "entry": lambda: evening.correcting(evening.hers),
    }[act]()
    with CaptureQueriesContext(connection) as captured:
        assert press().status_code == 302
    taken = [
        name
        for query in captured
        if (found := LOCK.search(query["sql"]))
        for name in found.groups()
        if name in ORDER
    ]
    first = list(dict.fromkeys(taken))
    assert first == sorted(first, key=ORDER.index) and first[-1] == "gangs_gang", taken


@pytest.mark.parametrize("turn", range(2))
def test_corrections_at_the_same_moment_never_wait_for_each_other_forever(evening, games, turn):
    """A deadlock would be a server error for one of them."""
    presses = [
        correcting_result(evening, games[turn], evening.theirs, evening.bob),
        evening.striking(games[1 - turn], evening.bob),
        evening.correcting(evening.theirs),
    ]
    statuses = [status for status, _text in race(*presses)]
    assert all(status in (302, 409, 422) for status in statuses), statuses
    assert 302 in statuses
