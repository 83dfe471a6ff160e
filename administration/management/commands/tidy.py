"""``manage.py tidy``: delete everything the site no longer needs."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from administration import tidying


class Command(BaseCommand):
    """Run every cleaning step, and print each result."""

    help = "Delete leftovers. The site does this by itself once a day."

    def handle(self, **options: Any) -> None:
        """A failing step stops no other; the command fails at the end."""
        try:
            for done in tidying.tidy():
                if done.error:
                    self.stderr.write(f"{done.name}: failed: {done.error}")
                else:
                    self.stdout.write(f"{done.name}: {done.count}")
        except tidying.Untidy:
            raise CommandError("Some data could not be cleaned up.") from None
