"""Copying and replacing an SQLite database while others read and write."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from django.db import DEFAULT_DB_ALIAS, connection, connections

from administration.archives.manifest import BadArchive
from administration.archives.tables import tables_after
from administration.archives.workspace import create

# Django's alias for the copy while it is open.
COPY = "copy"
# Seconds to wait for other writers before giving up.
PATIENCE = 60
VIRTUAL = "CREATE VIRTUAL"
# Tables that SQLite makes itself: counters and index statistics.
OWN = {"sqlite_sequence", "sqlite_stat1", "sqlite_stat4"}


def copy(file: Path) -> None:
    """Copy the database at one moment to a new file, without blocking writers."""
    # SQLite itself would create a file that others may read.
    create(file).close()
    with closing(sqlite3.connect(_path())) as source, closing(sqlite3.connect(file)) as target:
        source.backup(target)
        # A single file, without a write-ahead log beside it.
        target.execute("PRAGMA journal_mode=DELETE")


def leave_out(file: Path, tables: Collection[str]) -> list[str]:
    """Delete tables and views from a copy except the site's; return their kinds and names.

    Raises BadArchive.
    """
    try:
        with closing(sqlite3.connect(file)) as copied:
            others = [
                (kind, name)
                # Virtual tables first, because they remove their helper tables.
                for kind, name in copied.execute(
                    "SELECT type, name FROM sqlite_schema WHERE type IN ('table', 'view')"
                    f" ORDER BY sql NOT LIKE '{VIRTUAL}%', name"
                )
                if kind == "view" or name not in {*tables, *OWN}
            ]
            for kind, name in others:
                copied.execute(f"DROP {kind} IF EXISTS {_quoted(name)}")
            copied.commit()
    except sqlite3.Error as error:
        raise BadArchive(f"Data that are not the site's cannot be left out: {error}") from None
    return [f"{kind} {name}" for kind, name in others]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def check(file: Path) -> None:
    """Raise BadArchive if the file is damaged or has anything but tables and indexes."""
    try:
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as copied:
            copied.execute("PRAGMA trusted_schema=OFF")
            things = copied.execute("SELECT type, name, sql FROM sqlite_schema").fetchall()
            for kind, name, sql in things:
                # Views, triggers and virtual tables can run code.
                if kind not in ("table", "index") or str(sql).upper().startswith(VIRTUAL):
                    raise BadArchive(
                        f"The database has something that no migration created: {kind} {name}."
                        " Delete it there, and back up again."
                    )
            [(answer,), *_more] = copied.execute("PRAGMA integrity_check(1)").fetchall()
            loose = copied.execute("PRAGMA foreign_key_check").fetchone()
    except sqlite3.DatabaseError as error:
        raise BadArchive(f"The copy of the database cannot be read: {error}") from None
    if answer != "ok":
        raise BadArchive(f"The copy of the database is damaged: {answer}")
    if loose is not None:
        raise BadArchive(f"The copy of the database has rows with broken references: {loose[0]}")


def check_tables(file: Path, migrations: Mapping[str, Sequence[str]]) -> None:
    """Raise BadArchive unless the file has exactly these migrations and the tables they make."""
    expected = tables_after(migrations)
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as copied:
        found = {
            str(name)
            for (name,) in copied.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
            if name not in OWN
        }
        if found != expected:
            raise BadArchive(
                "The database has other tables than its migrations make:"
                f" {', '.join(sorted(found ^ expected)[:5])}."
            )
        applied = set(copied.execute("SELECT app, name FROM django_migrations"))
    applied = {(app, name) for app, name in applied if app in migrations}
    if applied != {(app, name) for app, names in migrations.items() for name in names}:
        raise BadArchive("The database's migrations differ from the manifest.")


@contextmanager
def open_copy(file: Path) -> Iterator[str]:
    """Open a file as a second database of Django; yield its alias."""
    own = connections[DEFAULT_DB_ALIAS]
    copied = type(own)({**own.settings_dict, "NAME": str(file), "OPTIONS": {}}, COPY)
    connections[COPY] = copied
    try:
        yield COPY
    finally:
        del connections[COPY]
        copied.close()


def replace(file: Path) -> None:
    """Replace the site's database by the file, in one step.

    Raises BadArchive if others keep the database busy for too long; then nothing has changed.
    """
    connections.close_all()
    path = Path(_path())
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Restrict the database to its user, whether it is new or was open to others.
    path.touch(mode=0o600)
    path.chmod(0o600)
    end = time.monotonic() + PATIENCE

    def still_patient(status: int, _remaining: int, _total: int) -> None:
        if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) and time.monotonic() > end:
            raise BadArchive("The database is busy. Stop the site first; nothing has changed.")

    with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(path)) as target:
        # FULL also survives a power failure: the lock is released only after the write.
        target.execute("PRAGMA synchronous=FULL")
        source.backup(target, progress=still_patient)


def _path() -> str:
    name = str(connection.settings_dict["NAME"])
    if name == ":memory:" or "mode=memory" in name:
        raise BadArchive("This database is in memory only: there is nothing to keep.")
    return name
