"""The app that every other app builds on."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.db.backends.base.base import BaseDatabaseWrapper


class CommonConfig(AppConfig):
    """Background jobs, shared caches and other common code."""

    name = "common"

    def ready(self) -> None:
        """Install the catalogue, start background jobs with the first request, and declare JSON
        support on connections."""
        from django.core.signals import request_started
        from django.db.backends.signals import connection_created

        from common import background, shared_cache  # noqa: F401 - It has a periodic job.
        from common.wording import sentences, translating

        sentences.install(translating.DjangoCatalogue())
        connection_created.connect(has_json)
        request_started.connect(background.start)


def has_json(connection: BaseDatabaseWrapper, **signal: Any) -> None:
    """Receive ``connection_created``: declare that SQLite supports JSON.

    Django would test this with a write transaction. If the database is read-only or locked at that
    moment, the test fails, and every page with a JSON field fails until the thread ends.
    """
    if connection.vendor == "sqlite":
        connection.features.supports_json_field = True
