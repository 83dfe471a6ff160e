"""The rulebooks that come with the project, read once."""

import pytest

from rules.book.model import Book
from tests.world.gangs import shipped


@pytest.fixture(scope="session")
def blackwater() -> Book:
    """Blackwater Gulch: a western."""
    return shipped("blackwater-gulch")


@pytest.fixture(scope="session")
def cran() -> Book:
    """Cran: soldiers of fortune."""
    return shipped("cran")


@pytest.fixture(scope="session")
def du_sang() -> Book:
    """Du sang sur la lame: swords and pistols."""
    return shipped("du-sang-sur-la-lame")


@pytest.fixture(scope="session")
def au_un() -> Book:
    """Au un pour un: bands of several peoples."""
    return shipped("au-un-pour-un")


@pytest.fixture(scope="session")
def zombstone() -> Book:
    """Zombstone: poker dice."""
    return shipped("zombstone")
