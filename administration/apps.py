"""The administration app."""

from django.apps import AppConfig


class AdministrationConfig(AppConfig):
    """What whoever runs the site needs: its state, its people, its files."""

    name = "administration"

    def ready(self) -> None:
        """Registers the state of the site, what is cleared away, what people are told and what is
        theirs."""
        from accounts import data_export as account_data
        from administration import data_export, panels, tidying
        from administration.reports import views as reports_views

        account_data.register(data_export.files_of)
        panels.register()
        tidying.register()
        reports_views.register()
