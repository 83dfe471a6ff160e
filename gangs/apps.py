"""The gangs app."""

from django.apps import AppConfig


class GangsConfig(AppConfig):
    """Gangs: their ledger, the builder, the sheets."""

    name = "gangs"

    def ready(self) -> None:
        """Whoever publishes a variant is told what it would change for their gangs; gangs are among
        all that is somebody's, and go with their account; pictures go with their gang, whatever
        deletes it. Odds can be asked for gangs' members.
        Accounts have so many of both, and what is left lying is cleared away."""
        from django.db.models.signals import pre_delete

        from accounts import data_export as account_data
        from accounts import deletion
        from gangs import upkeep
        from gangs.cards import fighters
        from gangs.files import data_export
        from gangs.pages import deleting
        from gangs.pictures import storage as pictures_storage
        from gangs.versions.affected import affected_gangs
        from rules import hooks

        deletion.register(deleting.leave, deleting.foretell)
        account_data.register(data_export.files_of)
        hooks.install(affected_gangs)
        hooks.install_gangs(fighters.Gangs())
        upkeep.register()
        pre_delete.connect(pictures_storage.leave_with, sender="gangs.Gang")
