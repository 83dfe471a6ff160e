"""The internet of these tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from outbound import client
from tests.outbound.servers import Internet, Server, authority, serving


@pytest.fixture
def internet(monkeypatch: pytest.MonkeyPatch) -> Internet:
    """Return an internet without servers. No test depends on the machine's speed."""
    found = Internet()
    monkeypatch.setattr(client, "_resolve", found.resolve)
    monkeypatch.setattr(client, "_dial", found.dial)
    monkeypatch.setattr(client, "_tls", authority().trusting)
    monkeypatch.setattr(client, "DEADLINE", 60.0)
    monkeypatch.setattr(client, "CONNECT_WITHIN", 60.0)
    return found


@pytest.fixture
def server(internet: Internet, tmp_path: Path) -> Iterator[Server]:
    """Run a server for ``hooks.example``."""
    with serving(internet, tmp_path, "hooks.example") as found:
        yield found
