"""The administration app."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class AdministrationConfig(AppConfig):
    """Pages for administrators: the site's state, its people and its files."""

    name = "administration"

    def ready(self) -> None:
        """Register panels, cleaning steps, notices, the export of users' data and the indexes that
        follow a migration."""
        from accounts import data_export as account_data
        from administration import data_export, panels, search_indexes, tidying
        from administration.archives import daily
        from administration.reports import views as reports_views

        account_data.register(data_export.files_of)
        panels.register()
        tidying.register()
        daily.register()
        reports_views.register()
        post_migrate.connect(search_indexes.make_missing, sender=self)
