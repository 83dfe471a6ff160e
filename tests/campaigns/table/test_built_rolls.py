"""A game whose weapons are words: its columns are read, its attack is built from questions, and
phones shoot with it."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from fractions import Fraction
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.club.people import joining
from campaigns.models import Table
from campaigns.table import people, storage, taps
from campaigns.table.attempts import roll
from gangs.engine import actions
from gangs.engine import entries as kinds
from gangs.ledger import writer
from gangs.models import Gang
from rules.editor import store
from rules.library import book_of
from rules.models import BookDraft, BookVersion
from rules.percent import percent
from tests.campaigns.table.attempts.test_views import fields, show_face
from tests.campaigns.table.test_storage import opened
from tests.rules.editor.test_dice_page import SHOT, read_columns, send
from tests.rules.rolling.guns import COLUMNS, make_guns

pytestmark = pytest.mark.django_db

AsUser = Callable[[User], Client]


def publish(client: Client, owner: User) -> BookVersion:
    """Write a game with guns in words, make its dice by the editor's pages, and publish it."""
    data: dict[str, Any] = {**make_guns(typed=False, grids=[], states=[]), "slug": "harbour"}
    game: BookDraft = store.start_game(owner, data, token=uuid.uuid4())
    places = [f"guns.{key}" for key in COLUMNS]
    assert read_columns(client, game, *places).status_code == 302
    assert send(client, game, **SHOT).status_code == 302
    game.refresh_from_db()
    address = reverse("editor:publish", args=[game.pk])
    answer = client.post(address, {"seen": game.version})
    assert answer.status_code in (200, 302)
    return game.states.get()


def found(version: BookVersion, owner: User, *, gun: str) -> Gang:
    """Found a gang of a chief and a scout; the chief has a gun."""
    book = book_of(version.pk)
    made: list[kinds.Entry] = [*actions.found(book, "The gang", {})]
    made.append(kinds.Recruited(rank="chief", name="Ada"))
    chief = len(made)
    made.append(kinds.Bought(item=gun, member=chief))
    made.append(kinds.Recruited(rank="scout", name="Bob"))
    return writer.found(version, made, owner=owner)


@pytest.fixture
def table(as_user: AsUser, alice: User, bob: User) -> Table:
    """Return a table of two gangs of the published game."""
    version = publish(as_user(alice), alice)
    campaign = joining.start(
        name="Harbour",
        version=version,
        settings={},
        notes="",
        organiser=alice,
        token=uuid.uuid4(),
    )
    gangs = []
    for owner in (alice, bob):
        gang = found(version, owner, gun="rifle")
        joining.join(campaign, gang, actor=owner, expected_version=gang.version)
        gangs.append(Gang.objects.get(pk=gang.pk))
    return opened(campaign, alice, *gangs)


# A rifle at a scout: two dice hit on 4+, wound on 2+ (strength 5 against 3 is better, not double:
# 3+), the save of 5+ is worse by one; each loses D3 of 2 points of life.
HIT, WOUND, FAIL = Fraction(1, 2), Fraction(4, 6), Fraction(5, 6)
HURT = HIT * WOUND * FAIL
# Two that hurt always take out, because each takes one point at least.
OUT = HURT**2 + 2 * HURT * (1 - HURT) * Fraction(2, 3)
WOUNDED = 2 * HURT * (1 - HURT) * Fraction(1, 3)
MISSED = (1 - HIT) ** 2


def test_phone_shoots_with_exact_odds(
    as_user: AsUser, table: Table, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures = people.start_of(table).figures
    by = next(one.key for one in figures if one.side == 1)
    at = [one.key for one in figures if one.side == 2][-1]
    path = reverse("campaigns:table-attempt", args=[table.pk, "shot"])
    client = as_user(alice)
    page = client.get(f"{path}?{urlencode({'by': by, 'at': at})}").content.decode()
    shown = re.sub(r"\s+", " ", page)
    for words, chance in (("Out of action", OUT), ("Wounded", WOUNDED), ("Missed", MISSED)):
        assert words in shown and percent(chance) in shown, (words, percent(chance))
    faces = show_face(6)
    monkeypatch.setattr(roll, "play", faces)
    answer = client.post(path, fields(page) | {"how": "throw"})
    assert answer.status_code == 302
    rolled = [one.tap for one in storage.log_of(table) if isinstance(one.tap, taps.Rolled)]
    # The highest faces hit and wound, and save.
    assert [one.outcome for one in rolled] == ["saved"]
