"""``manage.py backup FILE``: one archive of everything the site cannot make again."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from administration.archives.manifest import BadArchive
from administration.archives.writing import back_up
from administration.runs import Different
from common.text import quote


class Command(BaseCommand):
    """Write a backup while the site runs, and prove its content."""

    help = (
        "Write database, pictures and secret key to one archive (compressed if FILE ends in .gz),"
        " while the site runs, and prove every gang in it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the target file, and the option to overwrite it."""
        parser.add_argument("file", type=Path)
        parser.add_argument("--overwrite", action="store_true", help="replace an existing file")

    def handle(self, *, file: Path, overwrite: bool, **options: Any) -> None:
        """Write the backup; print its size and anything missing from it."""
        try:
            done = back_up(file.resolve(), overwrite=overwrite)
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
            f"{quote(file, 1_000)}: {done['bytes']} bytes, {done['gangs']} gangs checked"
        )
