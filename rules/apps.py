"""The rules app."""

from django.apps import AppConfig


class RulesConfig(AppConfig):
    """Rulebooks and the engine that reads them."""

    name = "rules"

    def ready(self) -> None:
        """Register variants, players’ own games and translations as account data, with their
        quotas."""
        from django.utils.translation import gettext_lazy

        from accounts import data_export as account_data
        from accounts import deletion, language, quotas
        from common import upkeep
        from rules.editor import data_export
        from rules.importing import data_export as imports
        from rules.importing import store as importing
        from rules.models import BookDraft, BookTranslation, CatalogueImport, Variant
        from rules.translations import data_export as translations
        from rules.translations import notices
        from rules.words import store

        account_data.register(data_export.files_of)
        account_data.register(imports.files_of)
        account_data.register(translations.files_of)
        deletion.register(store.leave)
        language.install(store.find_state)
        notices.register()
        upkeep.register("imports of catalogues that nobody finished", importing.forget_unfinished)
        quotas.register(
            "variants",
            gettext_lazy("Variants"),
            gettext_lazy(
                "You have %(most)s variants, archived ones included, which is the limit. "
                "Change one of them, or ask the administrators of this site for more room."
            ),
            lambda user: Variant.objects.owned_by(user).count(),
        )
        quotas.register(
            "drafts",
            gettext_lazy("Games of their own"),
            gettext_lazy(
                "You have %(most)s games of your own, which is the limit. Change one of them, or "
                "ask the administrators of this site for more room."
            ),
            lambda user: BookDraft.objects.owned_by(user).count(),
        )
        quotas.register(
            "catalogues",
            gettext_lazy("Imports of catalogues"),
            gettext_lazy(
                "You have imported catalogues %(most)s times, which is the limit. Delete a game "
                "made from catalogues or an unfinished import, or ask the administrators of this "
                "site for more room."
            ),
            lambda user: CatalogueImport.objects.count_for(user),
        )
        quotas.register(
            "translations",
            gettext_lazy("Translations of rulebooks"),
            gettext_lazy(
                "You have sent %(most)s translations, which is the limit. Delete one of them, or "
                "ask the administrators of this site for more room."
            ),
            lambda user: BookTranslation.objects.proposed_by(user).count(),
        )
