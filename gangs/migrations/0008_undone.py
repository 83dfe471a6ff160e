import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("gangs", "0007_entry_number")]

    operations = [
        migrations.AddField(
            model_name="strike",
            name="undoes",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="undone_by",
                to="gangs.strike",
            ),
        ),
        migrations.AddField(
            model_name="strike", name="restored", field=models.JSONField(default=list)
        ),
        migrations.AlterField(
            model_name="strike",
            name="at",
            field=models.DateTimeField(default=django.utils.timezone.now),
        ),
    ]
