"""Keep several past states of variants and games for undo and redo, each in a row of its own."""

import django.db.models.deletion
from django.db import migrations, models


def move_states(apps, _editor):
    """Move the one state that each variant and game has kept so far."""
    past = apps.get_model("rules", "PastState")
    for name, field in (("Variant", "variant"), ("BookDraft", "draft")):
        known = apps.get_model("rules", name).objects.exclude(previous="")
        rows = known.values_list("pk", "previous", "is_undone")
        for key, text, is_undone in rows.iterator(chunk_size=20):
            past.objects.create(**{f"{field}_id": key}, text=text, is_undone=is_undone)


def put_back(apps, _editor):
    """Give each variant and game the newest of its states again."""
    past = apps.get_model("rules", "PastState")
    for name, field in (("Variant", "variant_id"), ("BookDraft", "draft_id")):
        documents = apps.get_model("rules", name).objects
        kept = past.objects.exclude(**{field: None}).order_by("pk")
        for key, text, is_undone in kept.values_list(field, "text", "is_undone"):
            documents.filter(pk=key).update(previous=text, is_undone=is_undone)


class Migration(migrations.Migration):
    dependencies = [("rules", "0011_shelf")]

    operations = [
        migrations.CreateModel(
            name="PastState",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("text", models.TextField()),
                ("is_undone", models.BooleanField(default=False)),
                (
                    "draft",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="past",
                        to="rules.bookdraft",
                    ),
                ),
                (
                    "origin",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="past_states",
                        to="rules.catalogueimport",
                    ),
                ),
                (
                    "variant",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="past",
                        to="rules.variant",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("variant", None), ("draft", None), _connector="XOR"),
                        name="past_state_has_one_document",
                    )
                ],
            },
        ),
        migrations.AddField(
            "entryids",
            "origin",
            models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="rules.catalogueimport",
            ),
        ),
        migrations.RunPython(move_states, put_back),
        migrations.RemoveField("variant", "previous"),
        migrations.RemoveField("variant", "is_undone"),
        migrations.RemoveField("bookdraft", "previous"),
        migrations.RemoveField("bookdraft", "is_undone"),
    ]
