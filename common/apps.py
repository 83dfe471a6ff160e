"""The app of what all others need."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.db.backends.base.base import BaseDatabaseWrapper


class CommonConfig(AppConfig):
    """Work beside the pages, and what processes share."""

    name = "common"

    def ready(self) -> None:
        """A process that answers pages does its share of the work beside them; every connection is
        told what its database can do."""
        from django.core.signals import request_started
        from django.db.backends.signals import connection_created

        from common import background, shared_cache  # noqa: F401 - It has a periodic job.

        connection_created.connect(has_json)
        request_started.connect(background.start)


def has_json(connection: BaseDatabaseWrapper, **signal: Any) -> None:
    """Receiver of ``connection_created``: SQLite knows JSON.

    Django would find out by a transaction that takes the lock for writing, and would take a
    database that may only be read, or is locked just then, for one that lacks it: every page with a
    JSON field would fail until the thread ends.
    """
    if connection.vendor == "sqlite":
        connection.features.supports_json_field = True
