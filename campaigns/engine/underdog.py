"""Underdogs: what a side has for meeting a stronger one, by the ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rules.book.model import Rules
from rules.book.season import Award, UnderdogMoney
from rules.engine.costing import Points, whole


@dataclass(frozen=True)
class Dues:
    """What a side would have from a game for being the weaker one. ``behind``: by how much the
    strongest opponent's rating is higher, 0 if none is; ``sides``: how many sides there are."""

    behind: Points
    sides: int
    money: tuple[tuple[UnderdogMoney, int], ...]
    awards: tuple[Award, ...]


def dues(rules: Rules, ratings: Mapping[int, Points]) -> dict[int, Dues]:
    """For every side what its opponents' ratings bring it; ``ratings``: by side.

    Money only where it comes in at all.
    """
    found = {}
    for side, rating in ratings.items():
        others = [theirs for key, theirs in ratings.items() if key != side]
        found[side] = Dues(
            behind=max(0, above(rating, others)),
            sides=len(ratings),
            money=tuple(money(rules, rating, others)) if rules.pays else (),
            awards=tuple(
                award
                for award in rules.awards
                if is_for_underdogs(award) and is_due(award, rating, others)
            ),
        )
    return found


def is_known(rules: Rules) -> bool:
    """Whether a side can have anything at all for being the weaker one."""
    return bool(rules.underdog) or any(map(is_for_underdogs, rules.awards))


def is_for_underdogs(award: Award) -> bool:
    """Whether the award hangs on the ratings."""
    return (award.underdog, award.underdog_by) != (None, None)


def above(rating: Points, opponents: Sequence[Points]) -> Points:
    """By how much the strongest opponent is ahead; below 0 if none is."""
    return whole(max(opponents, default=0) - rating)


def money(
    rules: Rules, rating: Points, opponents: Sequence[Points]
) -> list[tuple[UnderdogMoney, int]]:
    """What each row about underdogs pays, where it pays something."""
    ahead = above(rating, opponents)
    paid = [(row, min(row.most, int(ahead // row.step))) for row in rules.underdog]
    return [(row, amount) for row, amount in paid if amount > 0]


def is_due(award: Award, rating: Points, opponents: Sequence[Points]) -> bool:
    """Whether the opponents are strong enough for the award."""
    if award.underdog is not None:
        least = rating * award.underdog
        if not any(theirs * 100 >= least for theirs in opponents):
            return False
    return award.underdog_by is None or above(rating, opponents) >= award.underdog_by
