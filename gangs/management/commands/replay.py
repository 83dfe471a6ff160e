"""``manage.py replay``: prove that every gang's snapshot is what its entries fold to, and its story
what they tell."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from gangs.ledger.replay import difference
from gangs.models import Gang


class Command(BaseCommand):
    """Replay every gang and compare it with its snapshot."""

    help = "Replay every gang from its first entry and compare it with its snapshot."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """``--mend`` writes the replayed roster where they differ."""
        parser.add_argument("--mend", action="store_true", help="write the replayed roster")

    def handle(self, *, mend: bool, **options: Any) -> None:
        """Compare; name every gang that differs; fail if there is one."""
        gangs = Gang.objects.select_related("timeline").iterator()
        found = [(gang.pk, gang.name, difference(gang, mend=mend)) for gang in gangs]
        count = len(found)
        different = [f"{pk} {name}: {reason}" for pk, name, reason in found if reason]
        for line in different:
            self.stderr.write(line)
        if different:
            raise CommandError(f"{len(different)} of {count} gangs differ from their replay")
        self.stdout.write(f"{count} gangs replayed, all equal to their snapshots")
