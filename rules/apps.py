"""The rules app."""

from django.apps import AppConfig


class RulesConfig(AppConfig):
    """Rulebooks and the engine that reads them."""

    name = "rules"

    def ready(self) -> None:
        """Register variants as account data, with their quota."""
        from django.utils.translation import gettext_lazy

        from accounts import data_export as account_data
        from accounts import quotas
        from rules.models import Variant
        from rules.variants import data_export

        account_data.register(data_export.files_of)
        quotas.register(
            "variants",
            gettext_lazy("Variants"),
            gettext_lazy(
                "You have %(most)s variants, archived ones included, which is the limit. "
                "Change one of them, or ask the administrators of this site for more room."
            ),
            lambda user: Variant.objects.owned_by(user).count(),
        )
