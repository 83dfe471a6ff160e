"""The rules app."""

from django.apps import AppConfig


class RulesConfig(AppConfig):
    """Rulebooks and the engine that reads them."""

    name = "rules"

    def ready(self) -> None:
        """Variants are among all that is somebody's."""
        from accounts import data_export as account_data
        from rules.variants import data_export

        account_data.register(data_export.files_of)
