"""The tests' own games, read from their folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from accounts.models import User
from rules.book.model import Book
from rules.loading.reader import read_folder

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


@pytest.fixture
def players(alice: User, charlie: User) -> list[User]:
    """Return the three players of a season."""
    dora = User.objects.create_user("dora", "dora@example.org", "correct horse battery")
    return [alice, dora, charlie]
