"""Conditions worked out for one rank: true, false, or depending on the rest of the list.

A rank's place in a list is known: its catalogue, its categories, and what it is inside. The rest of
the list is not. But nothing that the rank's catalogue cannot select is ever in it, and
records of a campaign are not in it either, so these count 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

from rules.catalogues.model import Condition, ConditionGroup, Modifier, Query, Repeat

NUMBER_AT_START = re.compile(r"\s*(-?[0-9]{1,6})(.*)\Z", re.DOTALL)
KINDS = ("any", "model", "unit", "upgrade")
WHOLE_LIST = ("force", "roster", "primary-catalogue")
# Comparisons of a number that mean that something is there, or is not.
ONE, ZERO = Decimal(1), Decimal(0)
PRESENT = (("atLeast", ONE), ("greaterThan", ZERO), ("notEqualTo", ZERO))
ABSENT = (("lessThan", ONE), ("equalTo", ZERO), ("atMost", ZERO))
# The largest amount that a repeated modifier may reach.
MOST_REPEATS = 1_000
MOST_VALUE = 1_000_000
# Repeats for smaller amounts are mistakes, which would be repeated for ever.
LEAST_STEP = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Step:
    """A selection on the way from the force: its ids, its kind, its categories, and its id."""

    ids: frozenset[str]
    kind: str
    categories: frozenset[str]
    primary: str = ""
    # Categories that it has only in some lists, each with the modifier that adds or removes it.
    perhaps: tuple[tuple[str, Modifier], ...] = ()

    def is_instance(self, child: str) -> bool:
        """Whether the selection is of this entry, kind or category."""
        return child in self.ids or child == self.kind or child in self.categories or child == "any"

    def is_perhaps(self, child: str) -> bool:
        """Whether it is of this category in some lists only."""
        return any(child == category for category, _row in self.perhaps)


@dataclass(frozen=True, slots=True)
class Place:
    """Where modifiers are worked out.

    ``catalogue``: id of the list's catalogue; ``catalogues``: all ids of catalogues; ``force``: id
    of the list's shape, "" if there are several; ``forces``: all ids of shapes. ``possible``: ids
    that a list of this catalogue can contain; ``inside``: those inside the rank. ``steps``: the
    selections from the rank down to the element. ``counts``: the least and the most of a category
    or entry that a legal list has at its root, where its force says so; ``roots``: all
    entries and categories there.
    """

    catalogue: str
    catalogues: frozenset[str]
    force: str
    forces: frozenset[str]
    possible: frozenset[str]
    inside: frozenset[str] = frozenset()
    steps: tuple[Step, ...] = ()
    counts: Mapping[str, tuple[int, int | None]] = field(default_factory=dict)
    roots: frozenset[str] = frozenset()

    def inner(self, step: Step) -> Place:
        """Return the place of something selected here."""
        return Place(
            self.catalogue,
            self.catalogues,
            self.force,
            self.forces,
            self.possible,
            self.inside,
            (*self.steps, step),
            self.counts,
            self.roots,
        )

    def judge(self, group: ConditionGroup) -> bool | None:
        """Whether the conditions are true; None if that depends on the rest of the list."""
        found = [self._judge_one(row) for row in group.conditions]
        found += [self.judge(inner) for inner in group.groups]
        if not found:
            return True
        decisive = group.kind == "or"
        if decisive in found:
            return decisive
        return None if None in found else not decisive

    def _judge_one(self, row: Condition) -> bool | None:
        if row.kind in ("instanceOf", "notInstanceOf"):
            found = self._is_instance(row.query)
            return found if found is None or row.kind == "instanceOf" else not found
        bounds = self.between(row.query)
        return None if bounds is None else _compare(row.kind, *bounds, row.query.value)

    def _is_instance(self, query: Query) -> bool | None:
        child = query.child
        if child in self.catalogues or query.scope == "primary-catalogue":
            return child == self.catalogue
        if child in self.forces:
            return child == self.force if self.force else None
        match query.scope:
            case "self":
                steps = self.steps[-1:]
            case "parent":
                steps = self.steps[-2:-1]
            case "ancestor":
                steps = self.steps[:-1]
            case "primary-category":
                return child == self.steps[0].primary if self.steps else None
            case _:
                named = [step for step in self.steps if query.scope in step.ids]
                if not named:
                    return None
                steps = (named[-1],)
        if any(step.is_perhaps(child) for step in steps):
            return None
        return any(step.is_instance(child) for step in steps)

    def asks_roots(self, row: Modifier) -> bool:
        """Whether a modifier depends only on the presence of one entry or category at the root."""
        leaves = row.when.conditions
        if row.repeats or row.when.groups or len(leaves) != 1:
            return False
        query = leaves[0].query
        is_plain = query.field == "selections" and not query.is_percent
        is_root = query.scope in WHOLE_LIST and query.child in self.roots
        return is_plain and is_root and (leaves[0].kind, query.value) in PRESENT + ABSENT

    def between(self, query: Query) -> tuple[Decimal, Decimal | None] | None:
        """Return the least and the most that a condition or repeat reads, without a most if it is
        not known; None if nothing is known."""
        count = self.count(query)
        if count is not None:
            return count, count
        if query.field != "selections" or query.is_percent or not query.value.is_finite():
            return None
        if query.scope not in WHOLE_LIST or query.child not in self.counts:
            return Decimal(0), None
        least, most = self.counts[query.child]
        # Selections inside others count only there.
        is_known = most is not None and not query.in_children
        return Decimal(least), Decimal(most or 0) if is_known else None

    def count(self, query: Query) -> Decimal | None:
        """Return a number that a condition or repeat reads; None if it depends on the list."""
        child = query.child
        if not query.value.is_finite():
            return None
        if query.field == "forces" and self.force and child in self.forces:
            return Decimal(child == self.force)
        if query.is_percent or query.field == "forces" or query.field.startswith("limit::"):
            return None
        if not child or child in KINDS or child in self.forces or child in self.catalogues:
            return None
        if child not in self.possible:
            return Decimal(0)
        of_rank = query.scope in ("self", "ancestor") or (
            query.scope == "parent" and len(self.steps) > 1
        )
        if of_rank and self.steps and child not in self.inside:
            return Decimal(0)
        return None

    def repeats(self, rows: tuple[Repeat, ...]) -> tuple[int, int | None]:
        """Return the least and the most number of times that a modifier applies; None: no most."""
        low, high = (0, 0) if rows else (1, 1)
        is_open = False
        for row in rows:
            bounds = self.between(row.query)
            if bounds is None:
                is_open = True
                continue
            least, most = bounds
            low += _repeat(row, least)
            if most is None:
                is_open = True
            else:
                high += _repeat(row, most)
        return min(low, MOST_REPEATS), None if is_open else min(high, MOST_REPEATS)


def _compare(kind: str, least: Decimal, most: Decimal | None, value: Decimal) -> bool | None:
    """Whether a number between two bounds passes a comparison; None if that is not known."""
    if kind in ("lessThan", "atLeast"):
        is_below = most is not None and most < value
        is_known, is_less = is_below or least >= value, is_below
        return None if not is_known else is_less == (kind == "lessThan")
    if kind in ("greaterThan", "atMost"):
        is_above = least > value
        is_known = is_above or (most is not None and most <= value)
        return None if not is_known else is_above == (kind == "greaterThan")
    if kind in ("equalTo", "notEqualTo"):
        if least > value or (most is not None and most < value):
            return kind == "notEqualTo"
        return kind == "equalTo" if least == most == value else None
    return None


def _repeat(row: Repeat, count: Decimal) -> int:
    """Return how often a modifier is repeated for a count."""
    if row.query.value < LEAST_STEP:
        return 0
    found, left = divmod(count, row.query.value)
    return (int(found) + bool(left and row.rounds_up)) * row.times


@dataclass(frozen=True, slots=True)
class Applied:
    """A modifier that applies, or may. ``times``: how often; None if it depends on the list;
    ``is_certain``: its conditions are true, so that only its repeats depend on the list, which
    every legal list has ``least`` of."""

    row: Modifier
    times: int | None
    is_certain: bool = True
    least: int = 0


def find_applied(modifiers: tuple[Modifier, ...], place: Place) -> Iterator[Applied]:
    """Yield the modifiers of an element that apply or may apply to it, in order."""
    for row in modifiers:
        verdict = place.judge(row.when)
        if verdict is False:
            continue
        least, most = place.repeats(row.repeats)
        if most != 0:
            is_sure = verdict is True and least == most
            yield Applied(row, least if is_sure else None, verdict is True, least)


def read_number(text: str) -> Decimal | None:
    """Return a number as a modifier writes it; None if it is none, or beyond every honest one."""
    try:
        value = Decimal(text.strip())
    except InvalidOperation:
        return None
    return value if value.is_finite() and abs(value) <= MOST_VALUE else None


def change_number(start: Decimal, row: Modifier, times: int) -> Decimal | None:
    """Return a number after a modifier; None if the modifier cannot change numbers."""
    value = read_number(row.value)
    if value is None:
        return None
    if not times:
        return start
    match row.kind:
        case "set":
            return value
        case "increment":
            return start + value * times
        case "decrement":
            return start - value * times
        case "multiply":
            return start * value**times if 0 < times <= 4 else None
        case "divide":
            return start / value**times if value and 0 < times <= 4 else None
    return None


def change_text(start: str, row: Modifier, times: int) -> str | None:
    """Return a text after a modifier; None if the modifier cannot change texts."""
    match row.kind:
        case "set":
            return row.value
        case "append":
            return f"{start} {row.value}".strip()
        case "prepend":
            return f"{row.value} {start}".strip()
        case "increment" | "decrement":
            return _change_first_number(start, row, times)
    return None


def _change_first_number(start: str, row: Modifier, times: int) -> str | None:
    """Return a text with a changed number at its start, such as 4 in '4"' or "4+"."""
    found, value = NUMBER_AT_START.match(start), read_number(row.value)
    if found is None or value is None or value != value.to_integral_value():
        return None
    step = int(value) * times
    number = int(found[1]) + (step if row.kind == "increment" else -step)
    return f"{number}{found[2]}"
