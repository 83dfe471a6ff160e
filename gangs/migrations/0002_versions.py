"""Gangs remember the version of the rules that they were founded with."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("gangs", "0001_initial"),
        ("rules", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="gang",
            name="founded_with",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="rules.bookversion",
            ),
        ),
        migrations.AddField(
            model_name="storedentry",
            name="book",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="rules.bookversion",
            ),
        ),
    ]
