"""A site whose database is made once, and served from a copy where a test asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection

from tests.faults.served import Site, copied, seed, served


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A folder with a site's SQLite database, and where its things are."""
    if connection.vendor != "sqlite":
        pytest.skip("What SQLite does when its file is in trouble")
    folder = tmp_path_factory.mktemp("made")
    return folder, seed(folder)


@pytest.fixture
def site(made: tuple[Path, dict[str, str]], tmp_path: Path) -> Iterator[Site]:
    """A site of the test's own."""
    folder, places = made
    with served(copied(folder, tmp_path / "site"), places) as site:
        yield site
