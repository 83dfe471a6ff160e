from django.db import migrations, models


class Migration(migrations.Migration):
    # Apart from the one before: PostgreSQL does not alter a table it has just filled.
    dependencies = [("gangs", "0006_corrections")]

    operations = [
        migrations.AddConstraint(
            model_name="storedentry",
            constraint=models.UniqueConstraint(
                condition=models.Q(("struck", None)),
                fields=("gang", "number"),
                name="entry_number",
            ),
        ),
    ]
