"""Tokens, with which programs read what a user may read, and write a little."""

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
