"""Short codes for the sheets that are shared."""

from __future__ import annotations

from django.db import migrations, models

from gangs.short_codes import short_code

AT_ONCE = 500


def give_codes(apps, schema_editor):
    gang = apps.get_model("gangs", "Gang")
    shared = gang.objects.exclude(share_key=None).order_by("pk")
    keys = list(shared.values_list("pk", flat=True))
    codes: set[str] = set()
    while len(codes) < len(keys):
        codes.add(short_code())
    rows = [gang(pk=key, share_code=code) for key, code in zip(keys, codes, strict=True)]
    gang.objects.bulk_update(rows, ["share_code"], batch_size=AT_ONCE)


class Migration(migrations.Migration):
    dependencies = [("gangs", "0003_clean_text")]

    operations = [
        migrations.AddField(
            "gang", "share_code", models.CharField(max_length=8, null=True, unique=True)
        ),
        migrations.RunPython(give_codes, migrations.RunPython.noop),
        migrations.AlterField(
            "gang",
            "share_code",
            models.CharField(default=short_code, max_length=8, null=True, unique=True),
        ),
    ]
