"""The rulebooks that come with the project, read once."""

from pathlib import Path

import pytest

import rules
from rules.book.model import Book
from rules.loading.reader import read_folder

BOOKS = Path(rules.__file__).parent / "books"


@pytest.fixture(scope="session")
def blackwater() -> Book:
    """The western."""
    return read_folder(BOOKS / "blackwater-gulch")


@pytest.fixture(scope="session")
def du_sang() -> Book:
    """Swords and pistols."""
    return read_folder(BOOKS / "du-sang-sur-la-lame")
