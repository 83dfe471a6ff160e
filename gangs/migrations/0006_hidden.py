"""Let administrators hide gangs and pictures, and show them again."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("gangs", "0005_arriving_at")]

    operations = [
        migrations.AddField("gang", "hidden_pictures", models.JSONField(default=dict)),
        migrations.AddField("gang", "hidden_why", models.CharField(blank=True, max_length=300)),
    ]
