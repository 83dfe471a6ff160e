"""Keep each season's players, and the links between seasons in files."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import OuterRef, Q, Subquery


def keep_players(apps, schema_editor):
    """Let the results of seasons that are over, and of gangs that left, count for the present
    owners of their gangs."""
    memberships = apps.get_model("campaigns", "Membership").objects
    gangs = apps.get_model("gangs", "Gang").objects
    over = Q(campaign__archived_at__isnull=False) | Q(left_at__isnull=False)
    owners = gangs.filter(pk=OuterRef("gang")).values("owner")[:1]
    owned = memberships.filter(over, gang__owner__isnull=False, gang__owner__stands_for="")
    owned.update(player=Subquery(owners))


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("campaigns", "0018_trophies"),
    ]

    operations = [
        migrations.AddField(
            model_name="campaign",
            name="season_key",
            field=models.UUIDField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="campaign",
            name="previous_key",
            field=models.UUIDField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="membership",
            name="player",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.RunPython(keep_players, migrations.RunPython.noop),
    ]
