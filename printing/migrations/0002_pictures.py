from django.db import migrations, models


class Migration(migrations.Migration):
    """Pictures are a kind of print jobs."""

    dependencies = [("printing", "0001_initial")]

    operations = [
        migrations.AlterField(
            model_name="printjob",
            name="kind",
            field=models.CharField(
                choices=[("picture", "Picture"), ("sheet", "Sheet"), ("book", "Book")], max_length=8
            ),
        ),
    ]
