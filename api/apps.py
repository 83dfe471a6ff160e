"""The app's set-up."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ApiConfig(AppConfig):
    """Registers the tokens' quota, end and notices, and the app's part of a user's own data."""

    default_auto_field = "django.db.models.BigAutoField"
    name = "api"

    def ready(self) -> None:
        """Register with the accounts, which do not know this app."""
        from accounts import data_export, notices, quotas
        from api import once, tokens
        from common import upkeep

        quotas.register(
            "tokens",
            _("API tokens"),
            _("You have %(most)s tokens already: delete one that you no longer use."),
            tokens.count_of,
        )
        data_export.register(tokens.files_of)
        data_export.register(once.files_of)
        upkeep.register("keys of files sent long ago", once.tidy)
        notices.register(tokens.MADE, tokens.describe_made)
        tokens.install()
