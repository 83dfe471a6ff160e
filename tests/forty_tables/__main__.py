"""Kill workers while people tap at forty tables, and compare every log with their taps."""

from __future__ import annotations

import subprocess
import sys
import time
from argparse import ArgumentParser, Namespace
from collections import Counter
from random import Random, SystemRandom
from threading import Event

from tests.forty_tables.served import Seated, Served, served
from tests.heading import heading, table, typed
from tests.two_sites.servers import ROOT

# Seconds within which everything must be sent after the last kill.
SETTLED_WITHIN = 300
MOST_TOLD = 40


def main() -> int:
    """Play, kill and compare; return 1 if a tap was lost, doubled or different, or something
    failed.
    """
    parser = ArgumentParser(prog="script/prove-table --kill", description=__doc__)
    parser.add_argument("--seconds", type=float, default=180, help="of tapping and killing (180)")
    parser.add_argument("--tables", type=int, default=40, help="with two phones each (40)")
    parser.add_argument("--watchers", type=int, default=1, help="at each table (1)")
    parser.add_argument("--between", type=float, default=2.0, help="two kills, on average (2 s)")
    parser.add_argument("--pause", type=float, default=2.0, help="between two acts (2 s)")
    parser.add_argument("--whole", type=float, default=0.05, help="share of kills of all (0.05)")
    parser.add_argument("--seed", default=str(SystemRandom().randrange(10**6)))
    chosen = parser.parse_args()
    print(heading(typed("script/prove-table --kill"), chosen.seed), flush=True)
    with served() as here:
        return prove(here, chosen)


def prove(here: Served, chosen: Namespace) -> int:
    """Do the same on a site that is already running."""
    from tests.forty_tables import judge
    from tests.forty_tables.phone import Habits, all_at_once, percentiles

    habits = Habits(pause=chosen.pause, most=4, hurry=4)
    tables = here.seat(chosen.tables, chosen.watchers, habits, chosen.seed)
    begun, over = time.monotonic(), Event()
    all_at_once(
        [
            lambda: kill(here, chosen, over),
            *(
                lambda phone=phone, others=seated.phones: phone.live(over.is_set, others)
                for seated in tables
                for phone in seated.everybody
            ),
        ]
    )
    played = time.monotonic() - begun
    until = time.monotonic() + SETTLED_WITHIN
    # First all outboxes, then all screens.
    for _time in range(2):
        all_at_once(
            lambda phone=phone: phone.settle(until)
            for seated in tables
            for phone in seated.everybody
        )
    found = [one for seated in tables for one in judge.wrong(seated)]
    told = here.counts.faults + [f"{kind}: {words}" for kind, words in found]
    told += [f"refused: {why}" for one in tables for why in set(_refusals(one).values())]
    different = replayed(here)
    told += different + here.site.failures()
    kinds, numbers = Counter(kind for kind, _words in found), here.counts.numbers
    taps = [seconds for one in tables for phone in one.phones for seconds in phone.times["tap"]]
    rows: dict[str, object] = {
        "tables, phones, watchers": _list(
            chosen.tables, 2 * chosen.tables, chosen.watchers * chosen.tables
        ),
        "seconds": round(played),
        "taps": sum(len(phone.made) for one in tables for phone in one.phones),
        "requests": numbers["requests"],
        "kills": numbers["workers killed"] + numbers["kills of master and workers"],
        "of these master and workers together": numbers["kills of master and workers"],
        "requests that the browser sent again, cut off": numbers[
            "sent again by the browser itself"
        ],
        "requests left unanswered": numbers["unanswered"],
        "requests to be asked again (503)": numbers["to be asked again"],
        "outboxes handed to the other phone": numbers["outboxes handed to the other phone"],
        "p50, p95 of a request with taps": _list(*map(round, percentiles(taps, 0.5, 0.95))) + " ms",
        "taps refused": sum(len(_refusals(one)) for one in tables),
        "taps lost": kinds["lost"],
        "taps doubled": kinds["doubled"],
        "taps changed, or of nobody": kinds["changed"] + kinds["of nobody"],
        "screens that show another table": kinds["different screens"],
        "errors (5xx), and answers that must not be": len(here.counts.faults),
        "gangs that `replay` found different": "some" if different else 0,
    }
    print(table(rows))
    for words in told[:MOST_TOLD]:
        print(words)
    return int(bool(told))


def kill(here: Served, chosen: Namespace, over: Event) -> None:
    """Kill a worker, or sometimes everything, at random moments until the time is up."""
    dice, until = Random(f"{chosen.seed} kills"), time.monotonic() + chosen.seconds
    try:
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(left, dice.uniform(0, 2 * chosen.between)))
            if dice.random() < chosen.whole:
                here.site.kill_all(dice)
                here.counts.add("kills of master and workers")
            elif here.site.kill_worker(dice):
                here.counts.add("workers killed")
    finally:
        over.set()


def replayed(here: Served) -> list[str]:
    """Return the mistakes that ``manage.py replay`` finds."""
    done = subprocess.run(
        [sys.executable, "manage.py", "replay"],
        cwd=ROOT,
        env=here.given,
        capture_output=True,
        text=True,
    )
    return [f"replay: {(done.stdout + done.stderr)[-2000:]}"] if done.returncode else []


def _refusals(seated: Seated) -> dict[str, str]:
    return {name: why for phone in seated.phones for name, why in phone.refused.items()}


def _list(*numbers: int) -> str:
    return ", ".join(f"{number:,}" for number in numbers)


if __name__ == "__main__":
    sys.exit(main())
