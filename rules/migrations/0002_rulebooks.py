"""Adds the site's rulebooks, a row for each slug, and the marks of removed versions."""

import django.db.models.deletion
from django.db import migrations, models


def add_rulebooks(apps, schema_editor):
    """Add a row for each rulebook that has versions."""
    versions = apps.get_model("rules", "BookVersion").objects.filter(number=None)
    slugs = versions.order_by("slug").values_list("slug", flat=True).distinct()
    rulebook = apps.get_model("rules", "Rulebook")
    rulebook.objects.bulk_create([rulebook(slug=slug) for slug in slugs])


class Migration(migrations.Migration):
    dependencies = [
        ("rules", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="RemovedVersion",
            fields=[
                ("digest", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("slug", models.SlugField(max_length=40)),
                ("removed_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Rulebook",
            fields=[
                ("slug", models.SlugField(max_length=40, primary_key=True, serialize=False)),
                ("is_hidden", models.BooleanField(default=False)),
                (
                    "pinned",
                    models.ForeignKey(
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="rules.bookversion",
                    ),
                ),
            ],
            options={"ordering": ["slug"]},
        ),
        migrations.RunPython(add_rulebooks, migrations.RunPython.noop),
    ]
