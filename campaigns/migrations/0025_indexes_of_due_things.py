"""Index what falls due by day, and post-games that were never played."""

from __future__ import annotations

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("campaigns", "0024_annulled_results"),
        ("gangs", "0010_struck_index"),
        ("rules", "0011_shelf"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddIndex(
            model_name="campaign",
            index=models.Index(fields=["-created_at", "-id"], name="campaign_created"),
        ),
        migrations.AddIndex(
            model_name="fixture",
            index=models.Index(
                condition=models.Q(("due__isnull", False)), fields=["due"], name="fixture_due"
            ),
        ),
        migrations.AddIndex(
            model_name="game",
            index=models.Index(
                condition=models.Q(("status", "planned")), fields=["played_on"], name="game_planned"
            ),
        ),
        migrations.AddIndex(
            model_name="night",
            index=models.Index(fields=["starts_at"], name="night_starts"),
        ),
        migrations.AddIndex(
            model_name="round",
            index=models.Index(
                condition=models.Q(("announced_at", None)),
                fields=["opens"],
                name="round_unannounced",
            ),
        ),
        migrations.AddIndex(
            model_name="round",
            index=models.Index(
                condition=models.Q(("due__isnull", False)), fields=["due"], name="round_due"
            ),
        ),
        migrations.AddIndex(
            model_name="side",
            index=models.Index(
                condition=models.Q(("batch", None), ("correcting", True), _connector="OR"),
                fields=["gang"],
                name="side_unplayed",
            ),
        ),
    ]
