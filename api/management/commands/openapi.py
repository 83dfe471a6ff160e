"""Write the description of the API to ``docs/openapi.json``."""

from django.conf import settings
from django.core.management.base import BaseCommand

from api.description import write


class Command(BaseCommand):
    """``manage.py openapi``."""

    help = "Write docs/openapi.json, which a test compares with the code."
    requires_system_checks = ()

    def handle(self, *args: object, **options: object) -> None:
        """Write the file."""
        (settings.BASE_DIR / "docs" / "openapi.json").write_text(write(), encoding="utf-8")
