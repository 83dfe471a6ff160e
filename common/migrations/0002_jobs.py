"""Move periodic jobs into the table of all jobs, with their times."""

from __future__ import annotations

import django.utils.timezone
from django.db import migrations, models
from django.db.models import Q

# Columns with the same name in both tables.
COLUMNS = ("next_at", "started_at", "finished_at", "failed_at", "error")
# This job sent the mails, which now have a job each.
OLD = "mails"


def carry_over(apps, schema_editor):
    rows = []
    for old in apps.get_model("common", "PeriodicJob").objects.exclude(name=OLD):
        values = {column: getattr(old, column) for column in COLUMNS}
        if old.failed_at and old.finished_at and old.finished_at >= old.failed_at:
            values |= {"failed_at": None, "error": ""}
        rows.append({"kind": old.name, "periodic": True, **values})
    model = apps.get_model("common", "Job")
    model.objects.bulk_create(model(**row) for row in rows)


def carry_back(apps, schema_editor):
    model = apps.get_model("common", "PeriodicJob")
    rows = apps.get_model("common", "Job").objects.filter(periodic=True)
    model.objects.bulk_create(
        model(name=row.kind, **{column: getattr(row, column) for column in COLUMNS}) for row in rows
    )
    rows.delete()


class Migration(migrations.Migration):
    dependencies = [("common", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="Job",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(max_length=60)),
                ("title", models.CharField(blank=True, max_length=500)),
                ("periodic", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("next_at", models.DateTimeField(default=django.utils.timezone.now, null=True)),
                ("tries", models.PositiveIntegerField(default=0)),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("failed_at", models.DateTimeField(null=True)),
                ("error", models.TextField(blank=True)),
                ("origin", models.CharField(blank=True, max_length=128)),
                ("body", models.JSONField(default=dict)),
            ],
            options={
                "indexes": [models.Index(fields=["next_at"], name="job_next_at")],
                "constraints": [
                    models.UniqueConstraint(
                        condition=Q(("periodic", True)), fields=("kind",), name="periodic_job_once"
                    )
                ],
            },
        ),
        migrations.RunPython(carry_over, carry_back),
        migrations.DeleteModel(name="PeriodicJob"),
    ]
