"""The processor time of simulated fights, for every rulebook.

    .venv/bin/python bench/fair.py [FOLDER...]

Ten thousand fights of two typical members, one against one until one is out, with empty caches; the
whole report on prices with a thousand fights for each row; and, against the fights, ten thousand
throws of the dice of that member's attack only.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent.parent))

from rules.book.model import Book  # noqa: E402
from rules.engine.compiling import ready  # noqa: E402
from rules.engine.duels import FEWEST_CLAIMED, Arena  # noqa: E402
from rules.engine.fairness import Trials, fairness, trials  # noqa: E402
from rules.engine.playing import play  # noqa: E402
from rules.loading.reader import BadBook, read_folder  # noqa: E402
from tests.rules.proofs.throws import folders  # noqa: E402

DUELS = 10_000


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time of a function."""
    since = time.process_time()
    work()
    return time.process_time() - since


def duels(book: Book, found: Trials) -> None:
    """Simulate fights of two typical members."""
    arena = Arena(found.rules, Random(1))
    arena.repeat_fight([found.typical], [found.typical], DUELS)


def throws(book: Book, found: Trials) -> None:
    """Throw the dice of as many attacks, one by one."""
    arena = Arena(found.rules, Random(1))
    fighter = arena.enter(found.typical)
    attack = arena.best(fighter, fighter)
    assert attack is not None
    made, names = (
        ready(found.rules, attack.roll),
        arena.names(fighter, fighter, attack),
    )
    draw = arena.dice.random
    for _time in range(DUELS):
        play(made, names, lambda sides: int(draw() * sides) + 1)


def main() -> None:
    """Measure the rulebooks named, or all."""
    print(
        f"{'seconds':24} {f'{DUELS} duels':>14} {f'{DUELS} attacks':>14} {'report':>8} {'rows':>5}"
    )
    for folder in [Path(name) for name in sys.argv[1:]] or folders():
        try:
            book = read_folder(folder)
        except BadBook as bad:
            print(f"{folder.name}: cannot be read ({len(bad.mistakes)} mistakes)")
            continue
        settings = book.default_settings()
        found = trials(book.under(settings))
        if found is None:
            print(f"{folder.name}: nothing can be fought with")
            continue
        fought = seconds(lambda book=book, found=found: duels(book, found))
        thrown = seconds(lambda book=book, found=found: throws(book, found))
        told = seconds(
            lambda book=book, settings=settings: fairness(book.under(settings), FEWEST_CLAIMED, 1)
        )
        print(f"{book.slug:24} {fought:14.2f} {thrown:14.2f} {told:8.2f} {len(found.rows):5}")


if __name__ == "__main__":
    main()
