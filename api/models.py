"""Tokens, with which programs read what a user may read, and write a little; and the files that
programs have sent."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class Token(models.Model):
    """A token of a user. ``digest``: the SHA-256 of its secret, which is shown once and not stored;
    ``ending``: the secret's last signs, to recognise it by; ``writes``: whether its programs may
    also write; ``used_at``: its last use, to the hour.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="tokens")
    name = models.CharField(_("name"), max_length=60)
    writes = models.BooleanField(default=False)
    digest = models.CharField(max_length=64, unique=True)
    ending = models.CharField(max_length=4)
    created_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return self.name


class SentFile(models.Model):
    """A file that a user's program sent with a key of its own (Idempotency-Key), so that the file
    counts once. ``key``, ``body``: the SHA-256 of both; ``gang``: the id of the gang that the file
    made, None while it is read.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    key = models.CharField(max_length=64)
    body = models.CharField(max_length=64)
    gang = models.UUIDField(null=True, blank=True)
    sent_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="sent_file_once")]

    def __str__(self) -> str:
        return f"file of {self.user_id}"
