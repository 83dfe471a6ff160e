"""Adds the row of a rulebook for each player's own game that was published before it had one."""

from django.db import migrations


def add_rulebooks(apps, schema_editor):
    """Add a row for each game of a draft."""
    versions = apps.get_model("rules", "BookVersion").objects.exclude(draft=None)
    slugs = versions.order_by("slug").values_list("slug", flat=True).distinct()
    rulebook = apps.get_model("rules", "Rulebook")
    rulebook.objects.bulk_create([rulebook(slug=slug) for slug in slugs], ignore_conflicts=True)


class Migration(migrations.Migration):
    dependencies = [
        ("rules", "0003_book_draft"),
    ]

    operations = [
        migrations.RunPython(add_rulebooks, migrations.RunPython.noop),
    ]
