"""Every gang knows by now what it was founded with. (A migration of its own: some databases do
not alter a table in the transaction that changed its rows.)"""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("gangs", "0003_founded_with"),
    ]

    operations = [
        migrations.AlterField(
            model_name="gang",
            name="founded_with",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="rules.bookversion",
            ),
        ),
    ]
