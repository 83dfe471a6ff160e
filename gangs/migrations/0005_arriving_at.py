"""Mark gangs that an import is still writing."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("gangs", "0004_share_code")]

    operations = [
        migrations.AddField("gang", "arriving_at", models.DateTimeField(null=True)),
    ]
