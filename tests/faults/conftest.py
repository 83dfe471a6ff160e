"""A site whose database is made once; each test gets a copy to be served."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection

from tests.faults.served import Site, copied, seed, served


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Return a folder with a site's SQLite database, and the addresses of its objects."""
    if connection.vendor != "sqlite":
        pytest.skip("What SQLite does when its file is in trouble")
    folder = tmp_path_factory.mktemp("made")
    return folder, seed(folder)


@pytest.fixture
def site(made: tuple[Path, dict[str, str]], tmp_path: Path) -> Iterator[Site]:
    """Return a site that only this test uses."""
    folder, places = made
    with served(copied(folder, tmp_path / "site"), places) as site:
        yield site
