"""The app's set-up."""

from django.apps import AppConfig


class OutboundConfig(AppConfig):
    """Messages to other servers."""

    default_auto_field = "django.db.models.BigAutoField"
    name = "outbound"

    def ready(self) -> None:
        """Send notices to devices, and follow the sign-outs there."""
        from accounts import data_export, notices
        from outbound.push import devices, sending, views

        notices.register_push(sending.deliver, views.panel)
        data_export.register(devices.files_of)
        devices.install()
