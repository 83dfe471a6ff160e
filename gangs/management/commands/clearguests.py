"""``manage.py clearguests``: delete visitors' gangs that nobody has changed for days."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from gangs.pages.deleting import tidy_guests


class Command(BaseCommand):
    """Delete visitors' gangs that nobody has changed for days."""

    help = "Delete visitors' gangs that nobody has changed for days. Run it now and then."

    def handle(self, **options: Any) -> None:
        """They go with their histories and their pictures."""
        self.stdout.write(f"{tidy_guests()} gangs of visitors deleted")
