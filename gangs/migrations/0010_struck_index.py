"""Index the entries that were struck: a post-game that was taken back is open again."""

from __future__ import annotations

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("gangs", "0009_changed_index"),
        ("rules", "0011_shelf"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddIndex(
            model_name="storedentry",
            index=models.Index(
                condition=models.Q(("struck__isnull", False)),
                fields=["gang", "batch"],
                name="entry_struck",
            ),
        ),
    ]
