"""The gangs app."""

from django.apps import AppConfig


class GangsConfig(AppConfig):
    """Gangs: their ledger, the builder, the sheets."""

    name = "gangs"

    def ready(self) -> None:
        """Whoever publishes a variant is told what it would change for his gangs."""
        from gangs.followers import found
        from rules import followers

        followers.register(found)
