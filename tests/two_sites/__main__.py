"""Play on two sites at once, and say whether anything was lost or done twice.

python -m tests.two_sites --minutes 3 --kill
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from tests.two_sites.evening import Notes, Table
from tests.two_sites.servers import ROOT, Bucket, Postgres, Site


def environment(postgres: Postgres, bucket: Bucket) -> dict[str, str]:
    """What all machines of the site have in common."""
    plain = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return (
        plain
        | bucket.environment
        | {
            "DATABASE_URL": postgres.address,
            "SECRET_KEY": "two-sites-" * 8,
            "HTTPS": "0",
            "SITE_URL": "http://127.0.0.1",
            "ALLOWED_HOSTS": "127.0.0.1",
            "STATIC_ROOT": str(postgres.folder.parent / f"{postgres.folder.name}-static"),
            "PYTHONWARNINGS": "ignore",
        }
    )


def manage(given: dict[str, str], *arguments: str) -> str:
    """A command of the site. Raises CalledProcessError if it fails."""
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=given,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout


@contextmanager
def sites(count: int, workers: int) -> Iterator[tuple[dict[str, str], list[Site]]]:
    """So many sites on one database and one bucket, ready to be played on."""
    with ExitStack() as stack:
        postgres = Postgres()
        stack.callback(postgres.stop)
        bucket = Bucket()
        stack.callback(bucket.stop)
        given = environment(postgres, bucket)
        manage(given, "collectstatic", "--noinput", "-v0")
        manage(given, "migrate", "-v0")
        manage(given, "books", "load")
        running = []
        for _site in range(count):
            running.append(Site(given, workers))
            stack.callback(running[-1].stop)
        yield given, running


def play(running: list[Site], tables: int, seconds: float, kill: bool, seed: int) -> Notes:
    """Let people play at so many tables for so long."""
    dice, notes, over = random.Random(seed), Notes(), threading.Event()
    ports = [site.port for site in running]

    def evening(table: Table) -> None:
        try:
            table.sit_down()
            while not over.is_set():
                table.play()
        except Exception as error:
            notes.fault(f"{type(error).__name__}: {error}")

    threads = [
        threading.Thread(
            target=evening, args=(Table(ports, random.Random(dice.getrandbits(64)), notes),)
        )
        for _table in range(tables)
    ]
    for thread in threads:
        thread.start()
    until = time.monotonic() + seconds
    while time.monotonic() < until and any(thread.is_alive() for thread in threads):
        time.sleep(dice.uniform(1, 4))
        if kill:
            dice.choice(running).kill(dice)
    over.set()
    for thread in threads:
        thread.join()
    return notes


def main() -> None:
    asked = argparse.ArgumentParser(prog="script/two-sites", description=__doc__)
    asked.add_argument("--minutes", type=float, default=1)
    asked.add_argument("--tables", type=int, default=4)
    asked.add_argument("--workers", type=int, default=2)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--kill", action="store_true")
    options = asked.parse_args()
    with sites(2, options.workers) as (given, running):
        notes = play(running, options.tables, options.minutes * 60, options.kill, options.seed)
        print(notes.asked)
        for fault in notes.faults[:20]:
            print(fault)
        for site in running:
            print(site.log.read_text()[-3000:])


if __name__ == "__main__":
    main()
