"""Numbers of which only the range is known, such as a distance that nobody has entered yet."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

Number = int | Fraction


class Undecided(Exception):
    """Raised when an answer depends on a number of which only the range is known."""


class Span:
    """A number from ``low`` to ``high``, inclusive. Comparisons return what is true of all its
    numbers, and raise Undecided if there is no such answer; so does arithmetic other than sums and
    differences."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, low: Number, high: Number) -> None:
        self.low, self.high = low, high

    def __bool__(self) -> bool:
        return self != 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, int | Fraction | Span):
            return False
        there = _span(other)
        if self.high < there.low or there.high < self.low:
            return False
        if self.low == self.high == there.low == there.high:
            return True
        raise Undecided

    def __lt__(self, other: Any) -> bool:
        there = _span(other)
        return _decide(always=self.high < there.low, never=self.low >= there.high)

    def __le__(self, other: Any) -> bool:
        there = _span(other)
        return _decide(always=self.high <= there.low, never=self.low > there.high)

    def __gt__(self, other: Any) -> bool:
        return _span(other) < self

    def __ge__(self, other: Any) -> bool:
        return _span(other) <= self

    def __add__(self, other: Any) -> Span:
        there = _span(other)
        return Span(self.low + there.low, self.high + there.high)

    __radd__ = __add__

    def __neg__(self) -> Span:
        return Span(-self.high, -self.low)

    def __sub__(self, other: Any) -> Span:
        return self + -_span(other)

    def __rsub__(self, other: Any) -> Span:
        return _span(other) - self

    def _raise_undecided(self, *_other: Any) -> Any:
        raise Undecided

    __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _raise_undecided
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _raise_undecided
    __abs__ = __floor__ = __ceil__ = _raise_undecided


def _span(value: Any) -> Span:
    """A number as a span. Raises TypeError for a text, as a comparison with it does."""
    if isinstance(value, Span):
        return value
    if isinstance(value, int | Fraction):
        return Span(value, value)
    raise TypeError


def _decide(*, always: bool, never: bool) -> bool:
    if always or never:
        return always
    raise Undecided
