"""The campaigns app: campaigns, games, results, the post-game."""

from django.apps import AppConfig


class CampaignsConfig(AppConfig):
    """Tells the gangs' app what holds a gang."""

    name = "campaigns"

    def ready(self) -> None:
        """Between a game's report and its post-game, no gang is changed; and the organiser says by
        which rules the gangs of his campaign go."""
        from campaigns.aftermath import unsettled
        from campaigns.followers import found
        from campaigns.upgrades import campaign_decides
        from gangs import holds, versions
        from rules import followers

        holds.register(unsettled)
        versions.register(campaign_decides)
        followers.register(found)
