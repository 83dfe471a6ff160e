"""Administrators' acts, reports of pages, and the runs of backups and other upkeep."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from campaigns.models import Campaign, Game, Night
from gangs.models import Gang
from rules.models import BookVersion


class Act(models.Model):
    """The record of an administrator's act. It never changes.

    ``by_name`` and ``subject_name`` stay when the account, gang or campaign is deleted; ``key`` is
    the primary key of the ``subject``; ``kind`` selects a sentence in ``administration.acts``,
    filled with ``values``; ``token`` identifies the form.
    """

    class Subject(models.TextChoices):
        """Kinds of subjects."""

        ACCOUNT = "account", _("Account")
        GANG = "gang", _("Gang")
        CAMPAIGN = "campaign", _("Campaign")
        REPORT = "report", pgettext_lazy("of a page", "Report")
        JOB = "job", _("Task")
        RULEBOOK = "rulebook", _("Rulebook")
        VARIANT = "variant", _("Variant")
        DRAFT = "draft", _("Players’ own game")
        GAME = "game", _("Game")
        NIGHT = "night", _("Game night")

    kind = models.CharField(max_length=40)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="administrator_acts"
    )
    by_name = models.CharField(max_length=150)
    subject = models.CharField(max_length=10, choices=Subject.choices)
    key = models.CharField(max_length=40)
    subject_name = models.CharField(max_length=150)
    reason = models.CharField(max_length=300)
    values = models.JSONField(default=dict)
    at = models.DateTimeField(default=timezone.now, db_index=True)
    token = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)

    class Meta:
        ordering = ["-at", "-pk"]
        indexes = [models.Index(fields=["subject", "key", "-at"], name="act_subject")]

    def __str__(self) -> str:
        return f"{self.kind} by {self.by_name}"


class PageReport(models.Model):
    """A report by a user or visitor that a page is not as it should be.

    ``page`` is its address on this site; ``title`` is its name at the time. ``gang``, ``campaign``
    or ``book_version`` is the thing it shows, until that is deleted. ``reporter`` is None for a
    visitor.
    """

    class Why(models.TextChoices):
        """Reasons for reporting a page."""

        OFFENSIVE = "offensive", _("It is offensive or hateful")
        PERSONAL = "personal", _("It shows someone, or reveals something private about them")
        RIGHTS = "rights", _("It uses something that belongs to someone else")
        OTHER = "other", _("Something else")

    page = models.CharField(max_length=300)
    title = models.CharField(max_length=150)
    gang = models.ForeignKey(Gang, models.SET_NULL, null=True, related_name="+")
    campaign = models.ForeignKey(Campaign, models.SET_NULL, null=True, related_name="+")
    book_version = models.ForeignKey(BookVersion, models.SET_NULL, null=True, related_name="+")
    why = models.CharField(max_length=10, choices=Why.choices)
    words = models.TextField(max_length=1000)
    reporter = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    at = models.DateTimeField(default=timezone.now)
    token = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    handled_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-at", "-pk"]
        indexes = [
            models.Index(fields=["-at"], name="report_open", condition=Q(handled_at=None)),
        ]

    def __str__(self) -> str:
        return f"report of {self.page}"


class HiddenText(models.Model):
    """A note or a tale that administrators took off the pages, kept to be put back.

    ``gang``, ``campaign``, ``game`` or ``night`` is its subject, and ``place`` says where it was
    there: a member's number, a side's key, or "" for the subject's own note. ``about`` names the
    thing that it is about. ``rest`` has the other facts needed to put it back: ``strike``, the key
    of the gang's correction, or ``claims``, the keys of the game's claims with the same note.
    ``author`` wrote it, or is the only one to answer for it.
    """

    gang = models.ForeignKey(Gang, models.CASCADE, null=True, related_name="+")
    campaign = models.ForeignKey(Campaign, models.CASCADE, null=True, related_name="+")
    game = models.ForeignKey(Game, models.CASCADE, null=True, related_name="+")
    night = models.ForeignKey(Night, models.CASCADE, null=True, related_name="+")
    place = models.CharField(max_length=20, blank=True)
    about = models.CharField(max_length=180)
    text = models.TextField()
    rest = models.JSONField(default=dict)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    reason = models.CharField(max_length=300)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"hidden text of {self.at:%Y-%m-%d %H:%M}"


class Run(models.Model):
    """The outcome of a backup, a restore, a replay or a tidying.

    ``values`` fill its sentence; ``error`` is the reason for a failure, in English, or "".
    """

    class Kind(models.TextChoices):
        """Kinds of runs."""

        BACKUP = "backup", _("Backup")
        RESTORE = "restore", _("Restoring")
        REPLAY = "replay", _("Replay")
        TIDY = "tidy", _("Tidying up")

    kind = models.CharField(max_length=10, choices=Kind.choices)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(default=timezone.now)
    values = models.JSONField(default=dict)
    error = models.TextField(blank=True)

    class Meta:
        ordering = ["-ended_at", "-pk"]
        indexes = [models.Index(fields=["kind", "-ended_at"], name="run_kind")]

    def __str__(self) -> str:
        return f"{self.kind} of {self.ended_at:%Y-%m-%d %H:%M}"
