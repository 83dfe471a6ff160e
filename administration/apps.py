"""The administration app."""

from django.apps import AppConfig


class AdministrationConfig(AppConfig):
    """Pages for administrators: the site's state, its people and its files."""

    name = "administration"

    def ready(self) -> None:
        """Register panels, cleaning steps, notices and the export of users' data."""
        from accounts import data_export as account_data
        from administration import data_export, panels, tidying
        from administration.archives import daily
        from administration.reports import views as reports_views

        account_data.register(data_export.files_of)
        panels.register()
        tidying.register()
        daily.register()
        reports_views.register()
