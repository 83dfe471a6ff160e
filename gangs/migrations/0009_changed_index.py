"""Index gangs by their last change, for the administrators' list."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("gangs", "0008_marks"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="gang",
            index=models.Index(fields=["-changed_at", "-id"], name="gang_changed"),
        ),
    ]
