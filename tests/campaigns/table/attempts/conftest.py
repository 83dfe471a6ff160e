"""The rulebooks that come with the project, read once."""

import pytest

from rules.book.model import Book
from rules.loading.reader import read_folder
from tests.rules.conftest import BOOKS


@pytest.fixture(scope="session")
def blackwater() -> Book:
    """Blackwater Gulch: a western."""
    return read_folder(BOOKS / "blackwater-gulch")


@pytest.fixture(scope="session")
def cran() -> Book:
    """Cran: soldiers of fortune."""
    return read_folder(BOOKS / "cran")


@pytest.fixture(scope="session")
def du_sang() -> Book:
    """Du sang sur la lame: swords and pistols."""
    return read_folder(BOOKS / "du-sang-sur-la-lame")


@pytest.fixture(scope="session")
def au_un() -> Book:
    """Au un pour un: bands of several peoples."""
    return read_folder(BOOKS / "au-un-pour-un")


@pytest.fixture(scope="session")
def zombstone() -> Book:
    """Zombstone: poker dice."""
    return read_folder(BOOKS / "zombstone")
