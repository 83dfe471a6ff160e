"""Prove the table with very many taps: ``python -m tests.campaigns.table.prove``."""

from __future__ import annotations

import logging
import os
import sys
import time
import traceback
from argparse import ArgumentParser
from collections import Counter
from random import Random

from tests.heading import heading, typed

BETWEEN = 50


def main() -> int:
    """Play as many evenings as requested, equally many of each game; return 1 after a failure."""
    parser = ArgumentParser(prog="script/prove-table", description=__doc__)
    parser.add_argument("--taps", type=int, default=100_000, help="of all games together (100000)")
    parser.add_argument("--nights", type=int, default=0, help="so many instead, of all together")
    parser.add_argument("--seed", default="1", help="the same evenings again")
    chosen = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    import django
    from django.test.utils import setup_databases, setup_test_environment, teardown_databases

    django.setup()
    logging.disable(logging.WARNING)
    setup_test_environment()
    made = setup_databases(verbosity=0, interactive=False)
    try:
        return prove(chosen.taps, chosen.nights, chosen.seed)
    finally:
        teardown_databases(made, verbosity=0)


def prove(taps: int, most: int, seed: str) -> int:
    """Play the evenings in an existing database."""
    from tests.campaigns.table.nights import Club, Night
    from tests.world.gangs import SLUGS

    print(heading(typed("script/prove-table"), seed), flush=True)
    wrong, all_told, since = 0, 0, time.process_time()
    fates, shown = Counter[str](), Counter[str]()
    for slug in SLUGS:
        club, told, nights = Club.of(slug), 0, 0
        while nights < most / len(SLUGS) if most else told < taps / len(SLUGS):
            nights += 1
            night = Night(club, Random(f"{seed} {slug} {nights}"), fates)
            try:
                night.play(BETWEEN)
                night.check()
            except AssertionError:
                wrong += 1
                print(f"seed {seed}, {slug}, evening {nights}:")
                traceback.print_exc()
            told += night.told
            shown += night.shown
        all_told += told
        print(f"{slug:24} {nights:5} evenings {told:7} taps", flush=True)
    spent = time.process_time() - since
    print(f"{all_told} taps in {fates.total()} requests, {spent:.0f} s of processor time")
    for title, counted in (("requests", fates), ("came up and was shown", shown)):
        print(
            f"{title}: "
            + ", ".join(f"{name.replace('_', ' ')} {number}" for name, number in counted.items())
        )
    print("Nothing was lost or doubled." if not wrong else f"{wrong} evenings went wrong.")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
