"""The rulebooks that come with the project, read once."""

from pathlib import Path

import pytest

import rules
from rules.book.model import Book
from tests.world.gangs import shipped

BOOKS = Path(rules.__file__).parent / "books"


@pytest.fixture(scope="session")
def blackwater() -> Book:
    """The western."""
    return shipped("blackwater-gulch")


@pytest.fixture(scope="session")
def du_sang() -> Book:
    """Swords and pistols."""
    return shipped("du-sang-sur-la-lame")
