"""Note whether the last act on a variant or game was an undo, so that it can be redone."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("rules", "0009_entry_ids")]

    operations = [
        migrations.AddField("variant", "is_undone", models.BooleanField(default=False)),
        migrations.AddField("bookdraft", "is_undone", models.BooleanField(default=False)),
    ]
