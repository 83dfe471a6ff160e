"""Give tables without a campaign a short code."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0010_arriving_at")]

    operations = [
        migrations.AddField(
            "table", "code", models.CharField(max_length=8, null=True, unique=True)
        ),
    ]
