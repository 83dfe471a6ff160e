"""The administration app."""

from django.apps import AppConfig


class AdministrationConfig(AppConfig):
    """What whoever runs the site needs: its state, its people, its files."""

    name = "administration"

    def ready(self) -> None:
        """Every connection is told what its database can do."""
        from django.db.backends.signals import connection_created

        from common.databases import has_json

        connection_created.connect(has_json)
