"""The accounts app."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Accounts: users, their language, notices and mail."""

    name = "accounts"

    def ready(self) -> None:
        """Register the jobs, and remember devices after every kind of sign-in."""
        from accounts import mailing  # noqa: F401 - Registers the job that sends mails.
        from accounts.authentication import attempts, devices, sign_in  # noqa: F401 - Jobs.

        devices.install()
