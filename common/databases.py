"""What Django is told of a database, so that it need not find out at a bad moment."""

from __future__ import annotations

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper


def has_json(connection: BaseDatabaseWrapper, **signal: Any) -> None:
    """Receiver of ``connection_created``: SQLite knows JSON.

    Django would find out by a transaction that takes the lock for writing, and would take a
    database that may only be read, or is locked just then, for one that lacks it: every page with a
    JSON field would fail until the thread ends.
    """
    if connection.vendor == "sqlite":
        connection.features.supports_json_field = True
