"""The app of what all others need."""

from django.apps import AppConfig


class CommonConfig(AppConfig):
    """Work beside the pages, and what processes share."""

    name = "common"

    def ready(self) -> None:
        """A process that answers pages does its share of the work beside them; every connection is
        told what its database can do."""
        from django.core.signals import request_started
        from django.db.backends.signals import connection_created

        from common import background, shared_cache  # noqa: F401 - It has a periodic job.
        from common.databases import has_json

        connection_created.connect(has_json)
        request_started.connect(background.start)
