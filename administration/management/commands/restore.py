"""``manage.py restore FILE``: restore a backup."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from administration.archives.manifest import BadArchive
from administration.archives.reading import restore
from administration.runs import Different
from common.text import quote

KEYS = {
    "used": "The site uses the backup's secret key.",
    "stored": (
        "The backup's secret key is now in {place}. If SECRET_KEY is set, set it to this key, or"
        " everybody has to sign in again."
    ),
    "other": (
        "{place} differs from the backup's secret key and is kept: everybody has to sign in again."
    ),
    "none": "The backup has no secret key: everybody has to sign in again.",
}


class Command(BaseCommand):
    """Check a backup, replace the site's data by it, and prove the result."""

    help = "Load a backup into this site, and prove it. Stop the site first."
    # The tables may not exist yet.
    requires_migrations_checks = False
    # Django's checks open the database, which makes an empty file before the backup is looked at;
    # ``restore`` migrates, with all checks, once the backup is accepted.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the backup's file, and the option to replace a site that is not empty."""
        parser.add_argument("file", type=Path)
        parser.add_argument("--force", action="store_true", help="replace a site that is not empty")

    def handle(self, *, file: Path, force: bool, **options: Any) -> None:
        """Restore; print the result and which secret key the site uses."""
        try:
            done = restore(file.resolve(), force=force)
        except BadArchive as bad:
            raise CommandError(str(bad)) from None
        except OSError as error:
            raise CommandError(f"Could not write to the site. {quote(error, 2_000)}") from None
        except Different as different:
            for line in different.lines:
                self.stderr.write(line)
            raise CommandError(f"The site is restored, but {different}.") from None
        counts = quote(
            ", ".join(f"{count} {name}" for name, count in done.manifest.counts.items()), 1_000
        )
        self.stdout.write(f"Restored as of {done.manifest.made_at:%Y-%m-%d %H:%M %Z}: {counts}")
        self.stdout.write(f"{done.gangs} gangs checked")
        self.stdout.write(KEYS[done.key].format(place=settings.DATA_DIR / "secret_key"))
