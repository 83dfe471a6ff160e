"""The accounts app."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Who somebody is, their language, notices and mail."""

    name = "accounts"

    def ready(self) -> None:
        """Devices are remembered, whoever signs somebody in; periodic jobs are known."""
        from accounts import mailing  # noqa: F401 - It sends the site's mails.
        from accounts.authentication import attempts, devices, sign_in  # noqa: F401 - Jobs.

        devices.install()
