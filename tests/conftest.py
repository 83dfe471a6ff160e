"""People every test may ask for."""

import pytest
from django.core.cache import cache

from accounts.models import User


@pytest.fixture(autouse=True)
def _fresh_limits() -> None:
    """Sign-in attempts are counted in the cache; one test must not use up another's."""
    cache.clear()


def _user(name: str) -> User:
    return User.objects.create_user(name, f"{name}@example.org", "correct horse battery")


@pytest.fixture
def alice(db: None) -> User:
    """The owner of gangs."""
    return _user("alice")


@pytest.fixture
def bob(db: None) -> User:
    """The organiser of campaigns."""
    return _user("bob")


@pytest.fixture
def charlie(db: None) -> User:
    """A stranger."""
    return _user("charlie")
