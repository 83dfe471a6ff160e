"""Texts that were stored before they were cleaned."""

from __future__ import annotations

from django.db import migrations

from common.stored_text import clean_rows

MODELS = ("Campaign", "Night", "Game", "Side", "Claim", "Throw", "Bargain")


def clean(apps, schema_editor):
    for name in MODELS:
        clean_rows(apps.get_model("campaigns", name))


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0001_initial"), ("gangs", "0003_clean_text")]

    operations = [migrations.RunPython(clean, migrations.RunPython.noop)]
