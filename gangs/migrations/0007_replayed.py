"""Remember which entries of a correction belong to later post-games."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("gangs", "0006_hidden")]

    operations = [
        migrations.AddField("strike", "replayed", models.JSONField(default=list)),
    ]
