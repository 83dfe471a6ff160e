"""The administration app."""

from django.apps import AppConfig


class AdministrationConfig(AppConfig):
    """What whoever runs the site needs: its state, its people, its files."""

    name = "administration"

    def ready(self) -> None:
        """Registers the state of the site, what is cleared away, and what people are told; every
        connection is told what its database can do."""
        from django.db.backends.signals import connection_created

        from administration import panels, tidying
        from administration.reports import notices
        from common.databases import has_json

        connection_created.connect(has_json)
        panels.register()
        tidying.register()
        notices.register()
