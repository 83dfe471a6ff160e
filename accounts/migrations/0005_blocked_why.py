"""Tell blocked users why."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0004_mails_are_jobs")]

    operations = [
        migrations.AddField(
            "user", "blocked_why", models.CharField(blank=True, editable=False, max_length=300)
        ),
    ]
