"""An unreachable database: the site starts, and answers in words that it is not ready."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.served import free_port, served

PLACES = {"session": "x" * 32}


@pytest.mark.long
def test_site_explains_that_it_cannot_reach_its_database(tmp_path: Path) -> None:
    address = f"postgres://nobody@127.0.0.1:{free_port()}/nothing"
    with served(tmp_path / "site", PLACES, DATABASE_URL=address, LOG_FORMAT="json") as site:
        for where, language, words in (
            ("/rules/", "en", "cannot reach its database"),
            ("/gangs/", "fr", "joindre sa base de données"),
        ):
            answer = site.ask(where, headers={"Accept-Language": language})
            assert answer.status == 503
            assert answer.headers["Retry-After"] == "30"
            assert words in answer.text
        sent = site.ask("/accounts/login/", {"login": "alice", "password": "correct horse"})
        assert sent.status == 503 and "correct horse" not in sent.text
        # Pages that need no database are there.
        for where in ("/health/", "/static/bare.css", "/offline.js"):
            assert site.ask(where, signed_in=False).status == 200
        ready = site.ask("/ready/", signed_in=False)
        assert ready.status == 503
        assert "FAILED database: OperationalError" in ready.text
        assert "good disk: " in ready.text
