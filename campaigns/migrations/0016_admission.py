"""The people who may join, invitations, requests and bars; gangs that stopped playing."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import campaigns.models.campaign


def retire_archived(apps, schema_editor):
    """Retire the gangs that their players archived without leaving: they were paired, but left out
    where captives are."""
    memberships = apps.get_model("campaigns", "Membership").objects
    gangs = apps.get_model("gangs", "Gang").objects.filter(pk=models.OuterRef("gang"))
    archived = memberships.filter(left_at=None).exclude(gang__archived_at=None)
    archived.filter(campaign__archived_at=None).update(
        retired_at=models.Subquery(gangs.values("archived_at"))
    )


class Migration(migrations.Migration):
    dependencies = [
        ("campaigns", "0015_hidden"),
        ("gangs", "0005_arriving_at"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="campaign",
            name="joining",
            field=models.CharField(
                choices=[
                    ("open", "Anyone who has the link"),
                    ("approval", "Anyone who has the link, once an organiser agrees"),
                    ("closed", "Only people invited by name or address"),
                ],
                default="open",
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="campaign",
            name="least_members",
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="campaign",
            name="legal_only",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="membership",
            name="retired_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.CreateModel(
            name="Barred",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="barred",
                        to="campaigns.campaign",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["at", "pk"],
                "constraints": [
                    models.UniqueConstraint(fields=("campaign", "user"), name="barred_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("whom", models.CharField(max_length=254)),
                (
                    "key",
                    models.CharField(
                        default=campaigns.models.campaign.invite_key, max_length=32, unique=True
                    ),
                ),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ("accepted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "accepted_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="invitations",
                        to="campaigns.campaign",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-at", "-pk"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("accepted_at", None)),
                        fields=("campaign", "whom"),
                        name="invitation_open_once",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="JoinRequest",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="join_requests",
                        to="campaigns.campaign",
                    ),
                ),
                (
                    "gang",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="join_requests",
                        to="gangs.gang",
                    ),
                ),
            ],
            options={
                "ordering": ["at", "pk"],
                "constraints": [
                    models.UniqueConstraint(fields=("campaign", "gang"), name="join_request_once")
                ],
            },
        ),
        migrations.RunPython(retire_archived, migrations.RunPython.noop),
    ]
