import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import F


def as_written(apps, schema_editor):
    """Until now entries stood in the order in which they were written down."""
    apps.get_model("gangs", "StoredEntry").objects.update(place=F("seq"), number=F("seq"))


class Migration(migrations.Migration):
    dependencies = [
        ("gangs", "0005_points"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name="gang",
            name="owner",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="gangs",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="gang", name="kept_at", field=models.DateTimeField(null=True)
        ),
        migrations.AddField(
            model_name="strike",
            name="reason",
            field=models.CharField(blank=True, max_length=300),
        ),
        migrations.AddField(
            model_name="strike", name="by_organiser", field=models.BooleanField(default=False)
        ),
        migrations.AddField(
            model_name="storedentry",
            name="place",
            field=models.IntegerField(default=0),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="storedentry",
            name="number",
            field=models.IntegerField(default=0),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="storedentry",
            name="added_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="added",
                to="gangs.strike",
            ),
        ),
        migrations.RunPython(as_written, migrations.RunPython.noop, elidable=True),
        migrations.CreateModel(
            name="Story",
            fields=[
                (
                    "gang",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="story",
                        serialize=False,
                        to="gangs.gang",
                    ),
                ),
                ("data", models.TextField(default="{}")),
            ],
        ),
    ]
