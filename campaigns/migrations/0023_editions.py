"""Games without a battle, byes and tie-breaks are counted by new rules. Stages that have begun and
seasons that have ended keep those by which their places were won."""

from __future__ import annotations

from django.db import migrations

# Keys that are unknown to earlier releases.
OF_STAGES = ("edition", "ranking", "seed", "bonus", "first")


def keep_rules(apps, schema_editor):
    begun = apps.get_model("campaigns", "Round").objects.values("stage")
    stages = apps.get_model("campaigns", "Stage").objects
    _change(stages.filter(pk__in=begun), "options", _first)
    campaigns = apps.get_model("campaigns", "Campaign").objects
    # Without rules of the club the rulebook ranks, whose criteria have not changed.
    _change(campaigns.filter(archived_at__isnull=False).exclude(table={}), "table", _first)


def forget_rules(apps, schema_editor):
    _change(apps.get_model("campaigns", "Stage").objects.all(), "options", _without_new)
    _change(apps.get_model("campaigns", "Campaign").objects.all(), "table", _without_new)


def _first(value):
    return {**value, "edition": 1}


def _without_new(value):
    # A season's own ranking and seed are as old as its rules.
    new = OF_STAGES if "win" in value else ("edition",)
    return {key: part for key, part in value.items() if key not in new}


def _change(rows, column, changed):
    for row in list(rows.only(column)):
        value = getattr(row, column)
        if isinstance(value, dict):
            setattr(row, column, changed(value))
            row.save(update_fields=[column])


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0022_people_in_notices")]

    operations = [migrations.RunPython(keep_rules, forget_rules)]
