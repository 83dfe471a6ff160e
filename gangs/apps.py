"""The gangs app."""

from django.apps import AppConfig


class GangsConfig(AppConfig):
    """Gangs: their ledger, the builder, the sheets."""

    name = "gangs"

    def ready(self) -> None:
        """Whoever publishes a variant is told what it would change for their gangs, gangs go with
        their owner's account, and pictures with their gang, whatever deletes it. Accounts have so
        many gangs and pictures, and what is left lying is cleared away."""
        from django.db.models.signals import pre_delete

        from accounts import deletion
        from gangs import upkeep
        from gangs.pages import deleting
        from gangs.pictures import storage as pictures_storage
        from gangs.versions.affected import affected_gangs
        from rules import hooks

        deletion.register(deleting.leave, deleting.foretell)
        hooks.install(affected_gangs)
        upkeep.register()
        pre_delete.connect(pictures_storage.leave_with, sender="gangs.Gang")
