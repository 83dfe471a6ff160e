"""``manage.py clearguests``: forget visitors' gangs that no session can reach any more."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils import timezone

from gangs.models import Gang


class Command(BaseCommand):
    """Delete gangs without an owner that are older than any session."""

    help = "Delete visitors' gangs whose sessions have expired. Run it now and then."

    def handle(self, **options: Any) -> None:
        """A session ends unused after SESSION_COOKIE_AGE, and the gangs it knew with it."""
        limit = timezone.now() - timedelta(seconds=2 * settings.SESSION_COOKIE_AGE)
        lost = Gang.objects.filter(owner=None, kept_at=None, changed_at__lt=limit)
        count = lost.count()
        lost.delete()
        self.stdout.write(f"{count} gangs of visitors deleted")
