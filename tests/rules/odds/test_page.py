"""The page "Odds": what it asks, what it answers, and to whom."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.make import POINTS, make_version

ADDRESS = f"/rules/{POINTS}/odds/"


@pytest.fixture
def version(db: None) -> str:
    """The rulebook's digest."""
    return make_version().digest


def test_first(client: Client, version: str) -> None:
    page = client.get(ADDRESS).content.decode()
    print(page[page.index('id="odds"') :])
    assert 0
