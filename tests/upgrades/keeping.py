"""Keeps a release's database, so that every later release can prove that it still opens it.

``python -m tests.upgrades.keeping 1.0`` (script/keep-release calls it on both databases) plays the
demonstration into an empty database, adds what the demonstration lacks (a league, a game of
somebody's own, a channel, a photo and so on), and writes it under ``kept/1.0/``, as a file of
SQLite or, where DATABASE_URL names a PostgreSQL, as its dump in SQL.
"""

from __future__ import annotations

import lzma
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

KEPT = Path(__file__).parent / "kept"
ROOT = Path(__file__).parents[2]
SQLITE, POSTGRES = "skirmish.sqlite3.xz", "skirmish.sql.xz"


def manage(environment: dict[str, str], *arguments: str) -> None:
    """Run a command of the site, in this environment."""
    subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=os.environ | environment,
        check=True,
    )


# People whose campaign has one object for each kind of address, and taps at its table.
PEOPLE = ("edith", "frank", "grace", "henry")
MORE = f"""
import uuid
from campaigns.table import storage, taps
from campaigns.table.access import device_of_forms
from tests.world.addresses import make_world
from tests.world.campaigns import make_game
world = make_world({PEOPLE})
edith = world.users["owner"]
others = world.game.sides.exclude(gang=world.gang)
game = make_game(world.campaign, edith, world.gang, others.get().gang)
table = storage.open_for(game, list(game.sides.select_related("gang__owner")))
side = table.sides.get(gang=world.gang)
by, book = f"{{side.number}}.{{world.gang.roster.members[0].id}}", table.book
effects = [
    taps.Acted(figure=by),
    taps.Counted(figure=by, track=str(book.life), by=-1),
    taps.Rolled(roll=book.rolls[0].key, by=by, at=by, outcome=None),
]
desk = device_of_forms(table.pk, f"user {{edith.pk}}")
storage.say(table, edith, desk, effects, act=uuid.uuid4(), after=table.seq, turn=1)
"""


def play(environment: dict[str, str]) -> None:
    """Play the demonstration into an empty database, and add the rest."""
    manage(environment, "migrate", "-v0")
    manage(environment, "books", "load")
    manage(environment, "demo")
    manage(environment, "shell", "--command", MORE)


def dumped(address: str) -> bytes:
    """Return a PostgreSQL database as SQL that any client understands."""
    command = ["pg_dump", "--no-owner", "--no-privileges", "--inserts", "--rows-per-insert=500"]
    dump = subprocess.run([*command, address], check=True, capture_output=True).stdout.decode()
    # Lines that only psql understands, which newer versions of pg_dump write around the others; and
    # a setting that older servers do not know.
    kept = [
        line
        for line in dump.splitlines(keepends=True)
        if not re.match(r"\\(un)?restrict\b|SET transaction_timeout", line)
    ]
    return "".join(kept).encode()


def main(release: str) -> None:
    """Keep this release's database."""
    folder = KEPT / release
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data:
        environment = {"DEBUG": "1", "DATA_DIR": data}
        play(environment)
        if os.environ.get("DATABASE_URL"):
            (folder / POSTGRES).write_bytes(lzma.compress(dumped(os.environ["DATABASE_URL"])))
            return
        whole = Path(data, "whole.sqlite3")
        with sqlite3.connect(Path(data, "skirmish.sqlite3")) as database:
            database.execute("VACUUM INTO ?", [str(whole)])
        (folder / SQLITE).write_bytes(lzma.compress(whole.read_bytes(), preset=9))


if __name__ == "__main__":
    main(sys.argv[1])
