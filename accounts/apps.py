"""The accounts app."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Who somebody is, their language, notices and mail."""

    name = "accounts"

    def ready(self) -> None:
        """Devices are remembered, whoever signs somebody in; periodic jobs are known."""
        from accounts import outbox  # noqa: F401 - It has a periodic job.
        from accounts.authentication import attempts, devices  # noqa: F401 - So have attempts.

        devices.install()
