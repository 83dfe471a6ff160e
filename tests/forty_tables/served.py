"""A site with forty tables, served as by ``script/server``, whose database this process uses, too.
Nothing here may be imported after Django was set up otherwise.
"""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from tests.forty_tables.connection import Connection, Counts
from tests.two_sites.servers import Site, environment, manage

if TYPE_CHECKING:
    from campaigns.models import Table
    from tests.forty_tables.phone import Habits, Phone


@dataclass(frozen=True)
class Seated:
    """A table and its phones: two that play, and others that only watch."""

    table: Table
    phones: list[Phone]
    watchers: list[Phone]

    @property
    def everybody(self) -> list[Phone]:
        """Return the players and the watchers."""
        return [*self.phones, *self.watchers]


@dataclass(frozen=True)
class Served:
    """A site that answers, and the variables with which its commands run."""

    site: Site
    given: dict[str, str]
    counts: Counts

    def seat(self, tables: int, watchers: int, habits: Habits, seed: object) -> list[Seated]:
        """Make this many tables, with two phones at each and this many spectators."""
        from tests.forty_tables import club
        from tests.forty_tables.phone import Phone

        found = []
        for number in range(tables):
            seats = club.seats(number)
            address = seats.table.get_absolute_url()
            cookies = [*seats.players, *[seats.watcher] * watchers]
            phones = [
                Phone(
                    address,
                    Connection(self.site.port, cookie, self.counts),
                    Random(f"{seed} {number} {place}"),
                    habits,
                    plays=place < len(seats.players),
                )
                for place, cookie in enumerate(cookies)
            ]
            for phone in phones:
                phone.sit_down()
            found.append(Seated(seats.table, phones[:2], phones[2:]))
        return found


@contextmanager
def served() -> Iterator[Served]:
    """Serve a new site in a temporary folder: on DATABASE_URL's database, or on SQLite."""
    folder = Path(tempfile.mkdtemp(prefix="forty-tables-"))
    more = {"DATA_DIR": str(folder / "data"), "STATIC_ROOT": str(folder / "static")}
    if address := os.environ.get("DATABASE_URL"):
        more["DATABASE_URL"] = address
    given = environment(**more)
    # Some of this machine's variables could make this process use another site.
    for name in ("DEBUG", "SECRET_KEY", "SITE_URL", "ALLOWED_HOSTS", "S3_BUCKET"):
        os.environ.pop(name, None)
    os.environ |= given | {"DJANGO_SETTINGS_MODULE": "skirmish.settings"}
    (folder / "data").mkdir()
    site = None
    try:
        for command in (["collectstatic", "--noinput"], ["migrate"], ["books", "load"]):
            manage(given, *command, "-v0")
        import django

        django.setup()
        logging.disable(logging.WARNING)
        site = Site(given)
        yield Served(site, given, Counts())
    finally:
        if site is not None:
            site.stop()
        shutil.rmtree(folder, ignore_errors=True)
