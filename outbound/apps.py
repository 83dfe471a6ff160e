"""The app's set-up."""

from django.apps import AppConfig


class OutboundConfig(AppConfig):
    """Messages to other servers."""

    default_auto_field = "django.db.models.BigAutoField"
    name = "outbound"
