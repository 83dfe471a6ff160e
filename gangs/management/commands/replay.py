"""``manage.py replay``: prove that every gang's snapshot is what its entries fold to, and its story
what they tell."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from gangs import stories
from gangs.fold import Misfit, in_force
from gangs.ledger import dumped, replayed, stored_book
from gangs.ledger import mend as mend_gang
from gangs.models import Gang
from gangs.story import Story
from gangs.worth import gang_rating


class Command(BaseCommand):
    """Replay every gang and compare it with its snapshot."""

    help = "Replay every gang from its first entry and compare it with its snapshot."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """``--mend`` writes the replayed roster where they differ."""
        parser.add_argument("--mend", action="store_true", help="write the replayed roster")

    def handle(self, *, mend: bool, **options: Any) -> None:
        """Compare; name every gang that differs; fail if there is one."""
        count = 0
        different = []
        for gang in Gang.objects.select_related("story").iterator():
            count += 1
            try:
                roster = replayed(gang)
            except Misfit as misfit:
                different.append(f"{gang.pk} {gang.name}: an entry does not fit ({misfit.code})")
                continue
            rating = gang_rating(in_force(gang.first_book, roster, stored_book), roster).total
            version = roster.book or gang.founded_with_id
            facts = (dumped(roster), roster.name, len(roster.members), rating, version)
            stored = (gang.snapshot, gang.name, gang.size, gang.rating, gang.book_version_id)
            story = gang.story.data if hasattr(gang, "story") else stories.dumped(Story())
            wrong = []
            if facts != stored:
                wrong.append("the snapshot")
            if story != stories.dumped(stories.told(gang)):
                wrong.append("the story")
            if wrong:
                different.append(f"{gang.pk} {gang.name}: {' and '.join(wrong)} differs")
                if mend:
                    mend_gang(gang)
        for line in different:
            self.stderr.write(line)
        if different:
            raise CommandError(f"{len(different)} of {count} gangs differ from their replay")
        self.stdout.write(f"{count} gangs replayed, all equal to their snapshots")
