"""Indexes of trigrams, by which PostgreSQL finds a part of a name without reading a whole table.

They belong to no migration: only a server with the extension pg_trgm can have them, and a site
works without them. Each ``manage.py migrate`` makes those that are missing, so a host can create
the extension later. Backups leave them out (``administration.archives.postgres``).
"""

from __future__ import annotations

import logging
from typing import Any

from django.apps import apps
from django.db import Error, connection, transaction

logger = logging.getLogger(__name__)

# The columns that the administrators' lists of accounts, gangs and campaigns search. Their acts,
# tasks and data pages are searched without an index: there are few acts and tasks, and data pages
# search all columns of a table.
COLUMNS = (
    ("accounts.User", "username"),
    ("accounts.User", "email"),
    ("accounts.User", "stands_for"),
    ("gangs.Gang", "name"),
    ("campaigns.Campaign", "name"),
)
PREFIX = "trigram_"
# The model and column of each index, by its name.
NAMES = {
    f"{PREFIX}{label.lower().replace('.', '_')}_{column}": (label, column)
    for label, column in COLUMNS
}


def make_missing(**_signal: Any) -> None:
    """Create the indexes that are missing, and their extension. Logs the reason if the database
    does not allow it. One query if nothing is missing; does nothing on SQLite."""
    missing = find_missing()
    if not missing:
        return
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
            for name in missing:
                cursor.execute(_statement(name))
    except Error as error:
        logger.warning("Searches of administrators have no index: %s", error)


def find_missing() -> list[str]:
    """Return the names of the indexes that the database should have and has not. One query on
    PostgreSQL."""
    if connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexname FROM pg_indexes WHERE indexname = ANY(%s)", [list(NAMES)])
        known = {name for (name,) in cursor.fetchall()}
    return [name for name in NAMES if name not in known]


def _statement(name: str) -> str:
    label, column = NAMES[name]
    table = connection.ops.quote_name(apps.get_model(label)._meta.db_table)
    # The expression is that of Django's ``icontains``.
    expression = f"UPPER({connection.ops.quote_name(column)}::text) gin_trgm_ops"
    return f"CREATE INDEX IF NOT EXISTS {name} ON {table} USING gin ({expression})"
