"""The odds of a sample attack with a roll, for the author who is writing it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from rules.book.model import Book
from rules.engine.compiling import ready
from rules.engine.expressions import parse
from rules.engine.fairness import typical_rank
from rules.engine.figure import Figure
from rules.engine.odds import HOPELESS, odds
from rules.engine.situations import Side, Situation, names_in

# Weapons that are tried before the sample gives up.
MOST_WEAPONS = 12

# The name of the weapon by language (empty without one), and the name of each outcome by language
# with its chance in percent.
type SampleOdds = tuple[dict[str, str], list[tuple[dict[str, str], float]]]


def sample_odds(book: Book, key: str) -> SampleOdds | None:
    """Return the odds of the roll between two members of the typical rank, with the first weapon
    that it can be used with; None if there is no such attack or it cannot be worked out."""
    rules, roll = book.usual, book.roll.get(key)
    rank = typical_rank(rules) or next(iter(book.ranks), None)
    if roll is None or rank is None:
        return None
    for item in _weapons(book, uses_item=roll.using == "item"):
        figure = Figure(rank.key, rank.key, items=(item,) if item else ())
        names = names_in(rules, Situation(Side(figure, item or None), Side(figure)))
        with suppress(*HOPELESS):
            if roll.usable is None or parse(roll.usable).holds(names):
                found = odds(ready(rules, key), names).outcomes
                named = book.item[item].name if item else None
                lines = [
                    (one.name.root, float(found.get(one.key, 0)) * 100) for one in roll.outcomes
                ]
                return named.root if named else {}, lines
    return None


def _weapons(book: Book, *, uses_item: bool) -> Iterator[str]:
    if not uses_item:
        yield ""
        return
    yield from (item.key for item in book.usual.items[:MOST_WEAPONS])
