"""The tests' own games, read from their folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from accounts.models import User
from rules.book.model import Book
from rules.loading.reader import read_folder
from tests.games.club import Club
from tests.games.watchers import club_of_watchers

FOLDER = Path(__file__).parent


@pytest.fixture(scope="session")
def terraces() -> Book:
    """Return the game of households on a vineyard's terraces."""
    return read_folder(FOLDER / "terraces")


@pytest.fixture(scope="session")
def circle() -> Book:
    """Return the game of circles that call spirits. Its texts are in English only."""
    return read_folder(FOLDER / "circle")


@pytest.fixture(scope="session")
def vigil() -> Book:
    """Return the game of watchers in haunted houses, alone or together, against the book."""
    return read_folder(FOLDER / "vigil")


@pytest.fixture(scope="session")
def drowned() -> Book:
    """Return the game of crews in a drowned mine, against the water. It has no money."""
    return read_folder(FOLDER / "drowned")


@pytest.fixture
def players(alice: User, charlie: User) -> list[User]:
    """Return the three players of a season."""
    dora = User.objects.create_user("dora", "dora@example.org", "correct horse battery")
    return [alice, dora, charlie]


@pytest.fixture
def solo(vigil: Book, alice: User) -> Club:
    """Return a campaign of the watchers' game that its only player runs, with their gang."""
    return club_of_watchers(vigil, alice, [alice], "Ash")


@pytest.fixture
def three(vigil: Book, bob: User, players: list[User]) -> Club:
    """Return a campaign of the watchers' game with three players and gangs."""
    return club_of_watchers(vigil, bob, players, "Ash", "Birch", "Cedar")
