"""``python -m tests.hostile``: attack a site of its own, and report failures.

The attack is measured in requests, so a slow machine does the same as a fast one, only later: each
client sends its part of ``--requests``, drawn from ``--seed``, and keeps to the share of them that
must reach a form's own checks. Time is judged only in a run by hand with ``--minutes``; these also
end the attack before all requests are sent.
"""

from __future__ import annotations

import argparse
import math
import sys
import threading
import time
from pathlib import Path
from random import SystemRandom

from tests.hostile import figures, memory
from tests.hostile.judge import Judge
from tests.hostile.site import ROOT, Site

CLIENTS = 4
# Half a minute on two idle cores, and as long again.
REQUESTS, VARIANTS = 2400, 10
# Workers are watched once they have loaded most of what they ever will: after this share of the
# requests, or at the latest after this many requests.
WARM_UP, WARM_UP_REQUESTS = 0.25, 1500
MOST_TOLD = 60


def main() -> int:
    """Attack; return 1 if there was a failure."""
    parser = argparse.ArgumentParser(prog="script/hostile", description=__doc__)
    parser.add_argument(
        "--requests", type=float, help=f"how many to send ({REQUESTS}, unless minutes are given)"
    )
    parser.add_argument(
        "--minutes", type=float, help="end after this time, if sooner, and judge by the clock"
    )
    parser.add_argument(
        "--variants",
        type=int,
        default=VARIANTS,
        help=f"how many rulebooks of a stranger to try, too ({VARIANTS})",
    )
    parser.add_argument("--shape", default="", help="only variants of this shape")
    parser.add_argument("--seed", default="", help="the same again, as far as dice allow")
    parser.add_argument("--clients", type=int, default=CLIENTS, help=f"at once ({CLIENTS})")
    parser.add_argument("--again", type=Path, help="only send what is kept in this file")
    parser.add_argument(
        "--keep", type=Path, default=ROOT / "var" / "hostile", help="where failures are kept"
    )
    chosen = parser.parse_args()
    if chosen.requests is None:
        chosen.requests = REQUESTS if chosen.minutes is None else math.inf
    site = Site()
    try:
        site.start()
        if chosen.again is not None:
            from tests.hostile import replaying

            return replaying.replay(site, chosen.again)
        seed = chosen.seed or str(SystemRandom().randrange(10**6))
        judge = Judge(chosen.keep, chosen.clients, by_clock=chosen.minutes is not None)
        print(f"Seed {seed}, http://127.0.0.1:{site.port}/", file=sys.stderr)
        if chosen.requests:
            attack(site, chosen, seed, judge)
        if chosen.variants:
            from tests.hostile.rulebooks.run import try_variants

            print(try_variants(site, judge, seed, chosen.variants, chosen.shape))
        return report(judge, seed)
    finally:
        site.stop()


def attack(site: Site, chosen: argparse.Namespace, seed: str, judge: Judge) -> None:
    """Attack from several sides until all requests are sent or the time is up; then check the
    site.
    """
    from django.db import connection, connections

    from tests.hostile.attacks import Attacker

    begun = time.monotonic()
    end = math.inf if chosen.minutes is None else begun + chosen.minutes * 60
    part = chosen.requests / chosen.clients
    watches: list[memory.Watch] = []
    attackers: list[Attacker] = []
    errors: list[BaseException] = []

    def run(number: int) -> None:
        try:
            attacker = Attacker(number, seed, site.port, judge)
            attackers.append(attacker)
            while attacker.sent < part and time.monotonic() < end:
                attacker.attack()
        except BaseException as error:
            errors.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(chosen.clients)]
    for thread in threads:
        thread.start()
    warm = min(chosen.requests * WARM_UP, WARM_UP_REQUESTS)
    while any(thread.is_alive() for thread in threads):
        time.sleep(0.2)
        if not watches and judge.requests >= warm:
            watches.append(memory.Watch(site.workers, judge.requests, judge.recent, judge.flying))
    for thread in threads:
        thread.join()
    elapsed = time.monotonic() - begun
    if errors:
        raise errors[0]
    judge.end_attack()
    from tests.hostile import aftermath

    growth: float | None = None
    for watch in watches:
        watch.stop()
        growth = watch.most
        aftermath.check_memory(judge, watch, site.port)
    aftermath.check_pages(judge, attackers)
    aftermath.check_replay(judge)
    aftermath.check_log(judge, site)
    aftermath.check_teeth(judge)
    print(figures.table(judge, connection.vendor, elapsed, growth))


def report(judge: Judge, seed: str) -> int:
    """Print the failures; return 1 if there are any."""
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
