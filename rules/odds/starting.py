"""Who stands in the form before anybody is chosen: somebody who may throw the roll."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from rules.book.model import Rules
from rules.book.rolls import Roll
from rules.engine.expressions import parse
from rules.engine.fairness import typical_rank
from rules.engine.figure import Figure
from rules.engine.situations import Side, Situation, names_in


@dataclass(frozen=True)
class Start:
    """A rank, and a profession where a roll asks for one."""

    rank: str
    profession: str = ""

    @property
    def figure(self) -> Figure:
        """A figure as it begins."""
        return Figure(self.rank, self.rank, profession=self.profession or None)


def starts(rules: Rules, roll: Roll) -> dict[str, Start]:
    """Who throws ``roll`` ("by") and at whom ("at"), unless somebody else is chosen.

    Both are of the typical rank if they can be, and otherwise of the first ranks and professions
    with which the roll may be thrown. What depends on a weapon is asked of the weapon.
    """
    typical = (typical_rank(rules) or rules.book.ranks[0]).key
    usual = {"by": Start(typical), "at": Start(typical)}
    if roll.usable is None or roll.using == "item":
        return usual
    usable = parse(roll.usable)
    sides = [[*_candidates(rules, usable.names, side, typical)] for side in ("by", "at")]
    for by, at in product(*sides):
        target = Side(at.figure) if roll.at == "member" else None
        names = names_in(rules, Situation(Side(by.figure), target))
        if usable.holds(names):
            return {"by": by, "at": at}
    return usual


def _candidates(rules: Rules, reads: frozenset[str], side: str, typical: str) -> Iterator[Start]:
    """Ranks, the typical one first, then from the lowest; then those with each profession that is
    asked for."""
    rows = reversed(rules.ranks)
    ranks = sorted(rows, key=lambda row: row.key != typical)
    yield from (Start(rank.key) for rank in ranks)
    for row in rules.professions:
        if f"{side}.has_profession:{row.key}" not in reads:
            continue
        for rank in ranks:
            if rank.profession == "required" and (not row.ranks or rank.key in row.ranks):
                yield Start(rank.key, row.key)
