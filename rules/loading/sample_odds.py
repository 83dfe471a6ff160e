"""The odds of a sample attack with a roll, for the author who is writing it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from operator import itemgetter
from typing import NamedTuple

from rules.book.model import Book, Rules
from rules.book.rolls import Roll
from rules.book.schema import Rank
from rules.engine.compiling import ready
from rules.engine.expressions import parse
from rules.engine.fairness import typical_rank
from rules.engine.figure import Figure
from rules.engine.odds import HOPELESS, odds
from rules.engine.situations import Side, Situation, names_in

# Weapons that are tried before the sample gives up.
MOST_WEAPONS = 24

# A name by language.
type Named = dict[str, str]


class Attack(NamedTuple):
    """An attack whose odds are asked for: a roll ("" for none), the rank that attacks, the weapon,
    and the rank of the target. "" or an unknown key: the page chooses."""

    roll: str = ""
    by: str = ""
    item: str = ""
    at: str = ""


class SampleOdds(NamedTuple):
    """The odds of an attack. The keys and names of both ranks and of the weapon ("" and no name
    without one), and the name of each outcome with its chance in percent."""

    attack: Attack
    by: Named
    item: Named
    at: Named
    lines: list[tuple[Named, float]]


NO_ATTACK = Attack()


def sample_odds(book: Book, asked: Attack) -> SampleOdds | None:
    """Return the odds of an attack. The page chooses the typical rank, and the first weapon that
    the roll can be used with; None if there is no such attack or it cannot be worked out."""
    rules, roll = book.usual, book.roll.get(asked.roll)
    typical = typical_rank(rules) or next(iter(book.ranks), None)
    if roll is None or typical is None:
        return None
    by, at = book.rank.get(asked.by, typical), book.rank.get(asked.at, typical)
    for item in _list_weapons(book, asked.item, uses_item=roll.using == "item"):
        with suppress(*HOPELESS):
            lines = _work_out(rules, roll, by, item, at)
            if lines is not None:
                named = book.item[item].name.root if item else {}
                attack = Attack(roll.key, by.key, item, at.key)
                return SampleOdds(attack, by.name.root, named, at.name.root, lines)
    return None


def _work_out(
    rules: Rules, roll: Roll, by: Rank, item: str, at: Rank
) -> list[tuple[Named, float]] | None:
    """Return each outcome with its chance; None if the roll cannot be used. Raises HOPELESS."""
    figure = Figure(by.key, by.key, items=(item,) if item else ())
    target = Side(Figure(at.key, at.key))
    names = names_in(rules, Situation(Side(figure, item or None), target))
    if roll.usable is not None and not parse(roll.usable).holds(names):
        return None
    found = odds(ready(rules, roll.key), names).outcomes
    return [(one.name.root, float(found.get(one.key, 0)) * 100) for one in roll.outcomes]


def _list_weapons(book: Book, asked: str, *, uses_item: bool) -> Iterator[str]:
    if not uses_item:
        yield ""
        return
    if asked in book.item:
        yield asked
    # A roll is often for the items of one group, which can come late in a long list.
    earlier, turns = Counter[str](), list[tuple[int, str]]()
    for item in book.usual.items:
        turns.append((earlier[item.group], item.key))
        earlier[item.group] += 1
    turns.sort(key=itemgetter(0))
    yield from (key for _turn, key in turns[:MOST_WEAPONS])
