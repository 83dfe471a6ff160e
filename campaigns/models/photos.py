"""Photos of games."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext as _

from campaigns.models.games import Game


class PhotoQuerySet(models.QuerySet["Photo"]):
    """Queries for photos."""

    def shown(self) -> PhotoQuerySet:
        """Photos that administrators do not hide."""
        return self.filter(hidden_why="")


class Photo(models.Model):
    """A photo of a game. ``by``: its uploader, with whose account it is deleted; ``name``: of its
    files (``campaigns.games.photos``); ``caption``: "" if its uploader wrote none; ``hidden_why``:
    an administrator's reason to hide it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    game = models.ForeignKey(Game, models.CASCADE, related_name="photos")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="photos")
    name = models.CharField(max_length=32)
    caption = models.CharField(max_length=200)
    at = models.DateTimeField(default=timezone.now)
    hidden_why = models.CharField(max_length=300, blank=True)

    objects = PhotoQuerySet.as_manager()

    class Meta:
        ordering = ["at", "pk"]
        constraints = [models.UniqueConstraint(fields=["game", "name"], name="photo_once")]

    def __str__(self) -> str:
        return self.label

    @property
    def label(self) -> str:
        """Its caption, or words of the reader's language for a photo without one."""
        return self.caption or _("Photo of the game")
