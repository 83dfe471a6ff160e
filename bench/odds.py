"""How long the odds of every roll take, and how fast dice are thrown, of every rulebook.

    .venv/bin/python bench/odds.py [FOLDER...]

For some situations of each roll: making it ready, its odds cold (nothing remembered), warm (the
ways of dice are remembered, the situation is new) and from memory, and throws a second by the
player; the slowest situation of all comes after them. A shot, a sum and a comparison that icepool
can say follow, against icepool in the same run, in turn.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import icepool  # noqa: E402

from rules.book.model import Book  # noqa: E402
from rules.book.rolls import Roll  # noqa: E402
from rules.engine import distributions, hands, odds  # noqa: E402
from rules.engine.compiling import Ready, make_ready  # noqa: E402
from rules.engine.expressions import Value  # noqa: E402
from rules.engine.playing import play  # noqa: E402
from rules.loading.reader import BadBook, read_folder  # noqa: E402
from tests.rules.proofs.cases import plain  # noqa: E402
from tests.rules.proofs.throws import folders, typical  # noqa: E402
from tests.rules.proofs.ways import ready_in, roll  # noqa: E402

# Milliseconds for the odds of any roll in any situation, cold.
MOST_COLD = 100
SITUATIONS = 25
THROWS = 2000
ROUNDS = 9


def milliseconds(work: Callable[[], object], times: int = 1) -> float:
    """Return the processor time of one call, out of ``times``."""
    since = time.process_time()
    for _time in range(times):
        work()
    return (time.process_time() - since) * 1000 / times


def forget_dice() -> None:
    """Nothing is remembered of dice or odds."""
    odds._remembered.cache_clear()
    for module in (distributions, hands):
        for name in dir(module):
            clear = getattr(getattr(module, name), "cache_clear", None)
            if clear is not None:
                clear()


def forget_odds() -> None:
    """The odds of situations are forgotten, the ways of dice are not."""
    odds._remembered.cache_clear()


def spread(times: list[float]) -> str:
    """The middle one and the longest."""
    return f"{statistics.median(times):8.3f} {max(times):8.3f}"


def measured(book: Book, row: Roll) -> tuple[str, float]:
    """Format one roll's times, and the times of its odds in the slowest situation."""
    settings = book.default_settings()
    facts = typical(book, row, SITUATIONS, Random(row.key))
    making, cold, warm, kept, rates = [], [], [], [], []
    for each in facts:
        forget_dice()
        ready: Ready = make_ready(book.under(settings), row)
        making.append(milliseconds(lambda: make_ready(book.under(settings), row)))
        cold.append(milliseconds(lambda ready=ready, each=each: odds.odds(ready, each)))
        kept.append(milliseconds(lambda ready=ready, each=each: odds.odds(ready, each), 100))
        forget_odds()
        warm.append(milliseconds(lambda ready=ready, each=each: odds.odds(ready, each)))
        rates.append(throws_a_second(ready, each))
    rate = f"{statistics.median(rates):9.0f}"
    memory = f"{statistics.median(kept):7.4f}"
    return f"{spread(making)} {spread(cold)} {spread(warm)} {memory} {rate}", max(cold)


def throws_a_second(ready: Ready, facts: dict[str, Value]) -> float:
    """How often a roll is played in a second, with a quick die."""
    random = Random(1).random
    each = milliseconds(lambda: play(ready, facts, lambda sides: int(random() * sides) + 1), THROWS)
    return 1000 / max(each, 1e-6)


SHOT = [
    {"count": "hits", "dice": 4, "target": 4},
    {"count": "saves", "dice": 3, "target": 5},
    {"let": "lost", "be": "max(0, hits - saves)"},
]
BEST = [{"sum": "lost", "dice": 5, "keep": 3}]
DUEL = [
    {"opposed": "lost", "mine": ["a"], "theirs": ["b"], "steps": [
        {"sum": "a", "dice": 3, "keep": 2}, {"sum": "b", "dice": 4, "keep": 2},
    ]},
]  # fmt: skip


def shot() -> Any:
    """The same shot in icepool."""
    hits = 4 @ icepool.d6.map(lambda face: int(face >= 4))
    saves = 3 @ icepool.d6.map(lambda face: int(face >= 5))
    return icepool.map(lambda one, other: max(0, one - other), hits, saves)


def best() -> Any:
    """The best three of five."""
    return icepool.d6.pool(5).highest(3).sum()


def duel() -> Any:
    """The best two of three against the best two of four."""
    return icepool.d6.pool(3).highest(2).sum() - icepool.d6.pool(4).highest(2).sum()


COMPARED: list[tuple[str, list[Any], Callable[[], Any]]] = [
    ("shot with saves", SHOT, shot),
    ("best three of five", BEST, best),
    ("kept against kept", DUEL, duel),
]


def compare() -> None:
    """Compute in turn the odds that both can express; icepool caches its results, too."""
    print(f"\n{'against icepool, ms':34} {'ours':>8} {'icepool':>8} {'ratio [least-most]':>22}")
    for name, steps, other in COMPARED:
        ours, theirs = [], []
        for _round in range(ROUNDS):
            forget_dice()
            ready = ready_in(plain(), roll([*steps], "lost"))
            ours.append(milliseconds(lambda ready=ready: odds.odds(ready, {})))
            theirs.append(milliseconds(other))
        ratios = sorted(one / max(each, 1e-6) for one, each in zip(ours, theirs, strict=True))
        middle = f"{statistics.median(ratios):.2f} [{ratios[0]:.2f}-{ratios[-1]:.2f}]"
        print(f"{name:34} {spread(ours)[:8]} {spread(theirs)[:8]} {middle:>22}")


def main() -> None:
    """Measure the rulebooks named, or all."""
    print(f"{'ms, middle and longest':34} {'ready':>17} {'cold':>17} {'warm':>17} {'memory':>7} "
          f"{'throws/s':>9}")  # fmt: skip
    worst = (0.0, "", "")
    for folder in [Path(name) for name in sys.argv[1:]] or folders():
        try:
            book = read_folder(folder)
        except BadBook as bad:
            print(f"{folder.name}: cannot be read ({len(bad.mistakes)} mistakes)")
            continue
        for row in book.rolls:
            line, slowest = measured(book, row)
            worst = max(worst, (slowest, book.slug, row.key))
            print(f"{book.slug[:16]:16} {row.key[:17]:17} {line}")
    slowest, slug, key = worst
    over = f", above its budget of {MOST_COLD} ms" if slowest > MOST_COLD else ""
    print(f"the worst situation of any roll: {key} of {slug}, {slowest:.1f} ms cold{over}")
    compare()


if __name__ == "__main__":
    main()
