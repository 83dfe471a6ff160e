"""Let administrators hide texts, variants and games, and put them back."""

from __future__ import annotations

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

SUBJECTS = [
    ("account", "Account"),
    ("gang", "Gang"),
    ("campaign", "Campaign"),
    ("report", "Report"),
    ("job", "Task"),
    ("rulebook", "Rulebook"),
    ("variant", "Variant"),
    ("draft", "Players’ own game"),
    ("game", "Game"),
    ("night", "Game night"),
]


def key_of(model: str) -> models.ForeignKey:
    return models.ForeignKey(
        null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to=model
    )


class Migration(migrations.Migration):
    dependencies = [
        ("administration", "0003_rulebook_acts"),
        ("campaigns", "0015_hidden"),
        ("gangs", "0006_hidden"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField("act", "subject", models.CharField(choices=SUBJECTS, max_length=10)),
        migrations.CreateModel(
            "HiddenText",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("place", models.CharField(blank=True, max_length=20)),
                ("about", models.CharField(max_length=180)),
                ("text", models.TextField()),
                ("rest", models.JSONField(default=dict)),
                ("reason", models.CharField(max_length=300)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "author",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("gang", key_of("gangs.gang")),
                ("campaign", key_of("campaigns.campaign")),
                ("game", key_of("campaigns.game")),
                ("night", key_of("campaigns.night")),
            ],
            options={"ordering": ["pk"]},
        ),
    ]
