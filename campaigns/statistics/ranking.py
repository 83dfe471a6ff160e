"""Ranking: one criterion after the other splits the gangs that are still level."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from itertools import groupby
from typing import Protocol

from campaigns.engine.league.standings_rules import Criterion
from rules.engine.costing import Points

Value = Points | Fraction


class Results(Protocol):
    """A gang's results against another."""

    @property
    def won(self) -> int:
        """Games that it won."""

    @property
    def lost(self) -> int:
        """Games that it lost."""

    @property
    def games(self) -> int:
        """Games in all."""


# The results of all pairs of gangs that met, by (one, the other).
Meetings = Mapping[tuple[str, str], Results]


@dataclass(frozen=True)
class Seam:
    """The criterion that separates two neighbouring places, ``high`` and ``low``: a gang at each,
    and its value."""

    by: Criterion
    high: str
    low: str
    more: Value
    less: Value


def rank(
    values: Mapping[str, Mapping[Criterion, Value]], ranking: Sequence[Criterion], met: Meetings
) -> tuple[list[list[str]], list[Seam]]:
    """Rank gangs, given with their values. Returns groups of level gangs, the best first, and what
    separates each group from the next. Level gangs keep their order.

    Gangs that a criterion has separated stay so; those still level are compared by the next one.
    """
    groups: list[list[str]] = [list(values)] if values else []
    seams: list[tuple[Criterion, Value, Value]] = []
    for criterion in ranking:
        new_groups: list[list[str]] = []
        new_seams: list[tuple[Criterion, Value, Value]] = []
        for number, group in enumerate(groups):
            if number:
                new_seams.append(seams[number - 1])
            if len(group) == 1:
                new_groups.append(group)
                continue
            worth = _compare(group, values, criterion, met)
            ordered = sorted(group, key=worth.__getitem__, reverse=True)
            parts = [list(part) for _worth, part in groupby(ordered, key=worth.__getitem__)]
            new_seams += [
                (criterion, worth[upper[0]], worth[lower[0]])
                for upper, lower in zip(parts, parts[1:], strict=False)
            ]
            new_groups += parts
        groups, seams = new_groups, new_seams
    # Neighbours are known at the end: a later criterion may have split both sides of a seam.
    return groups, [
        Seam(by, high[0], low[0], more, less)
        for (by, more, less), high, low in zip(seams, groups, groups[1:], strict=False)
    ]


def _compare(
    group: Sequence[str],
    values: Mapping[str, Mapping[Criterion, Value]],
    criterion: Criterion,
    met: Meetings,
) -> dict[str, Value]:
    """The values of level gangs by which the criterion separates them."""
    if criterion != "head_to_head":
        return {gang: values[gang][criterion] for gang in group}
    return {gang: _balance(gang, group, met) for gang in group}


def _balance(gang: str, group: Iterable[str], met: Meetings) -> int:
    """The games that a gang won against the others of the group, less those that it lost."""
    found = [met[gang, other] for other in group if (gang, other) in met]
    return sum(results.won - results.lost for results in found)


def draw(seed: str, key: str) -> int:
    """Draw a lot. The same seed and key always draw the same."""
    return int(sha256(f"{seed} {key}".encode()).hexdigest(), 16)
