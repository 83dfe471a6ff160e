"""The campaigns app: campaigns, games, results, the post-game."""

from django.apps import AppConfig


class CampaignsConfig(AppConfig):
    """Tells the gangs' app what holds a gang."""

    name = "campaigns"

    def ready(self) -> None:
        """Between a game's report and its post-game, no gang is changed."""
        from campaigns.aftermath import unsettled
        from gangs import holds

        holds.register(unsettled)
