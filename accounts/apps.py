"""The accounts app."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Who somebody is, their language, notices and mail."""

    name = "accounts"

    def ready(self) -> None:
        """Devices are remembered, whoever signs somebody in; periodic jobs are known."""
        from accounts import attempts, devices, outbox  # noqa: F401 - Two have periodic jobs.

        devices.install()
