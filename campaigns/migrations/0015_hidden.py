"""Let administrators hide campaigns, and show them again."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0014_standings")]

    operations = [
        migrations.AddField("campaign", "hidden_why", models.CharField(blank=True, max_length=300)),
    ]
