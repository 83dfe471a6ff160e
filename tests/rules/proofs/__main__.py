"""Proofs of the odds, with their figures: ``python -m tests.rules.proofs``."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from random import Random
from time import process_time

from rules.bounds.work import TooMuch
from rules.engine.odds import odds
from rules.loading.reader import BadBook, read_folder
from tests.heading import heading, typed
from tests.rules.proofs.cases import KINDS, plain
from tests.rules.proofs.programs import program
from tests.rules.proofs.throws import fits, folders, rolls_of, typical
from tests.rules.proofs.ways import every_way, ready_in

# The chance that honest dice fail any of the fits.
SIGNIFICANCE = 1e-3
SITUATIONS = 4


def prove_steps(cases: int, seed: int) -> int:
    """Compare every kind of step with icepool or a count of every throw; return the differences."""
    wrong = 0
    for kind, make in KINDS.items():
        since, differ = process_time(), 0
        for number in range(cases):
            case = make(Random(f"{seed} {kind} {number}"))
            found = odds(ready_in(case.book or plain(), case.roll), case.facts)
            if found.numbers != case.numbers or (case.outcomes and found.outcomes != case.outcomes):
                differ += 1
                print(f"   differs: {kind}, seed {seed}, case {number}")
        wrong += differ
        print(f"{kind:32} {cases:7} cases  {differ} differ  {process_time() - since:6.1f} s")
    return wrong


def prove_programs(cases: int, seed: int) -> int:
    """Compare nested steps with every way of playing them; return the number of differences."""
    since, wrong, counted = process_time(), 0, 0
    for number in range(cases):
        made, book = program(Random(f"{seed} {number}"))
        ready = ready_in(book, made)
        found = odds(ready, {})
        try:
            expected = every_way(ready, {})
        except TooMuch:
            continue
        counted += 1
        if found != expected:
            wrong += 1
            print(f"   differs: steps inside each other, seed {seed}, case {number}")
    spent = process_time() - since
    print(f"{'steps inside each other':32} {counted:7} cases  {wrong} differ  {spent:6.1f} s")
    return wrong


def prove_throws(throws: int, seed: int, chosen: list[Path]) -> int:
    """Compare every roll of every book, as played, with its odds; return the number of misfits."""
    books = []
    for folder in chosen:
        try:
            books.append(read_folder(folder))
        except BadBook as bad:
            print(f"{folder.name}: cannot be read ({len(bad.mistakes)} mistakes)")
    made = [*rolls_of(books)]
    # With this many comparisons, each one gets a stricter significance.
    tests = sum(len(ready.numbers) + 1 for _book, _roll, ready in made) * SITUATIONS
    wrong = 0
    for book, roll, ready in made:
        random = Random(f"{seed} {book.slug} {roll.key}")
        since, worst, bad = process_time(), 0.0, []
        facts = typical(book, roll, SITUATIONS, random)
        for number, each in enumerate(facts):
            for name, fit in fits(ready, each, throws // len(facts), random):
                if fit.degrees:
                    worst = max(worst, fit.chi_square / fit.degrees)
                if not fit.passes(SIGNIFICANCE / tests):
                    bad.append(f"situation {number}, {name}: {fit}")
        wrong += len(bad)
        rate = throws / max(1e-9, process_time() - since)
        label = f"{book.slug} {roll.key}"
        print(f"{label:44} {throws:7} throws  worst chi²/df {worst:5.2f}  {rate:8.0f} throws/s")
        for one in bad:
            print(f"   does not fit: {one}")
    return wrong


def main() -> int:
    """Run all proofs, or only the chosen ones."""
    parser = ArgumentParser(prog="script/prove-odds", description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000, help="of each kind of step")
    parser.add_argument("--throws", type=int, default=100_000, help="of each roll")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("books", nargs="*", type=Path, help="only these rulebooks' folders")
    options = parser.parse_args()
    print(heading(typed("script/prove-odds"), options.seed), flush=True)
    wrong = 0
    if options.cases:
        wrong += prove_steps(options.cases, options.seed)
        wrong += prove_programs(options.cases, options.seed)
    if options.throws:
        wrong += prove_throws(options.throws, options.seed, options.books or folders())
    print("Everything agrees." if not wrong else f"{wrong} do not agree.")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
