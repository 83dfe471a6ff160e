"""Names get skeletons, so that no new name looks like one of them."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0006_reminders")]

    operations = [
        migrations.AlterModelManagers(name="user", managers=[]),
        migrations.AddField(
            model_name="user",
            name="skeleton",
            field=models.CharField(blank=True, db_index=True, editable=False, max_length=150),
        ),
    ]
