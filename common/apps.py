"""The app of what all others need."""

from django.apps import AppConfig


class CommonConfig(AppConfig):
    """Work beside the pages, and what processes share."""

    name = "common"

    def ready(self) -> None:
        """A process that answers pages does its share of the work beside them."""
        from django.core.signals import request_started

        from common import background, shared_cache  # noqa: F401 - It has a periodic job.

        request_started.connect(background.start)
