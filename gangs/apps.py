"""The gangs app."""

from django.apps import AppConfig


class GangsConfig(AppConfig):
    """Gangs: their ledger, the builder, the sheets."""

    name = "gangs"

    def ready(self) -> None:
        """Whoever publishes a variant is told what it would change for his gangs, gangs go with
        their owner's account, and pictures with their gang, whatever deletes it."""
        from django.db.models.signals import pre_delete

        from accounts import farewell
        from gangs import deleting, pictures
        from gangs.followers import found
        from rules import followers

        farewell.register(deleting.leave, deleting.foretell)
        followers.register(found)
        pre_delete.connect(pictures.leave_with, sender="gangs.Gang")
