"""Kept databases of every release since 0.9: each is migrated and replayed, and its pages open,
because a site's data is sacred. ``kept/`` has a small database of each, made by
``script/keep-release``.
"""

from __future__ import annotations

import contextlib
import json
import lzma
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import connection
from psycopg import sql

from tests.random_cases import one_soon
from tests.upgrades import keeping
from tests.upgrades.keeping import KEPT, POSTGRES, SQLITE

RELEASES = sorted(folder.name for folder in KEPT.iterdir() if folder.is_dir())
# The content of each release's database: gangs, campaigns, versions of rulebooks; people,
# each with the fewest pages that they are led to; stages with the edition of their rules.
STORED: dict[str, dict[str, Any]] = {
    "0.9": {"gangs": 20, "campaigns": 5, "books": 5, "stages": {}},
    "1.0": {"gangs": 22, "campaigns": 6, "books": 5, "stages": {"Autumn": 1}},
}
# Its dice are not the same on both databases.
ENTRIES = {
    "0.9": {"sqlite": 1371, "postgresql": 1371},
    "1.0": {"sqlite": 1406, "postgresql": 1407},
}
CLUB = dict.fromkeys(("", "alice", "bob", "charlie", "dora"), 30)
PEOPLE = {"0.9": CLUB, "1.0": CLUB | dict.fromkeys(keeping.PEOPLE, 20)}
# Tables and indexes of an SQLite database, except for those that it makes itself.
STATEMENTS = """SELECT type, name, sql FROM sqlite_master
    WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"""


def open_database(address: str) -> dict[str, Any]:
    """Upgrade this database and return the findings."""
    process = subprocess.run(
        [sys.executable, "-m", "tests.upgrades.opening"],
        cwd=settings.BASE_DIR,
        env=os.environ | {"DATABASE_URL": address},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr[-4000:]
    found: dict[str, Any] = json.loads(process.stdout)
    return found


def check(release: str, found: dict[str, Any]) -> None:
    """Check that all stored data is there, and that each of its people was shown their pages."""
    pages = found.pop("pages")
    assert found == STORED[release] | {"entries": ENTRIES[release][connection.vendor]}
    expected = PEOPLE[release]
    assert pages.keys() == expected.keys()
    assert all(pages[name] >= fewest for name, fewest in expected.items()), pages


def parts_of(statement: str) -> frozenset[str]:
    """Return the columns and constraints of a table, whose order depends on its history, from the
    statement that creates it.
    """
    parts, depth = [""], 0
    for letter in statement.partition("(")[2].rpartition(")")[0]:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return frozenset(part.strip() for part in parts)


def tables(rows: Iterable[tuple[str, str, str]]) -> dict[str, object]:
    """Return the tables and indexes of these rows of STATEMENTS."""
    return {name: parts_of(text) if kind == "table" else text for kind, name, text in rows}


def test_every_release_has_kept_databases() -> None:
    assert sorted(STORED) == RELEASES
    for release in RELEASES:
        assert {file.name for file in (KEPT / release).iterdir()} == {SQLITE, POSTGRES}


@pytest.mark.django_db
@pytest.mark.random
@pytest.mark.parametrize("release", one_soon(reversed(RELEASES)))
def test_kept_sqlite_database_opens_after_an_upgrade(release: str, tmp_path: Path) -> None:
    """Its tables become those of the models, from which the tests' own database is made."""
    if connection.vendor != "sqlite":
        pytest.skip("there is no SQLite here: script/test --plain has one")
    file = tmp_path / "skirmish.sqlite3"
    file.write_bytes(lzma.decompress((KEPT / release / SQLITE).read_bytes()))
    check(release, open_database(f"sqlite:///{file}"))
    with connection.cursor() as cursor:
        expected = tables(cursor.execute(STATEMENTS).fetchall())
    with contextlib.closing(sqlite3.connect(file)) as upgraded:
        assert tables(upgraded.execute(STATEMENTS)) == expected
    assert len(expected) > 100


@pytest.mark.django_db
@pytest.mark.random
@pytest.mark.parametrize("release", RELEASES)
def test_kept_postgresql_dump_opens_after_an_upgrade(release: str) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("there is no PostgreSQL here: script/test --postgres has one")
    given = connection.settings_dict
    server = {"host": given["HOST"], "port": given["PORT"], "user": given["USER"]}
    name = f"kept_{release.replace('.', '_')}_{os.getpid()}"
    admin = psycopg.connect(
        **server, password=given["PASSWORD"] or None, dbname="postgres", autocommit=True
    )
    admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    try:
        dump = lzma.decompress((KEPT / release / POSTGRES).read_bytes())
        with psycopg.connect(**server, password=given["PASSWORD"] or None, dbname=name) as database:
            database.execute(dump)
        password = f":{given['PASSWORD']}" if given["PASSWORD"] else ""
        address = f"postgres://{given['USER']}{password}@{given['HOST']}:{given['PORT']}/{name}"
        check(release, open_database(address))
    finally:
        admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
        admin.close()
