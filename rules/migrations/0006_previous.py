"""Keep the state of a variant or game before its last change, so that it can be undone."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("rules", "0005_hidden")]

    operations = [
        migrations.AddField("variant", "previous", models.TextField(default="")),
        migrations.AddField("bookdraft", "previous", models.TextField(default="")),
    ]
