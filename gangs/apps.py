"""The gangs app."""

from django.apps import AppConfig


class GangsConfig(AppConfig):
    """Gangs: their ledger, the builder, the sheets."""

    name = "gangs"

    def ready(self) -> None:
        """Whoever publishes a variant is told what it would change for his gangs, and gangs go with
        their owner's account."""
        from accounts import farewell
        from gangs import deleting
        from gangs.followers import found
        from rules import followers

        farewell.register(deleting.leave, deleting.foretell)
        followers.register(found)
