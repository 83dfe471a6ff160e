from django.db import migrations, models

import campaigns.models


class Migration(migrations.Migration):
    # Apart from the one before: PostgreSQL does not alter a table it has just filled.
    dependencies = [("campaigns", "0006_participants")]

    operations = [
        migrations.RemoveField(model_name="campaign", name="organiser"),
        migrations.AlterField(
            model_name="campaign",
            name="watch_key",
            field=models.CharField(default=campaigns.models.invite_key, max_length=32, unique=True),
        ),
    ]
