"""``manage.py books check [DIR...]``, ``books load [DIR...]`` and ``books schema [FILE]``."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from rules.library import load, shipped_folders
from rules.loading.json_schema import as_text, file_schema
from rules.loading.reader import BadBook, read_folder


class Command(BaseCommand):
    """Check rulebook folders, load them as new versions, or write the schema that editors use."""

    help = (
        "Check rulebook folders, or load them (those shipped, if none is named); "
        "or write the JSON Schema of their files (to docs/, if no file is named)."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What to do, and with which folders, or into which file."""
        parser.add_argument("action", choices=["check", "load", "schema"])
        parser.add_argument("paths", nargs="*", type=Path, metavar="path")

    def handle(self, *, action: str, paths: list[Path], **options: Any) -> None:
        """Do it."""
        if action == "schema":
            self._write_schema(paths)
        else:
            self._read(paths or shipped_folders(), loading=action == "load")

    def _write_schema(self, paths: list[Path]) -> None:
        if len(paths) > 1:
            raise CommandError("The schema is one file: name one path, or none.")
        path = paths[0] if paths else settings.BASE_DIR / "docs" / "rulebook.schema.json"
        path.write_text(as_text(file_schema()), "utf-8")
        self.stdout.write(f"{path}: written")

    def _read(self, folders: list[Path], *, loading: bool) -> None:
        """Read every folder; print every mistake; load those that have none.

        Checked and not loaded, their rolls are worked out for figures of theirs, too.
        """
        books = []
        failed = 0
        for folder in folders:
            try:
                books.append(read_folder(folder, trying=not loading))
                self.stdout.write(f"{folder.name}: no mistake")
            except BadBook as bad:
                failed += 1
                for mistake in bad.mistakes:
                    self.stderr.write(f"{folder.name}/{mistake}")
        if loading:
            for book in books:
                version, created = load(book)
                state = "new version" if created else "already stored"
                self.stdout.write(f"{book.slug}: {version.digest[:12]} {state}")
        if failed:
            raise CommandError(f"{failed} of {failed + len(books)} rulebooks have mistakes")
