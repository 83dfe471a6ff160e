"""A game without any optional part, a campaign of it and a game to be played."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from campaigns.club.people import joining
from campaigns.models import Campaign, Game
from gangs.engine import actions
from gangs.ledger import writer
from gangs.models import Gang
from rules.book.model import Book
from rules.library import load
from rules.loading.reader import RawBook, parse
from tests.gangs.rosters import member
from tests.rules.small import row, text, told
from tests.world.campaigns import make_game
from tests.world.gangs import entries_of

DATA = {
    "slug": "bare",
    "name": text("Bare"),
    "summary": text("Two sticks and a stone."),
    "edition": "1",
    "author": "Nobody",
    "sources": {"stick": {"title": "A stick", "text": text("Carved.")}},
    "characteristics": [told("hits", kind="number", short=text("H"), start=2)],
    "ranks": [row("player", price=0)],
    "campaign": {
        "text": text("One game after the other."),
        "results": [told("won", kind="decided")],
        "standings": ["wins"],
        "steps": [],
    },
}


@dataclass(frozen=True)
class Bare:
    """A whole evening of the bare game; the campaign's organiser is signed in."""

    book: Book
    client: Client
    gangs: tuple[Gang, Gang]
    campaign: Campaign
    game: Game


@pytest.fixture
def bare(client: Client) -> Bare:
    return evening(client, DATA)


def evening(client: Client, data: dict[str, Any], *ranks: str) -> Bare:
    """Return an evening of a game; each gang has one member of each of these ranks (or a
    player).
    """
    book = parse(RawBook(data, "bare"))
    version, _created = load(book)
    organiser = User.objects.create_user("erin")
    client.force_login(organiser)
    campaign = joining.start(
        name="A summer",
        version=version,
        settings={},
        notes="",
        organiser=organiser,
        token=uuid.uuid4(),
    )
    gangs = []
    for name in ("One", "Other"):
        members = [member(rank, name=f"{name} {rank}") for rank in ranks or ["player"]]
        entries = [actions.found(book, name, {})[0], *entries_of(book, *members)[1:]]
        gang = writer.found(version, entries, owner=organiser)
        joining.join(campaign, gang, actor=organiser, expected_version=gang.version)
        gangs.append(Gang.objects.get(pk=gang.pk))
    game = make_game(campaign, organiser, *gangs)
    return Bare(book, client, (gangs[0], gangs[1]), campaign, game)
