"""The campaigns app: campaigns, games, results, the post-game."""

from django.apps import AppConfig


class CampaignsConfig(AppConfig):
    """Answers the hooks of the apps below."""

    name = "campaigns"

    def ready(self) -> None:
        """Register the answers about gangs, rulebooks, accounts and notices."""
        from django.db.models.signals import pre_delete
        from django.utils.translation import gettext_lazy

        from accounts import data_export as account_data
        from accounts import deletion as account_deletion
        from accounts import mailing, quotas
        from accounts.authentication import invitations
        from campaigns import fixtures, notice_kinds
        from campaigns.club.home import reminders
        from campaigns.club.nights import questions
        from campaigns.club.people import admission, deletion, join_views
        from campaigns.club.upgrades.whole_campaign import affected_campaigns
        from campaigns.files import data_export, importing
        from campaigns.games import photos
        from campaigns.league import following, reminding
        from campaigns.models import Campaign, Photo
        from campaigns.oversight import CampaignOversight
        from campaigns.table.attempts.answers import count_declined, open_roll_lines
        from campaigns.table.pages import opening, waiting
        from common import background, upkeep
        from gangs import hooks as gang_hooks
        from gangs.pictures import storage as pictures_storage
        from rules import hooks as rule_hooks

        pictures_storage.register(photos.file_names)
        pre_delete.connect(photos.leave_with, sender=Photo)
        quotas.register(
            "photos",
            gettext_lazy("Photos of games"),
            gettext_lazy(
                "You have uploaded %(most)s photos, which is the limit. Remove one first, or ask "
                "the administrators of this site for more room."
            ),
            lambda user: user.photos.count(),
        )
        waiting.register(open_roll_lines, count_declined)
        fixtures.register(following.find_outdated)
        notice_kinds.register(questions.below_notices)
        reminders.register(questions.below_notices)
        quotas.register(
            "campaigns",
            gettext_lazy("Campaigns run"),
            gettext_lazy(
                "You run %(most)s campaigns, which is the limit. Hand one over first, or ask "
                "the administrators of this site for more room."
            ),
            lambda user: Campaign.objects.organised_by(user).count(),
        )
        quotas.register(
            "tables",
            gettext_lazy("Tables without a campaign"),
            gettext_lazy(
                "You have %(most)s tables without a campaign, which is the limit. Delete one first."
            ),
            lambda user: user.tables.count(),
        )
        upkeep.register("campaigns that did not arrive whole", importing.tidy)
        upkeep.register("accepted invitations", admission.tidy)
        upkeep.register("tables that nobody plays at", opening.tidy)
        upkeep.register("old reminders", reminders.tidy)
        background.every(reminding.LOOKS_EVERY, "notices of rounds")(reminding.send_due)
        background.every(reminders.LOOKS_EVERY, "reminders")(reminders.send_due)
        mailing.register_writer(admission.INVITED, admission.write_mail)
        invitations.register(join_views.is_invited, join_views.keep_invitation)
        account_deletion.register(deletion.leave_all, deletion.consequences)
        account_data.register(data_export.files_of)
        gang_hooks.install(CampaignOversight())
        rule_hooks.install(affected_campaigns)
