"""Players, a campaign of two gangs, and the rulebooks."""

import pytest
from django.test import Client

from accounts.models import User
from campaigns.models import Campaign
from gangs.models import Gang
from rules.book.model import Book
from tests.world.campaigns import make_campaign, make_player
from tests.world.gangs import GOLD, POINTS, shipped


@pytest.fixture
def dora(db: None) -> User:
    """The other player."""
    return User.objects.create_user("dora", "dora@example.org", "correct horse battery")


@pytest.fixture
def gold() -> Book:
    """A game of promotions and recruits."""
    return shipped(GOLD)


@pytest.fixture
def points() -> Book:
    """A game of injuries and experience."""
    return shipped(POINTS)


@pytest.fixture
def campaign(bob: User) -> Campaign:
    """A campaign run by bob."""
    return make_campaign(bob)


@pytest.fixture
def hers(campaign: Campaign, alice: User) -> Gang:
    """Alice's gang in the campaign."""
    return make_player(campaign, alice)


@pytest.fixture
def theirs(campaign: Campaign, dora: User) -> Gang:
    """Dora's gang in the campaign."""
    return make_player(campaign, dora)


@pytest.fixture
def as_user():
    """A function that returns a browser with a user signed in."""

    def sign_in(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return sign_in
