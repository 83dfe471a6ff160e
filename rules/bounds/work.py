"""Counts the engine's work, so that no rulebook keeps a machine busy.

Rulebooks may come from strangers. Each loop whose length a rulebook decides counts its work here,
and callers set the limit. Units are counted, not seconds, so that every machine works out, or
refuses, the same rolls. One unit takes about a microsecond.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from common.wording.sentences import gettext_noop as _


class TooMuch(ValueError):
    """Raised for more dice, sides, re-rolls or work than a roll may take, or impossible dice."""


class Exhausted(Exception):
    """Raised if a request takes more work than it may: its rulebook is too large."""


class _Budget:
    """The units of work that are left. ``over``: the exception to raise when none are."""

    __slots__ = ("left", "over")

    def __init__(self, left: int, over: type[Exception]) -> None:
        self.left, self.over = left, over


_now: ContextVar[_Budget | None] = ContextVar("work", default=None)


def spend(units: int) -> None:
    """Count some work. Raises the exception of ``limit_work`` around it once there is too much;
    without a limit nothing is counted."""
    budget = _now.get()
    if budget is not None:
        budget.left -= units
        if budget.left < 0:
            raise budget.over(_("too complex to work out"))


@contextmanager
def limit_work(most: int, over: type[Exception] = TooMuch) -> Iterator[None]:
    """Limit the work of the code inside to ``most`` units, and to the rest of a limit around it.

    ``over``: raised inside when it is too much; if the outer limit is reached first, its exception
    is raised. Do not use this in a generator: the limit would stay in force in its caller.
    """
    outer = _now.get()
    budget = _Budget(most, over)
    if outer is not None and outer.left < most:
        budget = _Budget(outer.left, outer.over)
    before = budget.left
    token = _now.set(budget)
    try:
        yield
    finally:
        _now.reset(token)
        if outer is not None:
            outer.left -= before - budget.left


@contextmanager
def ignore_work() -> Iterator[None]:
    """Exempt the code inside from the limits around it; it has its own clock and limits."""
    token = _now.set(None)
    try:
        yield
    finally:
        _now.reset(token)
