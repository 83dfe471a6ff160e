"""The gangs app."""

from django.apps import AppConfig


class GangsConfig(AppConfig):
    """Gangs: their ledger, the builder, the sheets."""

    name = "gangs"

    def ready(self) -> None:
        """Register gangs with the hooks of accounts and rulebooks, with the quotas and with the
        upkeep; pictures are deleted together with their gang."""
        from django.db.models.signals import pre_delete
        from django.utils.translation import gettext_lazy

        from accounts import data_export as account_data
        from accounts import deletion, quotas
        from common import upkeep
        from gangs.cards import fighters
        from gangs.engine import ready_made
        from gangs.files import data_export, importing
        from gangs.models import Gang
        from gangs.pages import deleting
        from gangs.pictures import storage as pictures_storage
        from gangs.versions.affected import affected_gangs
        from rules import hooks

        deletion.register(deleting.leave, deleting.foretell)
        account_data.register(data_export.files_of)
        hooks.install(affected_gangs)
        hooks.install_examiner(ready_made.examine_ready_made)
        hooks.install_gangs(fighters.Gangs())
        pre_delete.connect(pictures_storage.leave_with, sender=Gang)
        quotas.register(
            "gangs",
            gettext_lazy("Gangs"),
            gettext_lazy(
                "You have %(most)s gangs, archived ones included, which is the limit. Delete one "
                "first, or ask the administrators of this site for more room."
            ),
            lambda user: Gang.objects.owned_by(user).count(),
        )
        quotas.register(
            "pictures",
            gettext_lazy("Pictures"),
            gettext_lazy(
                "Your gangs have %(most)s pictures, which is the limit. Remove one first, or ask "
                "the administrators of this site for more room."
            ),
            pictures_storage.count_of,
        )
        quotas.register(
            "imports",
            gettext_lazy("Imports a day"),
            gettext_lazy(
                "You have imported %(most)s files today, which is the limit. Come back tomorrow, "
                "or ask the administrators of this site for more."
            ),
        )
        upkeep.register("visitors' gangs", deleting.tidy_guests)
        upkeep.register("gangs that did not arrive whole", importing.tidy)
        upkeep.register("forgotten pictures", pictures_storage.clear_forgotten)
