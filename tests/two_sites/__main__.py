"""Play on two sites at the same time, and report anything that was lost or done twice.

python -m tests.two_sites --minutes 3 --kill
"""

from __future__ import annotations

import argparse
import difflib
import json
import random
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from tests.heading import heading, typed
from tests.two_sites import load
from tests.two_sites.browser import Unanswered
from tests.two_sites.evening import Notes, Person, Table
from tests.two_sites.servers import (
    ROOT,
    Bucket,
    LimitStore,
    Postgres,
    Site,
    environment,
    manage,
)


@contextmanager
def sites(count: int, workers: int, seed: int) -> Iterator[tuple[dict[str, str], list[Site]]]:
    """Start this many sites on one database, one bucket and one store of limits, ready to be played
    on."""
    with ExitStack() as stack:
        postgres = Postgres()
        stack.callback(postgres.stop)
        bucket = Bucket()
        stack.callback(bucket.stop)
        limits = LimitStore()
        stack.callback(limits.stop)
        static = str(postgres.folder / "static")
        given = environment(
            DATABASE_URL=postgres.address,
            STATIC_ROOT=static,
            **bucket.environment,
            **limits.environment,
        )
        manage(given, "collectstatic", "--noinput", "-v0")
        manage(given, "migrate", "-v0")
        manage(given, "books", "load")
        print(heading(typed("script/two-sites"), seed, postgres.address), flush=True)
        running = []
        for number in range(count):
            # A connection for each thread, and connections from a pool: both must work.
            pooled = {"DATABASE_POOL": "8"} if number % 2 else {}
            running.append(Site(given | pooled, workers))
            stack.callback(running[-1].stop)
        yield given, running


def play(
    running: list[Site], tables: int, seconds: float, kill: bool, seed: int
) -> tuple[Notes, list[Table]]:
    """Let people play at this many tables for this long."""
    dice, notes, over = random.Random(seed), Notes(), threading.Event()
    ports = [site.port for site in running]

    def evening(table: Table) -> None:
        try:
            table.sit_down()
            while not over.is_set():
                table.play()
        except Exception as error:
            notes.fault(f"{type(error).__name__}: {error}")

    seated = [Table(ports, random.Random(dice.getrandbits(64)), notes) for _ in range(tables)]
    threads = [threading.Thread(target=evening, args=(table,)) for table in seated]
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
    return notes, seated


# Values that differ each time a page is requested.
FRESH = re.compile(
    r'name="(?:csrfmiddlewaretoken|token)" value="[^"]*"|"X-CSRFToken": "[^"]*"|data-token="[^"]*"'
)


def different(table: Table) -> Iterator[str]:
    """Return the pages and prints that differ between sites."""
    ports = list(table.people[0].browser.ports)
    for person in table.people:
        gang, campaign = person.gang, table.campaign
        pages = [gang, f"{gang}sheet/", f"{gang}history/", f"{gang}export/", "/gangs/", campaign]
        pages += [f"{campaign}{part}/" for part in ("people", "chronicle", "records", "charts")]
        person.page(gang)  # A first visit shows the last change's message, which is shown once.
        for path in pages:
            # Between two answers, a background task may have stored the luck of a game.
            fault = _compare(person, path, ports) and _compare(person, path, ports)
            if fault:
                yield fault
        for path in (f"{gang}sheet.pdf", f"{gang}cards.pdf", f"{campaign}yearbook.pdf"):
            if len({person.printed(path, port) for port in ports}) != 1:
                yield f"{path} differs"


def _compare(person: Person, path: str, ports: list[int]) -> str:
    """Return how the answers of the sites differ, "" if they do not."""
    answers = [person.browser.ask(path, port=port) for port in ports]
    texts = [FRESH.sub("", answer.content.decode()) for answer in answers]
    if {answer.status for answer in answers} != {200}:
        return f"{path}: {[answer.status for answer in answers]}"
    if len(set(texts)) == 1:
        return ""
    lines = list(difflib.unified_diff(*(text.splitlines() for text in texts[:2]), n=0))
    return f"{path} differs: {' '.join(lines[3:])[:600]}"


def judged(given: dict[str, str], notes: Notes, tables: list[Table]) -> list[str]:
    """Return every fault that is found after people have played."""
    found = list(notes.faults)
    for table in tables:
        try:
            found += different(table)
        except (AssertionError, Unanswered) as error:
            found.append(f"{type(error).__name__}: {error}")
    acts = json.dumps([(act.kind, act.marker, act.outcome) for act in notes.acts])
    checked = subprocess.run(
        [sys.executable, "-m", "tests.two_sites.checks"],
        cwd=ROOT,
        env=given,
        input=acts,
        capture_output=True,
        text=True,
    )
    found += checked.stdout.splitlines()
    if checked.returncode:
        found.append(checked.stderr[-2000:])
    replayed = subprocess.run(
        [sys.executable, "manage.py", "replay"], cwd=ROOT, env=given, capture_output=True, text=True
    )
    if replayed.returncode:
        found.append(f"replay: {replayed.stdout[-2000:]}{replayed.stderr[-2000:]}")
    return found


def evening(options: argparse.Namespace) -> bool:
    """Play, and print the results; return whether there was no fault."""
    with sites(2, options.workers, options.seed) as (given, running):
        seconds = options.minutes * 60
        notes, tables = play(running, options.tables, seconds, options.kill, options.seed)
        found = judged(given, notes, tables)
        outcomes = Counter(act.outcome for act in notes.acts)
        print("| asked for | times |", "| --- | --- |", sep="\n")
        for what, count in notes.asked.most_common():
            print(f"| {what} | {count} |")
        for outcome, count in outcomes.most_common():
            print(f"| changes: {outcome} | {count} |")
        print(f"| kills | {sum(site.deaths for site in running)} |")
        print(f"| lost, doubled or different | {len(found)} |")
        for words in found[:50]:
            print(words)
        for site in running:
            for line in site.failures():
                print(line)
    return not found


def crowd(given: dict[str, str], name: str, gangs: int) -> dict[str, Any]:
    """Fill the site with gangs; return the readers who will request pages."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.two_sites.crowd", name, str(gangs)],
        cwd=ROOT,
        # Inserting millions of rows has no time limit.
        env=given | {"STATEMENT_TIMEOUT": "0"},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def figures(options: argparse.Namespace) -> None:
    """Print the number of answers a second by one and by two sites, and how page times grow with
    the number of gangs.
    """
    with sites(2, options.workers, options.seed) as (given, running):
        ports = [site.port for site in running]
        about = crowd(given, "few", 40)
        print("| sites | what | each second | p50, ms | p95, ms |")
        print("| --- | --- | --- | --- | --- |")
        for count in (1, 2):
            for row in load.load(about, ports[:count], options.seconds):
                print(f"| {count} | {row} |", flush=True)
        few = load.page_times(about, ports)
        start = time.monotonic()
        about = crowd(given, "many", options.gangs)
        filled = time.monotonic() - start
        before = load.read_in_sequence(given["DATABASE_URL"])
        many = load.page_times(about, ports)
        searched = load.read_in_sequence(given["DATABASE_URL"]) - before
        print(f"\n{about['gangs']} gangs were made in {filled:.0f} s.\n")
        print(f"| page: p50, p95 in ms | 40 gangs | {about['gangs']} gangs |")
        print("| --- | --- | --- |")
        for what, (middle, late) in few.items():
            print(f"| {what} | {middle:.0f}, {late:.0f} |", end="")
            print(" {:.0f}, {:.0f} |".format(*many[what]))
        for table, rows in searched.most_common():
            print(f"{rows} rows of {table} were read without an index")


def main() -> None:
    """Play, or measure. Exits with 1 if there is a fault."""
    asked = argparse.ArgumentParser(prog="script/two-sites", description=__doc__)
    asked.add_argument("--minutes", type=float, default=1, help="for which people play")
    asked.add_argument("--tables", type=int, default=4, help="of two people each")
    asked.add_argument("--kill", action="store_true", help="kill workers and whole sites meanwhile")
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--load", action="store_true", help="measure instead of playing")
    asked.add_argument("--gangs", type=int, default=100_000, help="at most, when measuring")
    asked.add_argument("--seconds", type=float, default=10, help="for which each load is kept up")
    asked.add_argument("--workers", type=int, default=2, help="of each site")
    options = asked.parse_args()
    if options.load:
        figures(options)
    elif not evening(options):
        sys.exit(1)


if __name__ == "__main__":
    main()
