"""Until now no gang changed versions: each goes by the one that it was founded with."""

from django.db import migrations
from django.db.models import F


def remember(apps, schema_editor):
    apps.get_model("gangs", "Gang").objects.filter(founded_with=None).update(
        founded_with=F("book_version")
    )


class Migration(migrations.Migration):
    dependencies = [
        ("gangs", "0002_versions"),
    ]

    operations = [
        migrations.RunPython(remember, migrations.RunPython.noop, elidable=True),
    ]
