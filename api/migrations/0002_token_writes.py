"""Tokens may write."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("api", "0001_token")]

    operations = [
        migrations.AddField(
            model_name="token", name="writes", field=models.BooleanField(default=False)
        ),
    ]
