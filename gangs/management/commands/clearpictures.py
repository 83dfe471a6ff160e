"""``manage.py clearpictures``: clear away pictures that no gang has."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from gangs.pictures.storage import clear_forgotten


class Command(BaseCommand):
    """Delete files of pictures that nothing points to."""

    help = "Delete pictures that no gang has, which a crash may leave. Run it now and then."

    def handle(self, **options: Any) -> None:
        """Pictures go with their gangs at once; this finds what was left on the way."""
        self.stdout.write(f"{clear_forgotten()} files of pictures deleted")
