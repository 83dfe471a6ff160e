"""The results of a gang that drops out of a round robin may count for nobody."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0023_editions")]

    operations = [
        migrations.AddField("entrant", "is_annulled", models.BooleanField(default=False)),
    ]
