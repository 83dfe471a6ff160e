"""The campaigns app: campaigns, games, results, the post-game."""

from django.apps import AppConfig


class CampaignsConfig(AppConfig):
    """Tells the gangs' app what holds a gang."""

    name = "campaigns"

    def ready(self) -> None:
        """Between a game's report and its post-game, no gang is changed; the organiser says by
        which rules the gangs of his campaign go and may correct them, and everybody in it may read
        them."""
        from accounts import farewell as accounts_farewell
        from campaigns import announcing, farewell
        from campaigns.access import sees_gang
        from campaigns.aftermath import unsettled
        from campaigns.careers import may_read
        from campaigns.correctors import may_correct
        from campaigns.duties import waiting
        from campaigns.followers import found
        from campaigns.striking import bond
        from campaigns.upgrades import campaign_decides
        from gangs import access, bonds, deleting, duties, holds, readers, versions
        from rules import followers

        announcing.register()
        deleting.register(farewell.needs, farewell.part)
        accounts_farewell.register(farewell.leave_all, farewell.foretell)
        bonds.register(bond)
        duties.register(waiting)
        holds.register(unsettled)
        versions.register(campaign_decides)
        readers.register_reader(may_read)
        readers.register_onlooker(sees_gang)
        followers.register(found)
        access.register_corrector(may_correct)
