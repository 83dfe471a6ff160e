"""Devices that show a user's notices."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db import models
from django.utils import timezone

from outbound import client
from outbound.recipients import Recipient


class PushDevice(Recipient):
    """A browser on a device that shows its user's notices, also while no page is open.

    ``endpoint``: its address at the browser's push service; ``p256dh``, ``auth``: its keys, as
    base64url. All three are secrets: they let people send messages. ``digest``: of the
    endpoint, since a browser has one user. ``label``: browser and system; ``language``: of the page
    on which it was added; ``topics``: the topics of notices that it shows; ``session_mark``: of the
    session in which it was added, to notice that this has ended. ``sent_at``: the last message that
    the push service accepted. A device that takes none for a week is forgotten.
    """

    GIVEN_UP_AFTER = timedelta(days=7)

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="push_devices")
    endpoint = models.TextField(max_length=2000)
    p256dh = models.CharField(max_length=100)
    auth = models.CharField(max_length=40)
    digest = models.CharField(max_length=64, unique=True)
    label = models.CharField(max_length=60)
    language = models.CharField(max_length=10)
    topics = models.JSONField(default=list, blank=True)
    session_mark = models.CharField(max_length=64)
    added_at = models.DateTimeField(default=timezone.now)
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["added_at", "pk"]

    def __str__(self) -> str:
        return self.label

    @property
    def server(self) -> str:
        """The host of its push service."""
        return client.check_address(self.endpoint)
