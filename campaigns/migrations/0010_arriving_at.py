"""Mark campaigns that an import is still writing."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0009_undone_dice")]

    operations = [
        migrations.AddField("campaign", "arriving_at", models.DateTimeField(blank=True, null=True)),
    ]
