"""``python -m tests.hostile``: attack a site of one's own for a time, and say what came of it."""

from __future__ import annotations

import argparse
import sys
import threading
import time
from pathlib import Path
from random import SystemRandom

from tests.hostile import figures, memory
from tests.hostile.judge import Judge
from tests.hostile.site import ROOT, Site

CLIENTS = 4
# Of all requests so many have to reach a form's own checks, as its owner.
LEAST_SHARE = 1 / 3
# Workers are watched from the time when they have loaded most of what they ever will, or from so
# much of the time on.
WARM_UP, WARM_UP_REQUESTS = 0.25, 1500
MOST_TOLD = 60


def main() -> int:
    """Attack, and answer 1 if something failed."""
    parser = argparse.ArgumentParser(prog="script/hostile", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0, help="how long (1)")
    parser.add_argument("--requests", type=int, default=0, help="end after so many, if sooner")
    parser.add_argument("--seed", default="", help="the same again, as far as dice allow")
    parser.add_argument("--clients", type=int, default=CLIENTS, help=f"at once ({CLIENTS})")
    parser.add_argument("--again", type=Path, help="only send what is kept in this file")
    parser.add_argument(
        "--keep", type=Path, default=ROOT / "var" / "hostile", help="where failures are kept"
    )
    chosen = parser.parse_args()
    site = Site()
    try:
        site.start()
        if chosen.again is not None:
            from tests.hostile import replaying

            return replaying.replay(site, chosen.again)
        return attack(site, chosen)
    finally:
        site.stop()


def attack(site: Site, chosen: argparse.Namespace) -> int:
    """Attack from several sides until the time is up; then look at what is left."""
    from django.db import connection, connections

    from tests.hostile.attacks import Attacker

    seed = chosen.seed or str(SystemRandom().randrange(10**6))
    judge = Judge(chosen.keep, chosen.clients)
    print(f"Seed {seed}, {connection.vendor}, http://127.0.0.1:{site.port}/", file=sys.stderr)
    begun = time.monotonic()
    end = begun + chosen.minutes * 60
    watches: list[memory.Watch] = []
    attackers: list[Attacker] = []
    errors: list[BaseException] = []

    def run(number: int) -> None:
        try:
            attacker = Attacker(number, seed, site.port, judge)
            attackers.append(attacker)
            while time.monotonic() < end and not (0 < chosen.requests <= judge.requests):
                attacker.attack()
        except BaseException as error:
            errors.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(chosen.clients)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        time.sleep(0.2)
        warm = time.monotonic() - begun > chosen.minutes * 60 * WARM_UP
        if not watches and (warm or judge.requests > WARM_UP_REQUESTS):
            watches.append(memory.Watch(site.workers, judge.requests, judge.recent, judge.flying))
    for thread in threads:
        thread.join()
    elapsed = time.monotonic() - begun
    if errors or not watches:
        raise errors[0]
    from tests.hostile import aftermath

    [watch] = watches
    watch.stop()
    aftermath.check_memory(judge, watch, site.port)
    aftermath.check_pages(judge, attackers)
    aftermath.check_replay(judge)
    aftermath.check_log(judge, site)
    aftermath.check_share(judge, LEAST_SHARE)
    print(figures.table(judge, connection.vendor, elapsed, watch.most))
    worst = sorted(judge.failures.values(), key=lambda each: -each.count)
    for failure in worst[:MOST_TOLD]:
        print(f"\n{failure}")
    if worst:
        print(
            f"\n{len(worst)} kinds of failure; again: script/hostile --seed {seed}", file=sys.stderr
        )
    return bool(worst)


if __name__ == "__main__":
    sys.exit(main())
