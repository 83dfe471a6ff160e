"""SQLite out to a file and back in from one, while others read and write."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from django.db import DEFAULT_DB_ALIAS, connection, connections

from administration.archives.manifest import BadArchive

# What Django calls the copy, for as long as it is looked at.
COPY = "copy"
# Seconds that the database may be busy with others before nothing comes of it.
PATIENCE = 60


def copy(file: Path) -> None:
    """Write the database as it is at one moment to a new file, without making writers wait."""
    with closing(sqlite3.connect(_path())) as source, closing(sqlite3.connect(file)) as target:
        source.backup(target)
        # One file, without another beside it.
        target.execute("PRAGMA journal_mode=DELETE")


def check(file: Path) -> None:
    """Raise BadArchive if the file is no sound database."""
    try:
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as copied:
            [(answer,), *_more] = copied.execute("PRAGMA integrity_check(1)").fetchall()
            loose = copied.execute("PRAGMA foreign_key_check").fetchone()
    except sqlite3.DatabaseError as error:
        raise BadArchive(f"The copy of the database cannot be read: {error}") from None
    if answer != "ok":
        raise BadArchive(f"The copy of the database is damaged: {answer}")
    if loose is not None:
        raise BadArchive(f"The copy of the database has rows that point nowhere: {loose[0]}")


@contextmanager
def opened(file: Path) -> Iterator[str]:
    """Let Django read a file beside the site's own database; gives the alias that it has."""
    own = connections[DEFAULT_DB_ALIAS]
    copied = type(own)({**own.settings_dict, "NAME": str(file), "OPTIONS": {}}, COPY)
    connections[COPY] = copied
    try:
        yield COPY
    finally:
        del connections[COPY]
        copied.close()


def replace(file: Path) -> None:
    """Let the site's database be what the file is: wholly or not at all, at one moment.

    Raises BadArchive if others hold the database for too long; then nothing has changed.
    """
    connections.close_all()
    path = Path(_path())
    path.parent.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + PATIENCE

    def still_patient(status: int, _remaining: int, _total: int) -> None:
        if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) and time.monotonic() > end:
            raise BadArchive("The database is busy. Stop the site first; nothing has changed.")

    with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(path)) as target:
        # Safe when the power fails, too: the lock goes with what was written.
        target.execute("PRAGMA synchronous=FULL")
        source.backup(target, progress=still_patient)


def _path() -> str:
    name = str(connection.settings_dict["NAME"])
    if name == ":memory:" or "mode=memory" in name:
        raise BadArchive("This database is in memory only: there is nothing to keep.")
    return name
