"""The site's connection to PostgreSQL: the settings that the environment may change."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from django.db import connection

from skirmish import preloading
from tests.test_settings import manage

CODE = """
import json
from django.conf import settings
database = settings.DATABASES["default"]
names = ("OPTIONS", "CONN_MAX_AGE", "DISABLE_SERVER_SIDE_CURSORS")
print(json.dumps({name: database.get(name) for name in names}))
"""


def settings_with(**environment: str) -> Any:
    """Return the database settings of a process of the site."""
    plain = {"DEBUG": "1", "DATABASE_URL": "postgres://nobody@127.0.0.1:1/none"}
    # As for the server: manage.py itself gives commands unlimited time.
    limits = {"STATEMENT_TIMEOUT": "", "LOCK_TIMEOUT": ""}
    result = manage("shell", "-v0", "--no-imports", "-c", CODE, **plain | limits | environment)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.long
def test_statements_and_locks_have_timeouts() -> None:
    found = settings_with()
    assert found["OPTIONS"] == {"options": "-c statement_timeout=30000 -c lock_timeout=5000"}
    assert found["CONN_MAX_AGE"] == 60
    found = settings_with(STATEMENT_TIMEOUT="1.5", LOCK_TIMEOUT="0")
    assert found["OPTIONS"] == {"options": "-c statement_timeout=1500 -c lock_timeout=0"}


@pytest.mark.long
def test_options_of_the_database_address_are_kept() -> None:
    address = "postgres://nobody@127.0.0.1:1/none?sslmode=require&options=-c%20search_path%3Dgangs"
    options = settings_with(DATABASE_URL=address)["OPTIONS"]
    assert options["sslmode"] == "require"
    assert options["options"].startswith("-c search_path=gangs -c statement_timeout=")


def test_pool_has_its_size_and_turns_persistent_connections_off() -> None:
    pytest.importorskip("psycopg_pool")
    found = settings_with(DATABASE_POOL="7")
    assert found["OPTIONS"]["pool"]["max_size"] == 7
    # Django refuses to combine the two.
    assert found["CONN_MAX_AGE"] == 0


PRELOADED = """
from django.db import connection
from django.db.backends.postgresql.base import DatabaseWrapper
from skirmish.preloading import preload
preload()
left = [connection.connection, dict(DatabaseWrapper._connection_pools)]
connection.ensure_connection()
print(left, len(DatabaseWrapper._connection_pools))
"""


@pytest.mark.django_db
def test_preload_leaves_no_connection_and_no_pool_to_forks() -> None:
    """Workers that share a connection get each other's answers."""
    if connection.vendor != "postgresql":
        pytest.skip("needs PostgreSQL")
    pytest.importorskip("psycopg_pool")
    named = {name: os.environ.get(name, "") for name in ("DATABASE_URL", "PYTHONPATH")}
    named |= {"DEBUG": "1", "DATABASE_POOL": "2"}
    result = manage("shell", "-v0", "--no-imports", "-c", PRELOADED, **named)
    assert result.stdout.split("\n")[0] == "[None, {}] 1", result.stderr


def test_disconnect_closes_a_pool_with_its_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = []

    class Pooled:
        def close(self) -> None:
            closed.append("connection")

        def close_pool(self) -> None:
            closed.append("pool")

    class Connections:
        def all(self, *, initialized_only: bool) -> list[Pooled]:
            return [Pooled()]

    monkeypatch.setattr(preloading, "connections", Connections())
    preloading.disconnect()
    assert closed == ["connection", "pool"]


@pytest.mark.long
def test_pgbouncer_turns_cursors_and_options_off() -> None:
    found = settings_with(PGBOUNCER="1")
    assert found["DISABLE_SERVER_SIDE_CURSORS"] is True
    assert "options" not in found["OPTIONS"]


@pytest.mark.django_db
def test_database_applies_the_timeouts() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("needs PostgreSQL")
    with connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone() == ("30s",)
        cursor.execute("SHOW lock_timeout")
        assert cursor.fetchone() == ("5s",)
