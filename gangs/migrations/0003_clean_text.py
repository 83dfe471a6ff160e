"""Texts that were stored before they were cleaned: ledgers and what follows from them alike."""

from __future__ import annotations

from django.db import migrations

from common.stored_text import clean_rows


def clean(apps, schema_editor):
    clean_rows(apps.get_model("gangs", "StoredEntry"))
    clean_rows(apps.get_model("gangs", "Strike"))
    clean_rows(apps.get_model("gangs", "Gang"), json_texts=["snapshot"])
    clean_rows(apps.get_model("gangs", "Timeline"), json_texts=["data"])


class Migration(migrations.Migration):
    dependencies = [("gangs", "0002_release_0_9")]

    operations = [migrations.RunPython(clean, migrations.RunPython.noop)]
