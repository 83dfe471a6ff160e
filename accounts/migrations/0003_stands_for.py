from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0002_notices")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="stands_for",
            field=models.CharField(blank=True, editable=False, max_length=150),
        ),
    ]
