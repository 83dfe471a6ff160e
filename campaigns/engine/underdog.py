"""Underdogs: a side's money and awards for meeting a stronger one, by the ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rules.book.model import Rules
from rules.book.season import Award, UnderdogMoney
from rules.engine.costing import Points, whole


@dataclass(frozen=True)
class Dues:
    """A side's bonuses for being the weaker one. ``behind``: the strongest opponent's lead in
    rating, 0 if there is none; ``sides``: the number of sides in the game."""

    behind: Points
    sides: int
    money: tuple[tuple[UnderdogMoney, int], ...]
    awards: tuple[Award, ...]


def dues(rules: Rules, ratings: Mapping[int, Points]) -> dict[int, Dues]:
    """Every side's bonuses, from ``ratings`` by side. No money if the settings leave it out."""
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
    """Whether the rulebook gives weaker sides any bonus."""
    return bool(rules.underdog) or any(map(is_for_underdogs, rules.awards))


def is_for_underdogs(award: Award) -> bool:
    """Whether the award depends on the ratings."""
    return (award.underdog, award.underdog_by) != (None, None)


def above(rating: Points, opponents: Sequence[Points]) -> Points:
    """The strongest opponent's lead in rating; below 0 if none is ahead."""
    return whole(max(opponents, default=0) - rating)


def money(
    rules: Rules, rating: Points, opponents: Sequence[Points]
) -> list[tuple[UnderdogMoney, int]]:
    """Every row about underdogs that pays something, with its sum."""
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
