"""``manage.py books check DIR`` and ``manage.py books load [DIR...]``."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from rules.library import load, shipped_folders
from rules.reading import BadBook, read_folder


class Command(BaseCommand):
    """Check rulebook folders, or load them as new versions."""

    help = "Check rulebook folders, or load them (those shipped, if none is named)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What to do, and with which folders."""
        parser.add_argument("action", choices=["check", "load"])
        parser.add_argument("folders", nargs="*", type=Path)

    def handle(self, *, action: str, folders: list[Path], **options: Any) -> None:
        """Read every folder; print every mistake; load those that have none."""
        books = []
        failed = 0
        for folder in folders or shipped_folders():
            try:
                books.append(read_folder(folder))
                self.stdout.write(f"{folder.name}: no mistake")
            except BadBook as bad:
                failed += 1
                for mistake in bad.mistakes:
                    self.stderr.write(f"{folder.name}/{mistake}")
        if action == "load":
            for book in books:
                version, created = load(book)
                state = "new version" if created else "already stored"
                self.stdout.write(f"{book.slug}: {version.digest[:12]} {state}")
        if failed:
            raise CommandError(f"{failed} of {failed + len(books)} rulebooks have mistakes")
