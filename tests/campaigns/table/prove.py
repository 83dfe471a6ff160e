"""Prove the table with very many taps, and with the forms of its pages:
``python -m tests.campaigns.table.prove``."""

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

# Taps, and acts at forms, before each scene.
BETWEEN, BEFORE_A_SCENE = 50, 2
# This number of evenings of each game contains every kind of act.
ENOUGH = 10


def main() -> int:
    """Play as many evenings as requested, equally many of each game; return 1 after a failure."""
    parser = ArgumentParser(prog="script/prove-table", description=__doc__)
    parser.add_argument("--taps", type=int, default=100_000, help="of all games together (100000)")
    parser.add_argument("--nights", type=int, default=0, help="so many instead, of all together")
    parser.add_argument(
        "--evenings", type=int, default=ENOUGH, help="at the forms, of each game (10)"
    )
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
        print(heading(typed("script/prove-table"), chosen.seed), flush=True)
        wrong = prove(chosen.taps, chosen.nights, chosen.seed)
        return wrong | prove_forms(chosen.evenings, chosen.seed)
    finally:
        teardown_databases(made, verbosity=0)


def prove(taps: int, most: int, seed: str) -> int:
    """Play the evenings over a bad network in an existing database."""
    from tests.campaigns.table.nights import Club, Night
    from tests.world.gangs import SLUGS

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


def prove_forms(evenings: int, seed: str) -> int:
    """Play this number of evenings of each game at the forms, in an existing database; return
    1 if one went wrong, or if a kind of act never happened in ENOUGH of them."""
    from tests.campaigns.table.form_nights import KINDS, FormNight
    from tests.campaigns.table.nights import Club
    from tests.world.gangs import SLUGS

    wrong, since = 0, time.monotonic()
    shown = Counter[str]()
    for slug in SLUGS if evenings else ():
        club, taps = Club.of(slug, "at-forms"), 0
        for evening in range(1, evenings + 1):
            night = FormNight(club, Random(f"{seed} {slug} forms {evening}"))
            try:
                night.play(BEFORE_A_SCENE)
            except AssertionError:
                wrong += 1
                print(f"seed {seed}, {slug}, evening {evening} at the forms:")
                traceback.print_exc()
            taps += night.seq
            shown += night.shown
        print(f"{slug:24} {evenings:5} evenings {taps:7} taps by forms", flush=True)
    if not evenings:
        return 0
    spent = time.monotonic() - since
    print(f"{evenings * len(SLUGS)} evenings at the forms, {spent:.0f} s")
    print("acts: " + ", ".join(f"{kind} {shown[kind]}" for kind in KINDS))
    never = [kind for kind in KINDS if not shown[kind]]
    if never:
        print(f"This never happened: {', '.join(never)}.")
    words = "All stood where and when it happened."
    print(words if not wrong else f"{wrong} evenings at the forms went wrong.")
    return int(bool(wrong or (never and evenings >= ENOUGH)))


if __name__ == "__main__":
    sys.exit(main())
