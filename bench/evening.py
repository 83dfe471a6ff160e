"""Measure a club's evening, in time felt and processor time: forty tables over HTTP for a minute.

.venv/bin/python bench/evening.py [--taps N] [--seconds N] [--tables N] [--watchers N]

The site is served as by ``script/server``, with two workers of four threads. At every table two
phones poll as ``static/table/sync.js`` does, two seconds after each answer, and one of them taps
every twenty seconds. ``--taps`` is the number of earlier taps at each table. Uses the database of
DATABASE_URL, which must be empty, if that is set. Prints the milliseconds of polls and taps as the
phones see them, and the processor time of master and workers.
"""

from __future__ import annotations

import os
import sys
import time
from argparse import ArgumentParser, Namespace
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random, SystemRandom
from threading import Event, Timer

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.forty_tables.served import Seated, Served, served  # noqa: E402
from tests.heading import heading, typed  # noqa: E402
from tests.two_sites.servers import Site  # noqa: E402

# Seconds between two taps at a table, and before measuring begins.
TAPPED, WARM_UP = 20, 10
FILLED_WITHIN = 120
MOST_POLL, MOST_TAP, MOST_OF_A_CORE = 60.0, 150.0, 25.0
SHARES = (0.5, 0.95, 0.99)
# Taps that a phone sends after being offline, and the number of phones that do so at the same time.
OFFLINE, AT_ONCE = 100, 2


def main() -> None:
    """Play the evening and print the figures."""
    parser = ArgumentParser(prog="bench/evening.py", description=__doc__.partition("\n")[0])
    parser.add_argument("--taps", type=int, default=0, help="already at each table (0)")
    parser.add_argument("--seconds", type=float, default=60, help="that are measured (60)")
    parser.add_argument("--tables", type=int, default=40, help="with two phones each (40)")
    parser.add_argument("--watchers", type=int, default=0, help="at each table (0)")
    parser.add_argument("--seed", default=str(SystemRandom().randrange(10**6)))
    chosen = parser.parse_args()
    print(heading(typed("bench/evening.py"), chosen.seed), flush=True)
    with served() as here:
        measure(here, chosen)


def measure(here: Served, chosen: Namespace) -> None:
    """Play the evening at a running site."""
    from tests.forty_tables.phone import Habits, all_at_once

    # Seconds between two taps of one phone, as both phones of a table tap.
    habits = Habits(pause=2 * TAPPED)
    tables = here.seat(chosen.tables, chosen.watchers, habits, chosen.seed)
    with ThreadPoolExecutor(AT_ONCE) as filling:
        list(filling.map(lambda one: fill(one, chosen.taps), tables))
    phones = [phone for one in tables for phone in one.everybody]
    if not all(phone.settle(time.monotonic() + FILLED_WITHIN) for phone in phones):
        raise SystemExit("The site does not answer.")
    over, spans = Event(), []

    def begin() -> None:
        for phone in phones:
            phone.times.clear()
        spans.append((time.monotonic(), processor_time(here.site)))

    def end() -> None:
        spans.append((time.monotonic(), processor_time(here.site)))
        over.set()

    for seconds, task in ((WARM_UP, begin), (WARM_UP + chosen.seconds, end)):
        Timer(seconds, task).start()
    all_at_once(lambda phone=phone: phone.live(over.is_set) for phone in phones)
    report(here, tables, chosen, spans)


def fill(seated: Seated, taps: int) -> None:
    """Send this many taps to a table, from both phones in turn, as after being offline."""
    told, dice = 0, Random(str(seated.table.pk))
    while told < taps:
        phone = dice.choice(seated.phones)
        phone.settle(time.monotonic() + FILLED_WITHIN)
        before = len(phone.made)
        while len(phone.made) - before < min(OFFLINE, taps - told):
            phone.tap()
        told += len(phone.made) - before
        phone.settle(time.monotonic() + FILLED_WITHIN)


def processor_time(site: Site) -> float:
    """Return the processor seconds of master and workers so far, including ended workers."""
    ticks = 0
    for pid, fields in ((site.process.pid, 4), *((pid, 2) for pid in site.workers())):
        # The fields after the name, which may contain spaces: utime, stime and those of ended
        # children.
        stat = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
        ticks += sum(map(int, stat[11 : 11 + fields]))
    return ticks / os.sysconf("SC_CLK_TCK")


def report(
    here: Served, tables: list[Seated], chosen: Namespace, spans: list[tuple[float, float]]
) -> None:
    """Print the measurements and those above the promised limits."""
    from tests.forty_tables.phone import percentiles

    (began, before), (ended, after) = spans
    share = 100 * (after - before) / (ended - began)
    print("| | number | p50, ms | p95, ms | p99, ms |")
    print("| --- | ---: | ---: | ---: | ---: |")
    found = []
    for kind, most in (("poll", MOST_POLL), ("tap", MOST_TAP)):
        times = [
            seconds
            for one in tables
            for phone in one.everybody
            for seconds in phone.times.get(kind, ())
        ]
        middle, late, last = percentiles(times, *SHARES)
        print(f"| a {kind} | {len(times):,} | {middle:.0f} | {late:.0f} | {last:.0f} |")
        if late > most:
            found.append(f"p95 of a {kind} is above {most:.0f} ms")
    if share > MOST_OF_A_CORE:
        found.append(f"the share of a core is above {MOST_OF_A_CORE:.0f} %")
    phones, watchers = 2 * chosen.tables, chosen.watchers * chosen.tables
    print(
        f"{chosen.tables} tables with {chosen.taps} taps each, {phones} phones,"
        f" {watchers} watching: {share:.1f} % of a core"
    )
    numbers = here.counts.numbers
    print(f"{numbers['unanswered']} unanswered, {numbers['to be asked again']} to be asked again")
    for words in (*found, *here.counts.faults[:20], *here.site.failures()[:20]):
        print(words)


if __name__ == "__main__":
    main()
