"""The people of forty tables and their games, made in the database of this process."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.sessions.backends.db import SessionStore
from django.test import Client

from accounts.models import User
from campaigns.club.people import joining
from campaigns.models import Table
from campaigns.table import storage
from gangs.models import Gang
from tests.world.campaigns import make_campaign, make_game
from tests.world.gangs import SLUGS, make_gang


@dataclass(frozen=True)
class Seats:
    """A table and the cookies of the people at it: two players and a spectator."""

    table: Table
    players: tuple[str, str]
    watcher: str


def seats(number: int) -> Seats:
    """Make a new table: two players with ready-made gangs, in the campaign of a third person. The
    tables use all games in turn.
    """
    slug = SLUGS[number % len(SLUGS)]
    one, two, host = (
        User.objects.create_user(f"{name}-{number}") for name in ("one", "two", "host")
    )
    campaign = make_campaign(host, slug)
    gangs = []
    for place, player in enumerate((one, two)):
        gang = make_gang(player, slug, place)
        joining.join(campaign, gang, actor=player, expected_version=gang.version)
        gangs.append(Gang.objects.get(pk=gang.pk))
    game = make_game(campaign, one, *gangs)
    table = storage.open_for(game, list(game.sides.select_related("gang__owner")))
    return Seats(table, (_signed_in(one), _signed_in(two)), _signed_in(host))


def _signed_in(user: User) -> str:
    """Return the key of a new session."""
    client = Client()
    client.force_login(user)
    session = client.session
    assert isinstance(session, SessionStore) and session.session_key
    return session.session_key
