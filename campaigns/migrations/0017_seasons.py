"""Link each campaign with the season before it."""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0016_admission")]

    operations = [
        migrations.AddField(
            "campaign",
            "previous",
            models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="next_seasons",
                to="campaigns.campaign",
            ),
        ),
    ]
