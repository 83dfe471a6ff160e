"""Counting the engine's work, so that no rulebook keeps a machine busy.

Rulebooks come from strangers, too. Loops whose length a rulebook decides say here how much they are
about to do; their caller says how much that may be. Numbers are counted, not seconds: the
same roll is worked out, or refused, on every machine. One unit takes about a microsecond.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class TooMuch(ValueError):
    """More dice, sides, re-rolls or work than a roll may take; or what dice cannot be asked."""


class Exhausted(Exception):
    """All the work that one request may ask for is done: its rulebook is too large for that."""


class _Budget:
    """Work that is left. ``over``: raised when none is."""

    __slots__ = ("left", "over")

    def __init__(self, left: int, over: type[Exception]) -> None:
        self.left, self.over = left, over


_now: ContextVar[_Budget | None] = ContextVar("work", default=None)


def spend(units: int) -> None:
    """Count some work. Raises what ``limited`` says once there was too much; without a limit
    around it, nothing is counted."""
    budget = _now.get()
    if budget is not None:
        budget.left -= units
        if budget.left < 0:
            raise budget.over("takes too much work")


@contextmanager
def limit_work(most: int, over: type[Exception] = TooMuch) -> Iterator[None]:
    """Let what runs inside do so much work at most, and no more than a limit around it leaves.

    ``over``: raised inside where it was too much; where the limit around it was reached, that of
    the outer one is. Not for generators, which would leave their limit to their caller.
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
    """Count nothing against the limits around what runs inside, which has a clock of its own; its
    own limits hold."""
    token = _now.set(None)
    try:
        yield
    finally:
        _now.reset(token)
