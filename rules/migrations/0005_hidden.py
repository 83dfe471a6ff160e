"""Let administrators hide variants and players' own games, and show them again."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("rules", "0004_published_drafts")]

    operations = [
        migrations.AddField(
            "bookdraft", "hidden_why", models.CharField(blank=True, max_length=300)
        ),
        migrations.AddField("variant", "hidden_why", models.CharField(blank=True, max_length=300)),
    ]
