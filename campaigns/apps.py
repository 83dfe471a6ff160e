"""The campaigns app: campaigns, games, results, the post-game."""

from django.apps import AppConfig


class CampaignsConfig(AppConfig):
    """Answers what the floors below ask."""

    name = "campaigns"

    def ready(self) -> None:
        """Registers what the campaigns answer about gangs, rulebooks, accounts and notices."""
        from accounts import deletion as account_deletion
        from accounts.authentication import invitations
        from campaigns import notices
        from campaigns.oversight import CampaignOversight
        from campaigns.people import deletion, joining_views
        from campaigns.upgrades.affected import affected_campaigns
        from gangs import hooks as gang_hooks
        from rules import hooks as rule_hooks

        notices.register()
        invitations.register(joining_views.invites)
        account_deletion.register(deletion.leave_all, deletion.consequences)
        gang_hooks.install(CampaignOversight())
        rule_hooks.install(affected_campaigns)
