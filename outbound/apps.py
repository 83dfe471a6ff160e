"""The app's set-up."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class OutboundConfig(AppConfig):
    """Messages to other servers."""

    default_auto_field = "django.db.models.BigAutoField"
    name = "outbound"

    def ready(self) -> None:
        """Register with the apps below, which do not know this one."""
        from accounts import data_export, deletion, notices, quotas
        from common import upkeep
        from outbound import pacing
        from outbound.hooks import sending, storage
        from outbound.push import devices, views
        from outbound.push import sending as push_sending

        quotas.register(
            "hooks",
            _("Channels of campaigns"),
            _("You have added %(most)s channels, which is the limit. Delete one first."),
            storage.count_of,
        )
        notices.register(sending.NOTICE, sending.describe_notice)
        data_export.register(storage.files_of)
        deletion.register(storage.forget_name)
        upkeep.register("old messages to channels", storage.delete_old)
        upkeep.register("hosts that get no messages any more", pacing.forget_hosts)
        notices.register_push(push_sending.deliver, views.panel)
        data_export.register(devices.files_of)
        devices.install()
