"""Index accounts by the day they joined, and reminders that are still to be sent."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0010_languages_of_rulebooks"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="reminder",
            index=models.Index(
                condition=models.Q(("sent_at", None)),
                fields=["kind", "noted_at"],
                name="reminder_unsent",
            ),
        ),
        migrations.AddIndex(
            model_name="user",
            index=models.Index(fields=["-date_joined", "-id"], name="account_joined"),
        ),
    ]
