from django.db import migrations

from campaigns.models import invite_key


def everybody(apps, schema_editor):
    """Whoever ran a campaign is its organiser; whoever owns a gang in it plays."""
    Campaign = apps.get_model("campaigns", "Campaign")
    Participant = apps.get_model("campaigns", "Participant")
    for campaign in Campaign.objects.all():
        campaign.watch_key = invite_key()
        campaign.save(update_fields=["watch_key"])
        owners = campaign.memberships.exclude(gang__owner=None).values_list(
            "gang__owner", flat=True
        )
        roles = dict.fromkeys(owners, "player") | {campaign.organiser_id: "organiser"}
        Participant.objects.bulk_create(
            Participant(campaign=campaign, user_id=user, role=role) for user, role in roles.items()
        )


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0005_seasons")]

    operations = [
        migrations.RunPython(everybody, migrations.RunPython.noop, elidable=True),
    ]
