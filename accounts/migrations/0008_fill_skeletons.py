"""Existing names get their skeletons; those that look alike stay. Mails that remind of duties are
written when they are sent."""

from __future__ import annotations

from django.db import migrations

from accounts.skeletons import skeleton

AT_ONCE = 1000


def fill(apps, schema_editor):
    model = apps.get_model("accounts", "User")
    users = model.objects.filter(stands_for="", skeleton="").only("username").order_by("pk")
    last = 0
    while batch := list(users.filter(pk__gt=last)[:AT_ONCE]):
        last = batch[-1].pk
        for user in batch:
            user.skeleton = skeleton(user.username)
        model.objects.bulk_update(batch, ["skeleton"])


def write_later(apps, schema_editor):
    """A stored text names people, and would be sent without asking whether its duty is done."""
    jobs = apps.get_model("common", "Job").objects
    for mail in jobs.filter(kind="mail", body__has_key="notice").iterator(AT_ONCE):
        mail.title = f"notice → {mail.body['to']}"
        mail.body = {"to": mail.body["to"], "writer": "notice", "notice": mail.body["notice"]}
        mail.save(update_fields=["title", "body"])


class Migration(migrations.Migration):
    dependencies = [("accounts", "0007_skeletons"), ("common", "0002_jobs")]

    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.RunPython(write_later, migrations.RunPython.noop),
    ]
