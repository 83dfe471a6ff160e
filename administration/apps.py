"""The administration app."""

from django.apps import AppConfig


class AdministrationConfig(AppConfig):
    """What whoever runs the site needs: its state, its people, its files."""

    name = "administration"

    def ready(self) -> None:
        """Registers the state of the site, what is cleared away, and what people are told."""
        from administration import panels, tidying
        from administration.reports import notices

        panels.register()
        tidying.register()
        notices.register()
