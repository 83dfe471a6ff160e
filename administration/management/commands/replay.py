"""``manage.py replay``: prove that every gang's snapshot and timeline match its entries."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from administration.runs import Different, replay_all


class Command(BaseCommand):
    """Replay every gang and compare it with its snapshot."""

    help = "Replay every gang from its first entry and compare it with its snapshot."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add ``--mend``, which replaces snapshots that differ."""
        parser.add_argument("--mend", action="store_true", help="write the replayed roster")

    def handle(self, *, mend: bool, **options: Any) -> None:
        """Compare; name every gang that differs, and fail if there is one."""
        try:
            count = replay_all(mend=mend)
        except Different as different:
            for line in different.lines:
                self.stderr.write(line)
            raise CommandError(str(different)) from None
        self.stdout.write(f"{count} gangs replayed, all equal to their snapshots")
