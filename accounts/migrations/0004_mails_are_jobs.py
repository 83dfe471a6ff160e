"""Mails become rows of the one table of jobs: those that wait are sent from there."""

from __future__ import annotations

from django.db import migrations

AT_ONCE = 500


def carry_over(apps, schema_editor):
    model = apps.get_model("common", "Job")
    mails = apps.get_model("accounts", "Mail").objects.order_by("pk")
    model.objects.bulk_create(
        (
            model(
                kind="mail",
                title=f"{mail.subject} → {mail.to}",
                created_at=mail.created_at,
                next_at=mail.next_try_at,
                tries=mail.tries,
                finished_at=mail.sent_at,
                # When the last try failed was not kept.
                failed_at=mail.created_at if mail.error else None,
                error=mail.error,
                body=body(mail) if mail.next_try_at else {},
            )
            for mail in mails.iterator(AT_ONCE)
        ),
        batch_size=AT_ONCE,
    )


def body(mail):
    return {"to": mail.to, "subject": mail.subject, "text": mail.body}


def carry_back(apps, schema_editor):
    model = apps.get_model("accounts", "Mail")
    jobs = apps.get_model("common", "Job").objects.filter(kind="mail")
    for job in jobs.order_by("pk"):
        subject, _arrow, to = job.title.rpartition(" → ")
        model.objects.create(
            to=to,
            subject=subject,
            body=job.body.get("text", ""),
            created_at=job.created_at,
            next_try_at=job.next_at,
            tries=job.tries,
            error=job.error,
            sent_at=job.finished_at,
        )
    jobs.delete()


class Migration(migrations.Migration):
    dependencies = [("accounts", "0003_abbreviations"), ("common", "0002_jobs")]

    operations = [
        migrations.RunPython(carry_over, carry_back),
        migrations.DeleteModel(name="Mail"),
    ]
