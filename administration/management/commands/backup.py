"""``manage.py backup FILE``: one archive of everything the site cannot make again.

``manage.py backup --daily`` makes the backup of today, as the site does by itself.
"""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from administration.archives.daily import back_up_today
from administration.archives.manifest import BadArchive
from administration.archives.progress import Progress
from administration.archives.writing import BackupFigures, back_up
from administration.runs import Different
from common.text import quote


class Command(BaseCommand):
    """Write a backup while the site runs, and prove its content."""

    help = (
        "Write database, pictures and secret key to one archive (compressed if FILE ends in .gz),"
        " while the site runs, and prove every gang in it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the target file, and the options to overwrite it or to use BACKUP_DAILY."""
        parser.add_argument("file", type=Path, nargs="?")
        parser.add_argument("--overwrite", action="store_true", help="replace an existing file")
        parser.add_argument(
            "--daily", action="store_true", help="the backup of today, in the place of BACKUP_DAILY"
        )

    def _tell(self, progress: Progress) -> None:
        """Print how far the backup is, for the process that started it."""
        self.stdout.write(str(progress))
        self.stdout.flush()

    def handle(self, *, file: Path | None, overwrite: bool, daily: bool, **options: Any) -> None:
        """Write the backup; print its size and anything missing from it."""
        if daily and not settings.BACKUP_DAILY:
            raise CommandError("BACKUP_DAILY names no place for daily backups.")
        if daily == (file is not None):
            raise CommandError("Name a file, or use --daily.")
        done: BackupFigures
        try:
            if file is None:
                today = back_up_today(self._tell)
                done, written = today, f"{today['place']}: {today['file']}"
            else:
                done, written = back_up(file.resolve(), overwrite=overwrite), str(file)
        except (BadArchive, OSError) as error:
            raise CommandError(f"No backup was written. {quote(error, 2_000)}") from None
        except Different as different:
            for line in different.lines:
                self.stderr.write(line)
            raise CommandError(f"The backup is written, but {different}.") from None
        if done["missing"]:
            self.stderr.write(f"{done['missing']} picture files are missing on this site.")
        if done["left_out"]:
            names = quote(", ".join(done["left_out"]), 1_000)
            self.stderr.write(f"Left out, because no migration of this site created them: {names}")
        self.stdout.write(
            f"{quote(written, 1_000)}: {done['bytes']} bytes, {done['gangs']} gangs checked"
        )
