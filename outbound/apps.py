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
        from outbound.shelves import data_export as shelves_data
        from outbound.shelves import notices as shelf_notices
        from outbound.shelves import store as shelves
        from outbound.shelves import watching as watching
        from rules.models import ForeignGame, ForeignShelf

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
        quotas.register(
            "shelves",
            _("Shelves of other sites"),
            _("You look at %(most)s shelves of other sites, which is the limit. Forget one first."),
            lambda user: ForeignShelf.objects.filter(owner=user).count(),
        )
        quotas.register(
            "foreign_games",
            _("Games from other sites"),
            _("You have %(most)s games from other sites, which is the limit. Forget one first."),
            lambda user: ForeignGame.objects.filter(owner=user).count(),
        )
        quotas.register(
            "shelf_requests",
            _("Requests to shelves of other sites, a day"),
            _("You have asked other sites %(most)s times today, which is the limit."),
        )
        notices.register(shelf_notices.NEWS, shelf_notices.describe)
        data_export.register(shelves_data.files_of)
        upkeep.register("games of other sites that nobody took", shelves.forget_old)
