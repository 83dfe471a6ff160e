"""Add the owner's marks: stars and templates."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("gangs", "0007_replayed")]

    operations = [
        migrations.AddField(
            model_name="gang", name="is_starred", field=models.BooleanField(default=False)
        ),
        migrations.AddField(
            model_name="gang", name="is_template", field=models.BooleanField(default=False)
        ),
    ]
