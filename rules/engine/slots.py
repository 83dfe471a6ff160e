"""Numbers of a roll that modifiers change."""

from __future__ import annotations

from dataclasses import dataclass

from rules.engine.expressions import Expression, Names


@dataclass(frozen=True)
class Raise:
    """A modifier at its slot: its key, what it adds, and when."""

    key: str
    amount: Expression
    given: Expression | None

    def added(self, names: Names) -> int:
        """What it adds now."""
        if self.given is not None and not self.given.holds(names):
            return 0
        return self.amount.number(names)


@dataclass(frozen=True)
class Slot:
    """A number that modifiers change."""

    base: Expression
    raises: tuple[Raise, ...] = ()

    def number(self, names: Names) -> int:
        """The number now, with everything that modifies it."""
        number = self.base.number(names)
        for one in self.raises:
            number += one.added(names)
        return number

    @property
    def names(self) -> frozenset[str]:
        """The names that it reads."""
        found = set(self.base.names)
        for one in self.raises:
            found |= one.amount.names | (one.given.names if one.given else frozenset())
        return frozenset(found)


def clamped(number: int, clamp: tuple[Slot, Slot] | None, names: Names) -> int:
    """``number`` brought back between two others."""
    if clamp is None:
        return number
    low, high = clamp
    return max(low.number(names), min(high.number(names), number))


def names_read(given: tuple[Expression, ...], *parts: object) -> frozenset[str]:
    """Every name that these read: expressions, slots, pairs of slots, or nothing."""
    found: set[str] = set()
    for part in (*given, *parts):
        if isinstance(part, tuple):
            found |= names_read((), *part)
        elif isinstance(part, Expression | Slot):
            found |= part.names
    return frozenset(found)
